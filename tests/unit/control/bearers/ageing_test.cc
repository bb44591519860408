// Ageing against a worker that the test plays, at times that the test says.
#include "control/bearers/ageing.h"

#include <deque>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "dataplane/bearer/bearer.h"
#include "tests/support/shaped.h"

namespace control {
namespace {

using dp::Direction;
using dp::LearnFrom;
using dp::test::ue;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::uint32_t kCapacity = 1000;

class AgeingTest : public ::testing::Test {
 protected:
  AgeingTest() { learn_by({*dp::parse_prefix("10.45.0.0/16"), 0, 10}); }

  void learn_by(const config::Learn& rule) {
    pool.configure({rule}, {dp::BearerSettings{}}, registry);
    serve();
    pool.refill();
    serve();
  }
  // Plays the worker until no command is left.
  void serve() {
    for (sender.poll(); !sender.idle(); sender.poll()) {
      for (dp::Command command; mailbox->commands.pop(command);) answer(command);
    }
  }
  void answer(const dp::Command& command) {
    dp::Answer reply{.sequence = command.sequence};
    if (const auto* pooled_one = std::get_if<dp::PoolBearer>(&command.body)) {
      pooled.push_back(pooled_one->bearer);
    } else if (const auto* removal = std::get_if<dp::RemoveSilent>(&command.body)) {
      const auto heard = removal->bearer->heard(removal->from, now);
      reply.bearer = removal->bearer;
      if (heard && *heard > removal->since) reply.status = dp::CommandStatus::in_use;
    }
    ASSERT_TRUE(mailbox->answers.push(reply));
  }

  // UE `n` speaks for the first time.
  dp::Bearer& learn(std::uint32_t n, Direction direction = Direction::uplink) {
    dp::Bearer& bearer = *pooled.front();
    pooled.pop_front();
    bearer.ue = ue(n);
    bearer.saw(direction, now);
    EXPECT_TRUE(mailbox->learnt.push({&bearer}));
    serve();
    pool.refill();
    serve();
    return bearer;
  }
  // One that has shown that there is a UE.
  dp::Bearer& learn_answered(std::uint32_t n) {
    dp::Bearer& bearer = learn(n);
    bearer.saw(Direction::downlink, now);
    bearer.saw(Direction::uplink, now);
    return bearer;
  }
  // Time passes; a whole round of looks at its end.
  void pass(dp::Duration time) {
    now += time;
    while (ageing.due(now, mode)) {
      bool done = false;
      ageing.run(now, [&] { done = true; });
      serve();
      ASSERT_TRUE(done);
    }
  }
  bool there(std::uint32_t n) const { return registry.find(ue(n)) != nullptr; }
  std::uint64_t aged(AgedFor why) const { return ageing.counts()[dp::index(why)]; }

  std::unique_ptr<dp::Mailbox> mailbox = std::make_unique<dp::Mailbox>();
  BearerRegistry registry;
  BearerSlab slab;
  CommandSender sender{{mailbox.get()}, [this](dp::Bearer& bearer) {
                         registry.insert(bearer.ue, {pool.taken(bearer), Origin::learnt, &bearer});
                       }};
  BearerPool pool{sender, slab};
  Ageing ageing{registry, slab, sender, pool, kCapacity};
  std::deque<dp::Bearer*> pooled;
  dp::Time now = dp::time_ns(1'000'000'000);
  dp::Mode mode = dp::Mode::inline_;
};

TEST_F(AgeingTest, ABearerGoesWhenItsUeWasSilentForTheRulesTime) {
  learn_answered(1);
  dp::Bearer& talks = learn_answered(2);
  pass(minutes(59));
  EXPECT_TRUE(there(1));
  talks.saw(Direction::uplink, now);
  pass(minutes(2));
  EXPECT_FALSE(there(1));
  EXPECT_TRUE(there(2));
  EXPECT_EQ(aged(AgedFor::idle), 1u);
  EXPECT_EQ(slab.live(), 1 + pooled.size()) << "its memory came back";
}

// RFC 4787 section 4.3 gives a NAT's mapping the same rule, for the same reason.
TEST_F(AgeingTest, WhatStrangersSendToAUeDoesNotKeepItsBearer) {
  dp::Bearer& bearer = learn_answered(1);
  pass(minutes(50));
  bearer.saw(Direction::downlink, now);
  pass(minutes(11));
  EXPECT_FALSE(there(1));
}

TEST_F(AgeingTest, WithLearningFromBothDirectionsItDoes) {
  learn_by({*dp::parse_prefix("10.45.0.0/16"), 0, 10, LearnFrom::both});
  dp::Bearer& bearer = learn_answered(1);
  pass(minutes(50));
  bearer.saw(Direction::downlink, now);
  pass(minutes(11));
  EXPECT_TRUE(there(1));
  pass(hours(1));
  EXPECT_FALSE(there(1));
}

TEST_F(AgeingTest, WithIdleOffABearerThatWasAnsweredStays) {
  learn_by({*dp::parse_prefix("10.45.0.0/16"), 0, 10, LearnFrom::uplink, dp::Duration{0}});
  learn_answered(1);
  learn(2);
  pass(hours(10'000));
  EXPECT_TRUE(there(1));
  EXPECT_FALSE(there(2)) << "nobody showed to be there";
}

TEST_F(AgeingTest, ABearerNeverAnsweredGoesAfterHalfAMinuteWithoutAnyPacket) {
  dp::Bearer& listens = learn(1);
  learn(2);
  pass(seconds(29));
  EXPECT_TRUE(there(2));
  listens.saw(Direction::downlink, now);
  pass(seconds(2));
  EXPECT_TRUE(there(1)) << "a stream that its UE only listens to";
  EXPECT_FALSE(there(2));
  EXPECT_EQ(aged(AgedFor::unanswered), 1u);
}

TEST_F(AgeingTest, AtTheLimitThoseNeverAnsweredMakeRoomAndThoseThatTalkStay) {
  for (std::uint32_t n = 0; n < 4; ++n) learn_answered(n);
  for (std::uint32_t n = 4; n < 10; ++n) learn(n);
  ASSERT_EQ(pool.full_rules({}).size(), 1u);
  EXPECT_TRUE(pooled.empty());
  now += milliseconds(500);
  pass(milliseconds(0));
  EXPECT_TRUE(there(9)) << "it may be answered yet";
  pass(milliseconds(1001));
  for (std::uint32_t n = 0; n < 4; ++n) EXPECT_TRUE(there(n)) << n;
  for (std::uint32_t n = 4; n < 10; ++n) EXPECT_FALSE(there(n)) << n;
  EXPECT_EQ(aged(AgedFor::displaced), 6u);
  EXPECT_TRUE(pool.full_rules({}).empty());
  pool.refill();
  serve();
  learn_answered(20);
  EXPECT_TRUE(there(20));
}

TEST_F(AgeingTest, BelowTheLimitTheyStayTheirHalfMinute) {
  for (std::uint32_t n = 0; n < 9; ++n) learn(n);
  pass(seconds(5));
  for (std::uint32_t n = 0; n < 9; ++n) EXPECT_TRUE(there(n)) << n;
}

TEST_F(AgeingTest, AFullTableIsALimitToo) {
  for (std::uint32_t n = 0; n < kCapacity - 1; ++n) {
    dp::Bearer& bearer = slab.make({});
    bearer.ue = dp::ue_ipv4(n);
    registry.insert(bearer.ue, {dp::BearerSettings{}, Origin::file, &bearer});
  }
  learn(1);
  pass(seconds(2));
  EXPECT_FALSE(there(1));
  EXPECT_EQ(registry.size(), kCapacity - 1);
}

TEST_F(AgeingTest, OnlyLearntBearersAge) {
  dp::Bearer& bearer = slab.make({});
  bearer.ue = ue(1);
  registry.insert(ue(1), {dp::BearerSettings{}, Origin::socket, &bearer});
  learn(2);
  pass(hours(100));
  EXPECT_TRUE(there(1));
}

TEST_F(AgeingTest, APacketThatComesMeanwhileKeepsTheBearer) {
  dp::Bearer& bearer = learn_answered(1);
  now += hours(2);
  ASSERT_TRUE(ageing.due(now, mode));
  ageing.run(now, [] {});
  bearer.saw(Direction::uplink, now);
  serve();
  EXPECT_TRUE(there(1));
  EXPECT_EQ(ageing.counts(), AgedCounts{});
}

TEST_F(AgeingTest, AUeLearntAgainBeforeTheAnswerKeepsItsNewBearer) {
  dp::Bearer& first = learn_answered(1);
  now += hours(2);
  ageing.run(now, [] {});
  dp::Command command;
  ASSERT_TRUE(mailbox->commands.pop(command));
  answer(command);
  dp::Bearer& second = *pooled.front();
  pooled.pop_front();
  second.ue = ue(1);
  second.saw(Direction::uplink, now);
  ASSERT_TRUE(mailbox->learnt.push({&second}));
  serve();
  ASSERT_TRUE(there(1));
  EXPECT_EQ(registry.find(ue(1))->bearer, &second);
  EXPECT_NE(registry.find(ue(1))->bearer, &first);
  EXPECT_EQ(registry.count(Origin::learnt), 1u);
}

// In both modes frames are not looked at, so that every UE seems silent.
TEST_F(AgeingTest, InBypassAndBlockNobodyAges) {
  for (const dp::Mode deaf : {dp::Mode::bypass, dp::Mode::block}) {
    learn_answered(dp::index(deaf));
    mode = deaf;
    pass(hours(10));
    mode = dp::Mode::inline_;
    pass(minutes(59));
    EXPECT_TRUE(there(dp::index(deaf)));
    pass(minutes(2));
    EXPECT_FALSE(there(dp::index(deaf)));
  }
}

TEST_F(AgeingTest, ATurnIsBoundedHoweverManyBearersThereAre) {
  learn_by({*dp::parse_prefix("10.45.0.0/16"), 0, 10'000});
  for (std::uint32_t n = 0; n < 500; ++n) learn(n);
  now += minutes(1);
  std::size_t turns = 0;
  for (std::size_t before = registry.size(); ageing.due(now, mode); before = registry.size(), ++turns) {
    ageing.run(now, [] {});
    serve();
    EXPECT_LE(before - registry.size(), Ageing::kBatch);
  }
  EXPECT_EQ(registry.size(), 0u);
  EXPECT_GE(turns, 500 / Ageing::kBatch);
  EXPECT_FALSE(ageing.due(now, mode)) << "no learnt bearers, no turns";
}

}  // namespace
}  // namespace control
