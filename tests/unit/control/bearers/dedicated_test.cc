// Dedicated bearers in the registry, in plans, and in the applier against a worker that the test plays.
#include "control/bearers/dedicated.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "control/bearers/applier.h"
#include "control/bearers/refusal.h"
#include "dataplane/bearer/bearer.h"
#include "tests/support/shaped.h"

namespace control {
namespace {

using dp::test::shaped_at;

const dp::UeAddress kWhose = *dp::parse_ue("10.45.0.2");
const dp::UeAddress kNext = *dp::parse_ue("10.45.0.3");

dp::UeAddress by_qfi(std::uint32_t qfi) { return dp::dedicated_by_qfi(kWhose, qfi); }
dp::UeAddress by_teid(std::uint32_t teid) { return dp::dedicated_by_teid(kWhose, teid); }

// The default bearers of two UEs, and dedicated ones of the first.
BearerRegistry with_dedicated() {
  BearerRegistry registry;
  for (const dp::UeAddress& bearer :
       {kWhose, by_qfi(1), by_qfi(5), by_teid(0x21), kNext, dp::dedicated_by_qfi(kNext, 1)}) {
    registry.insert(bearer, {.settings = shaped_at(1000), .origin = Origin::socket});
  }
  registry.find(by_teid(0x21))->downlink_teid = 0x11;
  return registry;
}

Want want_of(const dp::UeAddress& bearer, std::optional<std::uint32_t> downlink_teid = {}) {
  return {bearer, shaped_at(1000), Origin::socket, nullptr, downlink_teid};
}

ToldTunnel told_to(const dp::UeAddress& bearer, std::uint32_t teid,
                   std::uint8_t qfi = dp::GtpUChain::kNoQfi) {
  return {bearer, dp::Direction::downlink, {0, 0xc0000201, teid, false}, qfi, dp::OnHandover::rewrite};
}

std::string why_refused(const Plan& plan, const BearerRegistry& registry) {
  try {
    admit_dedicated(plan, registry);
  } catch (const Refusal& refusal) {
    EXPECT_EQ(refusal.why, Refusal::Why::bad_bearer);
    return refusal.what();
  }
  return {};
}

TEST(DedicatedRegistry, TheDedicatedBearersOfAUeAreFoundByAnyOfItsBearers) {
  const BearerRegistry registry = with_dedicated();
  const std::vector<dp::UeAddress> all{by_qfi(1), by_qfi(5), by_teid(0x21)};
  for (const dp::UeAddress& bearer : {kWhose, by_qfi(5), by_teid(7)}) {
    EXPECT_EQ(dedicated_of(registry, bearer), all);
  }
  EXPECT_EQ(dedicated_of(registry, *dp::parse_ue("10.45.0.1")), std::vector<dp::UeAddress>{});
}

TEST(DedicatedRegistry, AnUnknownBearerIsAnsweredWithThoseThatTheUeHas) {
  BearerRegistry registry = with_dedicated();
  EXPECT_EQ(no_bearer(registry, by_qfi(2)),
            "no bearer 10.45.0.2 qfi 2; the dedicated bearers of 10.45.0.2 are qfi 1, qfi 5 or teid 0x21");
  EXPECT_EQ(no_bearer(registry, *dp::parse_ue("10.45.0.9")), "no bearer 10.45.0.9");
  registry.erase(kNext);
  EXPECT_EQ(no_bearer(registry, kNext), "no bearer 10.45.0.3; it has dedicated bearers alone: qfi 1");
  registry.erase(dp::dedicated_by_qfi(kNext, 1));
  EXPECT_EQ(no_bearer(registry, dp::dedicated_by_teid(kNext, 33)),
            "no bearer 10.45.0.3 teid 0x21; 10.45.0.3 has no dedicated bearer");
}

TEST(DedicatedRegistry, AUesAddressIsThereWhileAnyOfItsBearersIs) {
  BearerRegistry registry;
  registry.announce(by_qfi(1));
  EXPECT_TRUE(registry.has_address_of(kWhose));
  registry.insert(by_qfi(1), {.settings = shaped_at(1)});
  registry.insert(kWhose, {.settings = shaped_at(1)});
  registry.erase(by_qfi(1));
  EXPECT_TRUE(registry.has_address_of(by_qfi(1)));
  registry.insert(by_teid(9), {.settings = shaped_at(1)});
  registry.erase(kWhose);
  EXPECT_TRUE(registry.has_address_of(kWhose));
  registry.erase(by_teid(9));
  EXPECT_FALSE(registry.has_address_of(kWhose));
}

TEST(DedicatedPlan, ATunnelOfADefaultBearerIsToldToTheUesBearersByQfiWithTheirOwnQfi) {
  Wish wish;
  wish.set = {want_of(by_qfi(3)), want_of(by_qfi(1))};
  wish.remove = {by_qfi(5)};
  wish.tunnels = {told_to(kWhose, 7, 9), told_to(by_teid(0x21), 8)};
  const Plan plan = make_plan(with_dedicated(), std::move(wish));
  std::string told;
  for (const ToldTunnel& one : plan.tunnels) {
    told +=
        dp::to_string(one.ue) + ": " + std::to_string(one.tunnel.teid) + " " + std::to_string(one.qfi) + "; ";
  }
  EXPECT_EQ(told, "10.45.0.2: 7 9; 10.45.0.2 qfi 1: 7 1; 10.45.0.2 qfi 3: 7 3; 10.45.0.2 teid 0x21: 8 255; ");
}

TEST(DedicatedPlan, ABearerWithAnotherDownlinkTeidIsMadeAnew) {
  const BearerRegistry registry = with_dedicated();
  EXPECT_EQ(make_plan(registry, {{want_of(by_teid(0x21))}, {}}).unchanged, 1u);
  EXPECT_EQ(make_plan(registry, {{want_of(by_teid(0x21), 0x11)}, {}}).unchanged, 1u);
  const Plan plan = make_plan(registry, {{want_of(by_teid(0x21), 0x12)}, {}});
  EXPECT_EQ(plan.replace.size(), 1u);
  EXPECT_FALSE(plan.empty());
  EXPECT_EQ(make_plan(registry, {{want_of(by_teid(0x21), 0)}, {}}).replace.size(), 1u);
}

TEST(DedicatedPlan, AUeGetsAtMostFifteen) {
  const BearerRegistry registry = with_dedicated();
  Plan plan;
  for (std::uint32_t qfi = 10; qfi < 22; ++qfi) plan.create.push_back(want_of(by_qfi(qfi)));
  for (std::uint32_t qfi = 10; qfi < 22; ++qfi) {
    plan.create.push_back(want_of(dp::dedicated_by_qfi(kNext, qfi)));
  }
  EXPECT_EQ(why_refused(plan, registry), "");
  plan.create.push_back(want_of(by_qfi(22)));
  EXPECT_EQ(why_refused(plan, registry),
            "10.45.0.2 would have 16 dedicated bearers, at most 15 are possible; remove some first");
  plan.remove = {by_qfi(5)};
  EXPECT_EQ(why_refused(plan, registry), "");
}

TEST(DedicatedPlan, NoTwoOfAUeHaveTheSameDownlinkTeid) {
  const BearerRegistry registry = with_dedicated();
  const std::string refused =
      "two bearers of 10.45.0.2 would have the downlink TEID 0x11, teid 0x21 and teid 0x22; give each its "
      "own";
  Plan plan;
  plan.create.push_back(want_of(by_teid(0x22), 0x11));
  EXPECT_EQ(why_refused(plan, registry), refused);
  plan.tunnels.push_back(told_to(by_teid(0x21), 0x12));
  EXPECT_EQ(why_refused(plan, registry), "");
  plan.tunnels.push_back(told_to(by_teid(0x22), 0x12));
  EXPECT_NE(why_refused(plan, registry), "");
  Plan replaced;
  replaced.create.push_back(want_of(by_teid(0x22), 0x11));
  replaced.replace.push_back(want_of(by_teid(0x21), 0));
  EXPECT_EQ(why_refused(replaced, registry), "");
  Plan removed;
  removed.create.push_back(want_of(by_teid(0x22), 0x11));
  removed.remove = {by_teid(0x21)};
  EXPECT_EQ(why_refused(removed, registry), "");
}

TEST(DedicatedPlan, ATunnelOfADefaultBearerHasNotTheQfiOfADedicatedOne) {
  const BearerRegistry registry = with_dedicated();
  Plan plan;
  plan.tunnels.push_back(told_to(kWhose, 7, 9));
  EXPECT_EQ(why_refused(plan, registry), "");
  plan.tunnels.push_back(told_to(kWhose, 7, 5));
  EXPECT_EQ(why_refused(plan, registry),
            "the tunnel of 10.45.0.2 has the QFI 5, which is that of its dedicated bearer 10.45.0.2 qfi 5; "
            "leave it out, or give the QFI of the packets of its default bearer");
  plan.remove = {by_qfi(5)};
  EXPECT_EQ(why_refused(plan, registry), "");
  plan.tunnels.push_back(told_to(kWhose, 7, 30));
  plan.create.push_back(want_of(by_qfi(30)));
  EXPECT_NE(why_refused(plan, registry), "");
}

class DedicatedApplier : public ::testing::Test {
 protected:
  // Sends what waits, and takes the next command, which must be of that kind.
  template <class Body>
  Body next() {
    sender.poll();
    dp::Command command;
    EXPECT_TRUE(mailbox->commands.pop(command));
    last = command.sequence;
    const Body* body = std::get_if<Body>(&command.body);
    EXPECT_NE(body, nullptr);
    return body == nullptr ? Body{} : *body;
  }
  void answer(dp::Answer a = {}) {
    a.sequence = last;
    ASSERT_TRUE(mailbox->answers.push(a));
    sender.poll();
  }
  void run(Plan plan) {
    ended.reset();
    work = applier.run(std::move(plan), [this](const Applied& applied) { ended = applied; });
    proceed();
  }
  void proceed() { work.proceed(Slices::Clock::now() + std::chrono::seconds(1)); }

  std::unique_ptr<dp::Mailbox> mailbox = std::make_unique<dp::Mailbox>();
  BearerRegistry registry;
  BearerSlab slab;
  CommandSender sender{{mailbox.get()}, [](dp::Bearer&) {}};
  BearerPool pool{sender, slab};
  Applier applier{registry, slab, sender, pool};
  Slices work;
  std::optional<Applied> ended;
  std::uint64_t last = 0;
};

TEST_F(DedicatedApplier, ABearerByTeidComesToItsWorkerWithTheTeidOfItsDownlink) {
  Plan plan;
  plan.create = {want_of(by_teid(0x21), 0x11)};
  run(std::move(plan));
  const dp::Bearer& bearer = *next<dp::AddBearer>().bearer;
  EXPECT_EQ(bearer.ue, by_teid(0x21));
  EXPECT_TRUE(bearer.tunnel(dp::Direction::downlink).has_teid(0x11));
  EXPECT_FALSE(bearer.tunnel(dp::Direction::uplink).known());
  answer();
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->created, 1u);
  EXPECT_EQ(registry.find(by_teid(0x21))->downlink_teid, 0x11u);
}

TEST_F(DedicatedApplier, ABearerIsReplacedWhenItHasComeHome) {
  Plan plan;
  plan.create = {want_of(by_teid(0x21), 0x11)};
  run(std::move(plan));
  dp::Bearer& before = *next<dp::AddBearer>().bearer;
  answer();
  Plan other;
  other.replace = {want_of(by_teid(0x21), 0x12)};
  run(std::move(other));
  EXPECT_EQ(next<dp::RemoveBearer>().bearer, &before);
  answer({.bearer = &before});
  const dp::Bearer& after = *next<dp::AddBearer>().bearer;
  EXPECT_TRUE(after.tunnel(dp::Direction::downlink).has_teid(0x12));
  EXPECT_FALSE(ended);
  answer();
  ASSERT_TRUE(ended);
  EXPECT_EQ(registry.find(by_teid(0x21))->bearer, &after);
  EXPECT_EQ(registry.find(by_teid(0x21))->downlink_teid, 0x12u);
  EXPECT_EQ(slab.live(), 1u);
}

TEST_F(DedicatedApplier, AToldTunnelOfTheDownlinkIsThatOfTheRecord) {
  Plan plan;
  plan.create = {want_of(by_teid(0x21), 0x11), want_of(by_qfi(1))};
  run(std::move(plan));
  next<dp::AddBearer>();
  answer();
  next<dp::AddBearer>();
  answer();
  Plan told;
  told.tunnels = {told_to(by_teid(0x21), 0x15), told_to(by_qfi(1), 0x16, 1)};
  told.tunnels.push_back(told_to(by_teid(0x21), 0x21));
  told.tunnels.back().direction = dp::Direction::uplink;
  run(std::move(told));
  for (int i = 0; i < 3; ++i) {
    next<dp::SetTunnel>();
    answer();
  }
  ASSERT_TRUE(ended);
  EXPECT_EQ(registry.find(by_teid(0x21))->downlink_teid, 0x15u);
  EXPECT_EQ(registry.find(by_qfi(1))->downlink_teid, 0u);
}

}  // namespace
}  // namespace control
