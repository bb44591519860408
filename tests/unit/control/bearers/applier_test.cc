// The applier against a worker that the test plays, so that answers come when they hurt most.
#include "control/bearers/applier.h"

#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "dataplane/bearer/bearer.h"
#include "tests/support/shaped.h"

namespace control {
namespace {

const dp::UeAddress kUe = *dp::parse_ue("10.45.0.2");

dp::BearerSettings over_air(std::uint64_t rate) {
  dp::LegSettings leg{.link = dp::AmLinkConfig{}, .rate = rate};
  return {.downlink = leg, .uplink = leg};
}
using dp::test::shaped_at;

dp::BearerSettings paced(std::chrono::milliseconds maxd, std::uint32_t flows = 64) {
  dp::BearerSettings settings = shaped_at(384'000);
  settings.uplink.ack.stages = 1;
  settings.uplink.ack.stage[0] = dp::AckRateSpec::Config{.maxd = maxd};
  settings.uplink.ack.flows.flows = flows;
  return settings;
}

class ApplierTest : public ::testing::Test {
 protected:
  // The commands sent since the last call.
  std::vector<dp::Command> commands() {
    sender.poll();
    std::vector<dp::Command> out;
    for (dp::Command c; mailbox->commands.pop(c);) out.push_back(c);
    return out;
  }
  void answer(const dp::Answer& a) { ASSERT_TRUE(mailbox->answers.push(a)); }

  dp::Bearer& create(const dp::BearerSettings& settings) {
    Plan plan;
    plan.create = {{kUe, settings, Origin::socket}};
    applier.run(plan, [](const Applied&) {}).finish();
    const auto sent = commands();
    answer({.sequence = sent.at(0).sequence});
    sender.poll();
    return *registry.find(kUe)->bearer;
  }

  std::unique_ptr<dp::Mailbox> mailbox = std::make_unique<dp::Mailbox>();
  BearerRegistry registry;
  BearerSlab slab;
  std::vector<dp::Bearer*> learnt;
  CommandSender sender{{mailbox.get()}, [this](dp::Bearer& bearer) {
                         registry.insert(bearer.ue, {shaped_at(64'000), Origin::learnt, &bearer});
                       }};
  BearerPool pool{sender, slab};
  Applier applier{registry, slab, sender, pool};
};

TEST_F(ApplierTest, AUeLearntAgainBeforeItsRemovalIsAnsweredKeepsItsNewBearer) {
  dp::Bearer& first = create(shaped_at(8'000'000));
  applier.reconfigure(kUe, shaped_at(1'000'000));
  bool done = false;
  Plan plan;
  plan.remove = {kUe};
  applier.run(plan, [&](const Applied& applied) { done = applied.removed == 1; }).finish();
  const auto sent = commands();
  ASSERT_EQ(sent.size(), 2u);
  dp::Bearer& second = slab.make(shaped_at(64'000));
  second.ue = kUe;
  ASSERT_TRUE(mailbox->learnt.push({&second}));
  answer({.sequence = sent[0].sequence, .bearer = &first});
  answer({.sequence = sent[1].sequence, .bearer = &first});
  sender.poll();
  EXPECT_TRUE(done);
  ASSERT_NE(registry.find(kUe), nullptr);
  EXPECT_EQ(registry.find(kUe)->bearer, &second);
  EXPECT_EQ(registry.find(kUe)->settings, shaped_at(64'000));
  EXPECT_EQ(slab.live(), 1u);
}

TEST_F(ApplierTest, TheRegistryKnowsHowManyBearersHaveWhichPolicy) {
  const std::size_t tail = dp::AqmList::index_of("drop-tail"), red = dp::AqmList::index_of("red");
  dp::Bearer& bearer = create(over_air(384'000));
  EXPECT_EQ(registry.policies()[0][tail], 1);
  EXPECT_EQ(registry.policies()[1][tail], 1);
  dp::BearerSettings changed = shaped_at(384'000);
  changed.downlink.aqm = dp::RedSpec::Config{};
  applier.reconfigure(kUe, changed);
  answer({.sequence = commands().at(0).sequence, .bearer = &bearer});
  sender.poll();
  EXPECT_EQ(registry.policies()[0][tail], 0);
  EXPECT_EQ(registry.policies()[0][red], 1);
  EXPECT_EQ(registry.policies()[1][tail], 0) << "a wire has no policy";
  registry.erase(kUe);
  EXPECT_EQ(registry.policies(), PolicyCounts{});
}

TEST_F(ApplierTest, AChangeIsPreparedForWhatTheOneBeforeItWillHaveMade) {
  create(over_air(384'000));
  applier.reconfigure(kUe, shaped_at(1'000'000));
  applier.reconfigure(kUe, over_air(128'000));
  const auto sent = commands();
  ASSERT_EQ(sent.size(), 2u);
  EXPECT_EQ(std::get<dp::Reconfigure>(sent[0].body).parts.of<dp::AmKind>(), nullptr);
  EXPECT_NE(std::get<dp::Reconfigure>(sent[1].body).parts.of<dp::AmKind>(), nullptr);
}

TEST_F(ApplierTest, AChainIsMadeOnlyWhereTheWorkerWillHaveNoneThatIsAlike) {
  create(paced(std::chrono::milliseconds(100)));
  applier.reconfigure(kUe, paced(std::chrono::milliseconds(200)));
  applier.reconfigure(kUe, shaped_at(384'000));
  applier.reconfigure(kUe, paced(std::chrono::milliseconds(200)));
  applier.reconfigure(kUe, paced(std::chrono::milliseconds(300)));
  applier.reconfigure(kUe, paced(std::chrono::milliseconds(300), 9));
  const auto sent = commands();
  ASSERT_EQ(sent.size(), 5u);
  const auto fresh = [&](std::size_t i) {
    return std::get<dp::Reconfigure>(sent[i].body).parts.of<dp::AcksKind>();
  };
  EXPECT_EQ(fresh(0), nullptr) << "other parameters";
  EXPECT_EQ(fresh(1), nullptr) << "none wanted";
  EXPECT_NE(fresh(2), nullptr) << "by then it has none";
  EXPECT_EQ(fresh(3), nullptr) << "the one before it brings a chain that is alike";
  EXPECT_NE(fresh(4), nullptr) << "another table of flows";
}

// The first and the last are of the same settings, which their bearers share: one answer of three is none for
// the last.
TEST_F(ApplierTest, OfChangesUnderWayTheLastIsWhatIsComing) {
  create(shaped_at(8'000'000));
  for (const std::uint64_t rate : {64'000, 128'000, 64'000}) applier.reconfigure(kUe, shaped_at(rate));
  const auto sent = commands();
  ASSERT_EQ(sent.size(), 3u);
  const Record& record = *registry.find(kUe);
  for (const dp::Command& command : sent) {
    EXPECT_EQ(record.coming(), shaped_at(64'000));
    answer({.sequence = command.sequence, .bearer = record.bearer});
    sender.poll();
    EXPECT_EQ(record.settings.get(), std::get<dp::Reconfigure>(command.body).settings);
  }
  EXPECT_EQ(record.coming(), shaped_at(64'000));
  EXPECT_FALSE(record.sent);
}

TEST_F(ApplierTest, AReplacedChainComesHomeAndTheRecordKnowsTheOneInUse) {
  dp::Bearer& bearer = create(paced(std::chrono::milliseconds(100)));
  dp::AckChain* const first = bearer.acks;
  EXPECT_EQ(registry.find(kUe)->part<dp::AcksKind>(), first);
  applier.reconfigure(kUe, paced(std::chrono::milliseconds(100), 9));
  const auto sent = commands();
  dp::AckChain* const second = std::get<dp::Reconfigure>(sent.at(0).body).parts.of<dp::AcksKind>();
  EXPECT_EQ(slab.parts(), 2u);
  dp::Answer changed{.sequence = sent[0].sequence, .bearer = &bearer};
  changed.parts.of<dp::AcksKind>() = first;
  changed.in_use.of<dp::AcksKind>() = second;
  answer(changed);
  sender.poll();
  EXPECT_EQ(slab.parts(), 1u);
  EXPECT_EQ(registry.find(kUe)->part<dp::AcksKind>(), second);
  EXPECT_EQ(registry.find(kUe)->settings->uplink.ack.flows.flows, 9u);
}

}  // namespace
}  // namespace control
