// UEs with the same address in different networks: the bearer of a frame of a VLAN
// (dataplane/bearer/classify.h), learning, and connections when a VLAN moves to another network.
#include <vector>

#include "tests/support/mesh_bench.h"
#include "tests/support/one_connection.h"
#include "tests/support/worker_bench.h"

namespace dp::test {
namespace {

constexpr NetworkId kEast = 1, kWest = 2;
constexpr std::uint32_t kSharedAddress = 0x0a2d0002;  // 10.45.0.2
constexpr UeAddress kUeOfNone = ue_ipv4(kSharedAddress), kEastUe = ue_ipv4(kSharedAddress, kEast),
                    kWestUe = ue_ipv4(kSharedAddress, kWest);

NetworkMap map_with(std::initializer_list<std::pair<std::uint16_t, NetworkId>> vlans) {
  NetworkMap map{};
  for (const auto& [id, network] : vlans) map[id] = network;
  return map;
}
const NetworkMap kVlans = map_with({{100, kEast}, {101, kEast}, {200, kWest}});

BearerSettings split_bearer() {
  BearerSettings settings = bearer_at(100'000'000, 500);
  settings.proxy = SplitConfig{.window = 32'768};
  return settings;
}

class Networks : public WorkerBench {
 protected:
  void SetUp() override { command(SetNetworks{&kVlans}); }

  // Frames from the core to 10.45.0.2 that had those tags on each bearer's downlink.
  std::uint64_t crossed(const Bearer& bearer) { return bearer.downlink.buffer().delivered_sdus(); }
  void send(const std::vector<VlanTag>& vlans) {
    io.offer(Side::core, {.vlans = vlans});
    run_until(clock.now() + Duration{20'000'000});
  }
  // A connection whose server was told of 2000 octets that the UE has not acknowledged.
  void split(const std::vector<VlanTag>& vlans) {
    say(Side::radio, vlans, TcpView::kSyn, 100, 0);
    say(Side::core, vlans, TcpView::kSyn | TcpView::kAck, 1000, 0);
    say(Side::radio, vlans, TcpView::kAck, 101, 0);
    for (const std::uint32_t at : {1001u, 2001u}) say(Side::core, vlans, TcpView::kAck, at, 1000);
  }
  void say(Side side, const std::vector<VlanTag>& vlans, std::uint8_t flags, std::uint32_t seq,
           std::size_t payload) {
    FrameSpec spec = segment_from(side, kSharedAddress, "192.0.2.1", flags, seq, payload);
    spec.vlans = vlans;
    io.offer(side, spec);
    run_until(clock.now() + Duration{2'000'000});
  }
  std::uint64_t at_risk() const { return shared->classes[0].split.at_risk_bytes.get(); }
  std::uint64_t resets() const { return shared->classes[0].split.resets[index(SplitReset::removed)].get(); }
};

TEST_F(Networks, TheOutermostTagSaysInWhichNetworkTheUeIs) {
  const Bearer& none = add(kUeOfNone, bearer_at(8'000'000));
  const Bearer& east = add(kEastUe, bearer_at(8'000'000));
  const Bearer& west = add(kWestUe, bearer_at(8'000'000));
  struct Case {
    std::vector<VlanTag> vlans;
    const Bearer& bearer;
  };
  const std::vector<Case> cases{{{}, none},
                                {{{0x8100, 100}}, east},
                                {{{0x8100, 0xa000 | 101}}, east},  // with a priority
                                {{{0x88a8, 200}}, west},
                                {{{0x8100, 200}, {0x8100, 100}}, west},
                                {{{0x88a8, 300}, {0x8100, 100}}, none},
                                {{{0x8100, 300}}, none},
                                {{{0x8100, 0xe000}, {0x8100, 100}}, none}};  // a priority tag comes first
  for (const Case& one : cases) {
    const std::uint64_t before = crossed(one.bearer), all = crossed(none) + crossed(east) + crossed(west);
    send(one.vlans);
    EXPECT_EQ(crossed(one.bearer), before + 1);
    EXPECT_EQ(crossed(none) + crossed(east) + crossed(west), all + 1);
  }
}

TEST_F(Networks, AUeOfNoNetworkHasNoPartInTheFramesOfOne) {
  add(kUeOfNone, bearer_at(8'000'000));
  send({{0x8100, 100}});
  EXPECT_EQ(passed(PassReason::unknown_bearer), 1u);
}

TEST_F(Networks, WithoutAMapAllFramesOfAnAddressAreOfOneBearer) {
  EXPECT_EQ(command(SetNetworks{nullptr}).networks, &kVlans);
  const Bearer& one = add(kUeOfNone, bearer_at(8'000'000));
  for (const std::uint16_t id : {100, 200, 300}) send({{0x8100, id}});
  EXPECT_EQ(crossed(one), 3u);
}

TEST_F(Networks, AnAddressOfAnIpv6UeIsPreferredToThePrefixInTheSameNetworkOnly) {
  const Bearer& wide = add(ue_ipv6_64(0x20010db800450000, kEast), bearer_at(8'000'000));
  const Bearer& narrow = add(ue_ipv6_128(0x20010db800450000, 2, kWest), bearer_at(8'000'000));
  const auto send6 = [&](std::uint16_t id) {
    io.offer(Side::core, {.vlans = {{0x8100, id}}, .dst = Ip("2001:db8:45::2")});
    run_until(clock.now() + Duration{20'000'000});
  };
  send6(100);
  EXPECT_EQ(crossed(wide), 1u);
  send6(200);
  EXPECT_EQ(crossed(narrow), 1u);
  EXPECT_EQ(crossed(wide), 1u);
}

TEST_F(Networks, ARuleLearnsInItsNetworkAndOneWithoutOutsideOfAll) {
  const Prefix prefix = *parse_prefix("10.45.0.0/16");
  const LearnRules rules{{.prefix = prefix, .cls = 0, .network = kWest}, {.prefix = prefix, .cls = 0}};
  command(SetLearnRules{&rules});
  for (int i = 0; i < 3; ++i) {
    bearers.push_back(prepare_bearer(bearer_at(8'000'000)));
    command(PoolBearer{bearers.back().get()});
  }
  for (const std::uint16_t id : {100, 200, 300}) {
    io.offer(Side::radio, {.vlans = {{0x8100, id}}, .src = Ip(kSharedAddress)});
    worker->poll_once();
  }
  const BearerIndex& index = worker->table().index();
  EXPECT_EQ(index.find(kEastUe), nullptr);
  EXPECT_NE(index.find(kWestUe), nullptr);
  EXPECT_NE(index.find(kUeOfNone), nullptr) << "VLAN 300 is of no network";
  EXPECT_EQ(passed(PassReason::unknown_bearer), 1u);
  command(SetLearnRules{nullptr});
}

TEST_F(Networks, TheSameConnectionInTwoNetworksIsTwo) {
  add(kEastUe, split_bearer());
  add(kWestUe, split_bearer());
  split({{0x8100, 100}});
  split({{0x8100, 200}});
  EXPECT_EQ(at_risk(), 4000u);
  for (const PreparedBearer& bearer : bearers) {
    EXPECT_EQ(bearer->proxy->flows().size(), 1u);
    EXPECT_EQ(bearer->proxy->split(), 1u);
  }
  // A segment of before the first, as from a server that knows nothing of the other.
  say(Side::core, {{0x8100, 200}}, TcpView::kRst, 3001, 0);
  EXPECT_EQ(bearers[0]->proxy->split(), 1u);
  EXPECT_EQ(bearers[1]->proxy->split(), 0u);
  EXPECT_EQ(at_risk(), 2000u);
}

TEST_F(Networks, WhatAProxyMakesLeavesByTheVlanOfItsBearer) {
  add(kEastUe, split_bearer());
  add(kWestUe, split_bearer());
  split({{0x8100, 100}});
  split({{0x8100, 200}});
  std::size_t made = 0;
  for (const MemoryIo::Sent& sent : io.sent) {
    const auto tag = VlanView::at(Bytes(sent.bytes).subspan(EthernetView::kSize));
    ASSERT_TRUE(tag.has_value());
    EXPECT_TRUE(tag->id() == 100 || tag->id() == 200);
    made += tag->id() == 200 ? 1 : 0;
  }
  EXPECT_EQ(2 * made, io.sent.size());
}

TEST_F(Networks, ConnectionsOfAVlanThatBecomesAnotherNetworksEndAtBothEndsAndOthersGoOn) {
  add(kEastUe, split_bearer());
  add(kWestUe, split_bearer());
  split({{0x8100, 100}});
  split({{0x8100, 200}});
  const NetworkMap next = map_with({{101, kEast}, {200, kWest}});
  EXPECT_EQ(command(SetNetworks{&next}).networks, &kVlans);
  EXPECT_EQ(resets(), 1u);
  EXPECT_EQ(bearers[0]->proxy->split(), 0u);
  EXPECT_EQ(bearers[1]->proxy->split(), 1u);
  command(SetNetworks{&next});
  EXPECT_EQ(resets(), 1u);
  command(SetNetworks{&kVlans});
}

TEST_F(Networks, AVlanThatBecomesANetworksEndsTheConnectionsThatItHadOutsideOfAll) {
  add(kUeOfNone, split_bearer());
  split({{0x8100, 300}});
  const NetworkMap next = map_with({{300, kEast}});
  command(SetNetworks{&next});
  EXPECT_EQ(resets(), 1u);
  command(SetNetworks{&kVlans});
}

TEST_F(Networks, ABearerInsideAPrefixTakesTheConnectionsOfItsNetworkOnly) {
  constexpr std::uint64_t kPrefix = 0x20010db800450000;
  const Bearer& wide = add(ue_ipv6_64(kPrefix, kEast), split_bearer());
  const Ip ue(kPrefix, 2), server("2001:db8::1");
  io.offer(Side::radio, {.vlans = {{0x8100, 100}},
                         .src = ue,
                         .dst = server,
                         .sport = 40'000,
                         .dport = 80,
                         .tcp_flags = TcpView::kSyn,
                         .payload = 0});
  worker->poll_once();
  ASSERT_EQ(wide.proxy->flows().size(), 1u);
  add(ue_ipv6_128(kPrefix, 2, kWest), split_bearer());
  add(ue_ipv6_128(kPrefix, 2), split_bearer());
  EXPECT_EQ(wide.proxy->flows().size(), 1u);
  add(ue_ipv6_128(kPrefix, 2, kEast), split_bearer());
  EXPECT_EQ(wide.proxy->flows().size(), 0u);
}

TEST_F(Networks, ATooBigMessageReachesTheBearerOfItsNetwork) {
  add(kEastUe, split_bearer());
  add(kWestUe, split_bearer());
  split({{0x8100, 100}});
  split({{0x8100, 200}});
  const Buffer lost = frame({.src = Ip("192.0.2.1"),
                             .dst = Ip(kSharedAddress),
                             .sport = 80,
                             .dport = 40'000,
                             .seq = 1001,
                             .payload = 1000});
  Buffer error = too_big(Ip("10.99.0.1"), lost, 400);  // below the MSS of who does not say any, 536
  const Buffer tag = bytes({0x81, 0x00, 0x00, 200});
  error.insert(error.begin() + 12, tag.begin(), tag.end());
  const std::size_t before = io.sent.size();
  io.offer(Side::radio, TestFrame(error, Side::radio));
  run_until(clock.now() + Duration{2'000'000});
  std::size_t again = 0;
  for (std::size_t i = before; i < io.sent.size(); ++i) {
    if (io.sent[i].side != Side::radio) continue;
    EXPECT_EQ(VlanView::at(Bytes(io.sent[i].bytes).subspan(EthernetView::kSize))->id(), 200);
    ++again;
  }
  EXPECT_GT(again, 0u) << "smaller pieces";
}

TEST(NetworksOfSeveralWorkers, AnAddressIsOneWorkersInAllNetworks) {
  for (const std::uint16_t id : {100, 200}) {
    Box box(2);
    for (unsigned w = 0; w < 2; ++w) box.command(w, SetNetworks{&kVlans});
    const unsigned home = box.owner(1);
    for (const UeAddress& ue : {kEastUe, kWestUe}) {
      box.bearers.push_back(prepare_bearer(bearer_at(8'000'000)));
      box.bearers.back()->ue = ue;
      box.command(home, AddBearer{box.bearers.back().get()});
    }
    for (int i = 0; i < 3; ++i) box.io.offer(Side::core, FrameSpec{.vlans = {{0x8100, id}}});
    box.run(Duration{20'000'000});
    EXPECT_EQ(box.bearers[0]->downlink.buffer().delivered_sdus(), id == 100 ? 3u : 0u);
    EXPECT_EQ(box.bearers[1]->downlink.buffer().delivered_sdus(), id == 100 ? 0u : 3u);
    // One of the two visits the other worker.
    box.command(home, LendBearer{box.bearers[0].get(), 1 - home});
    box.run(Duration{100'000'000});
    for (int i = 0; i < 3; ++i) box.io.offer(Side::core, FrameSpec{.vlans = {{0x8100, id}}});
    box.run(Duration{20'000'000});
    EXPECT_EQ(box.bearers[0]->downlink.buffer().delivered_sdus(), id == 100 ? 6u : 0u);
    EXPECT_EQ(box.bearers[1]->downlink.buffer().delivered_sdus(), id == 100 ? 0u : 6u);
  }
}

}  // namespace
}  // namespace dp::test
