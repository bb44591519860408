#include "dataplane/bearer/dedicated.h"

#include <array>
#include <map>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "dataplane/bearer/index.h"
#include "dataplane/packet/parse.h"
#include "dataplane/packet/parse_tunnel.h"
#include "dataplane/worker/prepare.h"
#include "tests/support/tunnels.h"

namespace dp::test {
namespace {

constexpr UeAddress kUeOfTest = ue_ipv4(0x0a2d0002);

// A UE's bearers in an index of their own.
class DedicatedTest : public ::testing::Test {
 protected:
  Bearer& add(const UeAddress& name) {
    prepared_.push_back(prepare_bearer(BearerSettings{}));
    Bearer& bearer = *prepared_.back();
    bearer.ue = name;
    if (name.dedicated == Dedicated::by_teid) bearer.expect_downlink(0x11);
    index_.insert(bearer);
    return bearer;
  }
  Bearer* of(Direction direction, const Buffer& bytes) {
    TestFrame frame(bytes, direction == Direction::downlink ? Side::core : Side::radio);
    const GtpUSettings settings = tunnels_of_tests();
    parse_any(frame.sdu(), &settings);
    return index_.find(ue_address(frame.sdu(), direction),
                       [&](Bearer& first) { return dedicated::of(first, frame.sdu(), direction); });
  }
  Bearer* downlink(TunnelSpec tunnel) { return of(Direction::downlink, tunnelled(tunnel, kDown)); }
  Bearer* uplink(TunnelSpec tunnel) { return of(Direction::uplink, tunnelled(tunnel, kUp)); }

  static inline const FrameSpec kDown{.src = "198.51.100.7", .dst = "10.45.0.2"};
  static inline const FrameSpec kUp{.src = "10.45.0.2", .dst = "198.51.100.7"};
  std::vector<PreparedBearer> prepared_;
  BearerIndex index_{64, 1};
};

TEST_F(DedicatedTest, APacketGoesToTheBearerOfItsQfiElseToTheDefaultBearer) {
  Bearer& voice = add(dedicated_by_qfi(kUeOfTest, 1));
  Bearer& internet = add(kUeOfTest);
  Bearer& video = add(dedicated_by_qfi(kUeOfTest, 2));
  EXPECT_EQ(downlink({.teid = 7, .qfi = 1}), &voice);
  EXPECT_EQ(uplink({.teid = 9, .qfi = 1, .pdu_type = 1}), &voice);
  EXPECT_EQ(downlink({.teid = 7, .qfi = 2}), &video);
  EXPECT_EQ(downlink({.teid = 7, .qfi = 3}), &internet);
  EXPECT_EQ(downlink({.teid = 7}), &internet);
  EXPECT_EQ(of(Direction::downlink, frame(kDown)), &internet);
  EXPECT_EQ(of(Direction::uplink, frame(kUp)), &internet);
}

TEST_F(DedicatedTest, APacketGoesToTheBearerOfItsTeid) {
  Bearer& internet = add(kUeOfTest);
  Bearer& video = add(dedicated_by_teid(kUeOfTest, 0x21));
  EXPECT_EQ(downlink({.teid = 0x11}), &video);
  EXPECT_EQ(uplink({.teid = 0x21}), &video);
  EXPECT_EQ(downlink({.teid = 0x21}), &internet);
  EXPECT_EQ(uplink({.teid = 0x11}), &internet);
  EXPECT_EQ(downlink({.teid = 0}), &internet);
  // A told tunnel has another TEID; packets of the tunnel before it come too.
  video.change_tunnel(Direction::downlink, {0, 1, 0x11, false}, GtpUChain::kNoQfi, kAnyGateway, Time{});
  video.change_tunnel(Direction::downlink, {0, 1, 0x12, false}, GtpUChain::kNoQfi, kAnyGateway, Time{});
  EXPECT_EQ(downlink({.teid = 0x12}), &video);
  EXPECT_EQ(downlink({.teid = 0x11}), &video);
  EXPECT_EQ(downlink({.teid = 0x13}), &internet);
}

TEST_F(DedicatedTest, ABearerWithoutAKnownDownlinkTeidHasUplinkPacketsAlone) {
  Bearer& internet = add(kUeOfTest);
  prepared_.push_back(prepare_bearer(BearerSettings{}));
  Bearer& video = *prepared_.back();
  video.ue = dedicated_by_teid(kUeOfTest, 0x21);
  video.expect_downlink(0);
  index_.insert(video);
  EXPECT_EQ(uplink({.teid = 0x21}), &video);
  EXPECT_EQ(downlink({.teid = 0}), &internet);
  EXPECT_EQ(downlink({.teid = 0x21}), &internet);
}

TEST_F(DedicatedTest, WithoutADefaultBearerOtherPacketsHaveNone) {
  Bearer& voice = add(dedicated_by_qfi(kUeOfTest, 1));
  EXPECT_EQ(downlink({.teid = 7, .qfi = 1}), &voice);
  EXPECT_EQ(downlink({.teid = 7, .qfi = 2}), nullptr);
  EXPECT_EQ(of(Direction::downlink, frame(kDown)), nullptr);
  index_.erase(voice.ue);
  EXPECT_EQ(downlink({.teid = 7, .qfi = 1}), nullptr);
}

// Against std::map: bearers of few UEs of all kinds come and go in any order.
class DedicatedIndex : public ::testing::TestWithParam<unsigned> {
 protected:
  static constexpr std::size_t kBearers = 300;
  DedicatedIndex() : index(kBearers, GetParam()), rng(GetParam()) {
    for (std::size_t i = 0; i < kBearers; ++i) {
      owned.push_back(prepare_bearer(BearerSettings{}));
      pool.push_back(&*owned.back());
    }
  }
  UeAddress random_name() {
    const std::uint64_t n = rng() % 20;
    const auto network = static_cast<NetworkId>(rng() % 2);
    const UeAddress ue = std::array{ue_ipv4(static_cast<std::uint32_t>(n), network), ue_ipv6_64(n, network),
                                    ue_ipv6_128(n % 3, n, network)}[rng() % 3];
    const auto id = static_cast<std::uint32_t>(rng() % 4);
    return std::array{ue, dedicated_by_qfi(ue, id), dedicated_by_teid(ue, id)}[rng() % 3];
  }
  void add(const UeAddress& name) {
    Bearer* const bearer = pool.back();
    pool.pop_back();
    bearer->ue = name;
    bearer->next = nullptr;
    index.insert(*bearer);
    if (name.dedicated == Dedicated::no) bearer->next = &*owned.front();  // another list's
    model.emplace(name, bearer);
  }
  void remove(const UeAddress& name) {
    index.erase(name);
    pool.push_back(model.at(name));
    model.erase(name);
  }
  std::set<Bearer*> bearers_of(const UeAddress& ue) const {
    std::set<Bearer*> all;
    for (const auto& [one, bearer] : model) {
      if (same_ue(one, ue)) all.insert(bearer);
    }
    return all;
  }

  BearerIndex index;
  std::mt19937_64 rng;
  std::vector<PreparedBearer> owned;
  std::vector<Bearer*> pool;
  std::map<UeAddress, Bearer*> model;
};

TEST_P(DedicatedIndex, AgreesWithAMapOverRandomChanges) {
  for (int step = 0; step < 20'000; ++step) {
    const UeAddress name = random_name();
    if (model.contains(name)) {
      remove(name);
    } else if (!pool.empty() && rng() % 2 == 0) {
      add(name);
    }
    const UeAddress probe = random_name();
    const auto expected = model.find(probe);
    ASSERT_EQ(index.find(probe), expected == model.end() ? nullptr : expected->second);
    const std::set<Bearer*> of_ue = bearers_of(probe);
    std::set<Bearer*> found;
    index.for_each_of(probe, [&](Bearer& bearer) { found.insert(&bearer); });
    ASSERT_EQ(found, of_ue) << step;
    // An address of a /64 may be a /128's too, and a /128 without bearers is its /64's.
    if (probe.kind == UeKind::ipv6_64 || of_ue.empty()) continue;
    const IpAddress address{probe.kind != UeKind::ipv4, probe.hi, probe.lo, probe.network};
    const bool only = of_ue.size() == 1 && (*of_ue.begin())->ue.dedicated == Dedicated::no;
    ASSERT_EQ(index.find(index.prefetch(address), [&] { return address; }), only ? *of_ue.begin() : nullptr);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, DedicatedIndex, ::testing::Range(1u, 6u));

}  // namespace
}  // namespace dp::test
