// Frames that create a bearer for a UE that has none, the fate of those that do not, and the removal of a
// learnt bearer.
#include "dataplane/worker/worker.h"
#include "tests/support/worker_bench.h"

namespace dp::test {
namespace {

constexpr UeAddress kNewUe = ue_ipv4(0x0a2d0002);
const FrameSpec kToNewUe{.dst = Ip("10.45.0.2"), .payload = 1460};
const FrameSpec kFromNewUe{.src = Ip("10.45.0.2"), .dst = Ip("192.0.2.1"), .payload = 12};

class LearningTest : public WorkerBench {
 protected:
  void fill_pool(int bearers_wanted, const BearerSettings& settings = bearer_at(8'000'000)) {
    for (int i = 0; i < bearers_wanted; ++i) {
      bearers.push_back(prepare_bearer(settings));
      command(PoolBearer{bearers.back().get()});
    }
  }
  void use(LearnRule rule) {
    rules = {rule};
    command(SetLearnRules{&rules});
  }
  void poll_with(Side side, const FrameSpec& spec) {
    io.offer(side, spec);
    worker->poll_once();
  }
  Bearer* learnt() { return worker->table().index().find(kNewUe); }
  // The removal that control requests, after it has looked at the bearer at `seen`.
  CommandStatus remove(Bearer& bearer, std::optional<Time> seen, LearnFrom from = LearnFrom::uplink) {
    return command(RemoveSilent{&bearer, seen.value_or(Time{}), from}).status;
  }

  const Prefix prefix = *parse_prefix("10.45.0.0/16");
  LearnRules rules;
};

TEST_F(LearningTest, AUeGetsAPreparedBearerWithItsFirstPacket) {
  use({prefix, 0});
  fill_pool(1);
  io.offer(Side::radio, kFromNewUe);
  io.offer(Side::radio, {.src = Ip("10.46.0.1")});  // outside
  run_until(clock.now() + Duration{5'000'000});
  Learnt message;
  ASSERT_TRUE(shared->mailbox.learnt.pop(message));
  EXPECT_EQ(message.bearer->ue, kNewUe);
  EXPECT_EQ(message.bearer->uplink.buffer().delivered_sdus(), 1u);
  EXPECT_EQ(passed(PassReason::unknown_bearer), 1u);
  EXPECT_EQ(command(SetLearnRules{nullptr}).rules, &rules);
}

TEST_F(LearningTest, WhatIsSentToAUeTeachesNothing) {
  use({prefix, 0});
  fill_pool(1);
  poll_with(Side::core, kToNewUe);
  EXPECT_EQ(worker->table().size(), 0u);
  EXPECT_EQ(passed(PassReason::unknown_bearer), 1u);
  command(SetUnknown{Unknown::drop});
  poll_with(Side::core, kToNewUe);
  EXPECT_EQ(dropped(DropReason::unknown_bearer), 1u);
  poll_with(Side::radio, kFromNewUe);
  ASSERT_NE(learnt(), nullptr);
  poll_with(Side::core, kToNewUe);
  EXPECT_EQ(dropped(DropReason::unknown_bearer), 1u) << "from then on it has a bearer";
}

TEST_F(LearningTest, ARuleMayLearnFromBothDirections) {
  use({prefix, 0, LearnFrom::both});
  fill_pool(1);
  poll_with(Side::core, kToNewUe);
  EXPECT_NE(learnt(), nullptr);
}

// Under `unknown: drop` nothing passes without a rate.
TEST_F(LearningTest, UesBeyondTheLimitOrThePoolAreTreatedAsUnknownOnes) {
  use({prefix, 0});
  poll_with(Side::radio, kFromNewUe);
  EXPECT_EQ(passed(PassReason::stock_empty), 1u);
  use({prefix, 0, LearnFrom::uplink, true});
  fill_pool(1);
  poll_with(Side::radio, kFromNewUe);
  EXPECT_EQ(passed(PassReason::learn_limit), 1u);
  EXPECT_EQ(io.sent.size(), 2u);

  command(SetUnknown{Unknown::drop});
  poll_with(Side::radio, kFromNewUe);
  EXPECT_EQ(dropped(DropReason::learn_limit), 1u);
  use({*parse_prefix("10.45.0.0/24"), 5});
  poll_with(Side::radio, kFromNewUe);
  EXPECT_EQ(dropped(DropReason::stock_empty), 1u);
  EXPECT_EQ(io.sent.size(), 2u);
}

TEST_F(LearningTest, AFullRuleDoesNotLeaveItsUesToAWiderOne) {
  rules = {{*parse_prefix("10.45.0.0/24"), 0, LearnFrom::uplink, true}, {prefix, 0}};
  command(SetLearnRules{&rules});
  fill_pool(1);
  poll_with(Side::radio, kFromNewUe);
  EXPECT_EQ(worker->table().size(), 0u);
}

TEST_F(LearningTest, AllFramesOfABurstToANewUeShareTheOneBearerLearntForIt) {
  rules = {{prefix, 0, LearnFrom::both}, {*parse_prefix("2001:db8::/32"), 0, LearnFrom::both}};
  command(SetLearnRules{&rules});
  fill_pool(20);
  for (std::uint32_t i = 0; i < 5; ++i) {
    io.offer(Side::core, {.dst = Ip("10.45.0.2"), .ident = i, .payload = 1460});
    io.offer(Side::radio, {.src = Ip("10.45.0.3"), .dst = Ip("192.0.2.1")});
    io.offer(Side::core, {.dst = Ip(0x20010db800000000, i)});  // one /64
  }
  worker->poll_once();
  EXPECT_EQ(worker->table().size(), 3u);
  EXPECT_EQ(worker->table().pooled(), 17u);
  const Time start = clock.now();
  run_until(start + Duration{20'000'000});
  std::uint16_t expected = 0;
  for (const auto& sent : io.sent) {
    if (sent.side != Side::radio || sent.bytes.size() != 1514) continue;
    EXPECT_EQ(load16(sent.bytes.data() + 18), expected++);
    EXPECT_EQ(sent.at, start + Duration{1'500'000 * expected});
  }
  EXPECT_EQ(expected, 5u);
}

TEST_F(LearningTest, RoutingProtocolsAreNeverLearnt) {
  use({prefix, 0, LearnFrom::both});
  fill_pool(1);
  for (Side side : kSides) {
    poll_with(side, {.src = Ip("10.45.0.1"), .dst = Ip("10.45.0.1"), .protocol = 17, .dport = 3784});
  }
  EXPECT_EQ(worker->table().size(), 0u);
  EXPECT_EQ(passed(PassReason::routing), 2u);
}

TEST_F(LearningTest, AddressesThatNoUeCanHaveAreNotLearnt) {
  rules = {{*parse_prefix("0.0.0.0/0"), 0, LearnFrom::both}, {*parse_prefix("::/0"), 0, LearnFrom::both}};
  command(SetLearnRules{&rules});
  fill_pool(1);
  constexpr std::array kNobodys{
      "0.0.0.0", "0.1.2.3",          "127.0.0.1",   "169.254.1.1", "240.0.0.1",      "::",
      "::1",     "::ffff:10.45.0.2", "::10.45.0.2", "fe80::1",     "255.255.255.255"};
  for (const char* address : kNobodys) poll_with(Side::radio, {.src = Ip(address)});
  for (const char* address : kNobodys) poll_with(Side::core, {.dst = Ip(address)});
  for (const char* group : {"224.0.0.9", "239.1.2.3", "ff02::1", "ff0e::1"}) {
    poll_with(Side::radio, {.src = Ip(group)});
    poll_with(Side::core, {.dst = Ip(group)});
  }
  EXPECT_EQ(worker->table().size(), 0u);
  poll_with(Side::radio, {.src = Ip("10.45.0.2")});
  EXPECT_EQ(worker->table().size(), 1u);
}

TEST_F(LearningTest, ABearerIsAnsweredWhenItsUeSpeaksAfterItWasSpokenTo) {
  use({prefix, 0});
  fill_pool(1);
  poll_with(Side::radio, kFromNewUe);
  poll_with(Side::radio, kFromNewUe);
  EXPECT_FALSE(learnt()->answered()) << "whoever makes addresses up can do that";
  poll_with(Side::core, kToNewUe);
  EXPECT_FALSE(learnt()->answered());
  poll_with(Side::radio, kFromNewUe);
  EXPECT_TRUE(learnt()->answered());
}

TEST_F(LearningTest, ItIsKnownWhenAUeWasLastHeardOf) {
  Bearer& bearer = add(kNewUe, bearer_at(8'000'000));
  EXPECT_FALSE(bearer.heard(LearnFrom::both, clock.now()));
  const auto step = [](Time t) { return t - t.time_since_epoch() % LastSeen::kStep; };
  const Time start = clock.now();
  poll_with(Side::radio, kFromNewUe);
  clock.advance(LastSeen::kStep);
  poll_with(Side::core, kToNewUe);
  EXPECT_EQ(bearer.heard(LearnFrom::uplink, clock.now()), step(start));
  EXPECT_EQ(bearer.heard(LearnFrom::both, clock.now()), step(start) + LastSeen::kStep);
  clock.advance(LastSeen::kStep);
  command(SetMode{Mode::tap});
  poll_with(Side::radio, kFromNewUe);
  EXPECT_EQ(bearer.heard(LearnFrom::uplink, clock.now()), step(start) + 2 * LastSeen::kStep);
}

TEST_F(LearningTest, ASilentBearerGoesUnlessAPacketComesFirst) {
  Bearer& bearer = add(kNewUe, bearer_at(8'000'000));
  poll_with(Side::radio, kFromNewUe);
  const auto seen = bearer.heard(LearnFrom::uplink, clock.now());
  clock.advance(LastSeen::kStep);
  poll_with(Side::radio, kFromNewUe);
  EXPECT_EQ(remove(bearer, seen), CommandStatus::in_use);
  EXPECT_EQ(learnt(), &bearer);
  EXPECT_EQ(remove(bearer, bearer.heard(LearnFrom::uplink, clock.now())), CommandStatus::done);
  EXPECT_EQ(learnt(), nullptr);
}

TEST_F(LearningTest, WhatIsSentToAUeKeepsItsBearerOnlyWhereThatTeaches) {
  Bearer& bearer = add(kNewUe, bearer_at(8'000'000));
  poll_with(Side::radio, kFromNewUe);
  const auto seen = bearer.heard(LearnFrom::both, clock.now());
  clock.advance(LastSeen::kStep);
  poll_with(Side::core, kToNewUe);
  run_until(clock.now() + Duration{10'000'000});
  EXPECT_EQ(remove(bearer, seen, LearnFrom::both), CommandStatus::in_use);
  EXPECT_EQ(remove(bearer, seen, LearnFrom::uplink), CommandStatus::done);
}

TEST_F(LearningTest, ABearerThatHoldsFramesStays) {
  Bearer& bearer = add(kNewUe, bearer_at(64'000));
  for (int i = 0; i < 3; ++i) io.offer(Side::core, kToNewUe);
  worker->poll_once();
  EXPECT_EQ(remove(bearer, clock.now()), CommandStatus::in_use);
  run_until(clock.now() + Duration{1'000'000'000});
  EXPECT_EQ(io.sent.size(), 3u);
  EXPECT_EQ(remove(bearer, clock.now()), CommandStatus::done);
}

}  // namespace
}  // namespace dp::test
