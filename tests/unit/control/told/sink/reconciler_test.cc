#include "control/told/sink/reconciler.h"

#include <gtest/gtest.h>

#include "tests/unit/control/told/sink/reconciler_bench.h"

namespace control::told {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(ToldReconciler, ANewSessionHasItsBearerAfterTheDebounce) {
  ReconcilerBench bench;
  bench.run(seconds(1));
  bench.put(ReconcilerBench::session(2));
  EXPECT_EQ(bench.calls(), 0u);
  bench.clock.advance(milliseconds(5));
  EXPECT_EQ(bench.calls(), 1u);
  ASSERT_NE(bench.bearer(2), nullptr);
  EXPECT_EQ(bench.bearer(2)->downlink, 20'000'000u);
  EXPECT_EQ(bench.bearer(2)->uplink, 5'000'000u);
  EXPECT_EQ(bench.bearer(2)->owner, "radius");
  EXPECT_EQ(bench.reconciler->drift(), 0u);
  EXPECT_EQ(bench.known(2)->state, BearerState::applied);
  EXPECT_EQ(bench.reconciler->apply_times().count, 1u);
  EXPECT_NEAR(bench.reconciler->apply_times().sum_s, 0.005, 1e-6);
}

TEST(ToldReconciler, AChangedRateIsSetAndAnEndedSessionLosesItsBearer) {
  ReconcilerBench bench;
  bench.put(ReconcilerBench::session(2));
  bench.run(seconds(1));
  bench.put(ReconcilerBench::session(2, 8'000'000));
  bench.run(milliseconds(10));
  EXPECT_EQ(bench.bearer(2)->downlink, 8'000'000u);
  bench.table.sink_of("radius").remove("s2", bench.clock.now());
  bench.run(milliseconds(10));
  EXPECT_EQ(bench.bearer(2), nullptr);
  EXPECT_EQ(bench.reconciler->known().size(), 0u);
}

TEST(ToldReconciler, ThousandsOfSessionsGoInCallsOfAThousand) {
  ReconcilerBench bench;
  for (std::uint32_t n = 1; n <= 10'000; ++n) bench.put(ReconcilerBench::session(n));
  bench.run(seconds(1));
  EXPECT_EQ(bench.rncd.owned_by("radius"), 10'000u);
  EXPECT_LE(bench.rncd.largest, WorkPlan::kMostEntries);
  EXPECT_EQ(bench.reconciler->drift(), 0u);
}

TEST(ToldReconciler, BearersAreRefreshedBeforeTheirTimeEnds) {
  ReconcilerBench bench;
  bench.put(ReconcilerBench::session(2));
  bench.run(seconds(600));
  EXPECT_NE(bench.bearer(2), nullptr);
  EXPECT_GE(bench.bearer(2)->until, bench.clock.now() + seconds(60));
}

TEST(ToldReconciler, ABearerThatWasChangedOrRemovedIsMendedByTheNextFullPass) {
  ReconcilerBench bench;
  bench.put(ReconcilerBench::session(2));
  bench.put(ReconcilerBench::session(3));
  bench.run(seconds(1));
  bench.rncd.bearers.at({"10.45.0.2", -1}).downlink = 7;
  bench.rncd.bearers.erase({"10.45.0.3", -1});
  bench.run(seconds(31));
  EXPECT_EQ(bench.bearer(2)->downlink, 20'000'000u);
  EXPECT_NE(bench.bearer(3), nullptr);
  EXPECT_EQ(bench.reconciler->drift(), 0u);
}

TEST(ToldReconciler, ABearerOfAnOperatorIsKeptAndSaidSo) {
  ReconcilerBench bench;
  FakeBearer manual;
  manual.owner = "operator";
  manual.downlink = 3;
  bench.rncd.bearers[{"10.45.0.3", -1}] = manual;
  for (std::uint32_t n = 2; n <= 5; ++n) bench.put(ReconcilerBench::session(n));
  bench.run(seconds(5));
  EXPECT_EQ(*bench.bearer(3), manual);
  EXPECT_EQ(bench.known(3)->state, BearerState::kept);
  EXPECT_EQ(bench.known(2)->state, BearerState::applied);
  EXPECT_EQ(bench.reconciler->drift(), 0u);
  const std::uint64_t passes = bench.reconciler->full_passes();
  bench.run(seconds(60));
  EXPECT_LE(bench.reconciler->full_passes(), passes + 3);
  bench.rncd.bearers.erase({"10.45.0.3", -1});
  bench.run(seconds(62));
  EXPECT_EQ(bench.bearer(3)->owner, "radius");
  EXPECT_EQ(bench.known(3)->state, BearerState::applied);
}

TEST(ToldReconciler, ARefusedBearerIsLeftOutWithItsReasonAndTriedAgain) {
  ReconcilerBench bench;
  for (std::uint32_t n = 1; n <= 500; ++n) {
    Session session = ReconcilerBench::session(n);
    if (n % 2 == 0) session.class_hint = "bad";
    bench.put(session);
  }
  bench.run(milliseconds(10));
  EXPECT_EQ(bench.rncd.owned_by("radius"), 250u);
  EXPECT_EQ(bench.known(2)->state, BearerState::refused);
  EXPECT_EQ(bench.known(2)->why, "class: no class \"nowhere\"");
  EXPECT_EQ(bench.reconciler->drift(), 250u);
  EXPECT_LE(bench.reconciler->refusals(), 8u) << "one for each call of the pass that has some";
  bench.rncd.classes.insert("nowhere");
  bench.run(seconds(31));
  EXPECT_EQ(bench.rncd.owned_by("radius"), 500u);
  EXPECT_EQ(bench.reconciler->drift(), 0u);
}

TEST(ToldReconciler, AUeThatSendsIsNotIdleThoughTheMessageWasLost) {
  ReconcilerBench bench;
  Session session = ReconcilerBench::session(2);
  session.idle = true;
  bench.put(session);
  bench.run(milliseconds(100));
  FakeBearer& bearer = bench.rncd.bearers.at({"10.45.0.2", -1});
  EXPECT_EQ(bearer.gates[0], "hold");
  bearer.uplink_idle = 3600;
  bench.run(seconds(31));
  EXPECT_EQ(bearer.gates[0], "hold") << "its packets came before";
  bearer.uplink_idle = 0.5;
  bench.run(seconds(31));
  EXPECT_EQ(bearer.gates[0], "open");
  EXPECT_EQ(bench.reconciler->drift(), 0u);
  bench.put(session);
  bench.run(milliseconds(100));
  EXPECT_EQ(bearer.gates[0], "hold") << "told again";
}

TEST(ToldReconciler, AFullTableKeepsTheBearersThatFit) {
  ReconcilerBench bench;
  bench.rncd.capacity = 300;
  for (std::uint32_t n = 1; n <= 400; ++n) bench.put(ReconcilerBench::session(n));
  bench.run(seconds(65));
  EXPECT_EQ(bench.rncd.owned_by("radius"), 300u);
  EXPECT_EQ(bench.reconciler->drift(), 100u);
  bench.rncd.capacity = 1000;
  bench.run(seconds(95));
  EXPECT_EQ(bench.rncd.owned_by("radius"), 400u);
  EXPECT_EQ(bench.reconciler->drift(), 0u);
}

TEST(ToldReconciler, ARestartOfRncdGetsAllBearersAgain) {
  ReconcilerBench bench;
  for (std::uint32_t n = 1; n <= 3000; ++n) bench.put(ReconcilerBench::session(n));
  bench.run(seconds(1));
  bench.rncd.bearers.clear();
  bench.reconciler->disconnected(bench.clock.now());
  EXPECT_GE(bench.reconciler->drift(), 3000u);
  EXPECT_EQ(bench.reconciler->due(), dp::kNever);
  bench.reconciler->connected(bench.clock.now());
  bench.run(seconds(1));
  EXPECT_EQ(bench.rncd.owned_by("radius"), 3000u);
  EXPECT_EQ(bench.reconciler->drift(), 0u);
}

TEST(ToldReconciler, ARestartOfItsOwnKeepsBearersUntilTheirSessionsAreToldAgain) {
  ReconcilerBench bench;
  for (std::uint32_t n = 1; n <= 2; ++n) bench.put(ReconcilerBench::session(n, 9'000'000));
  bench.run(seconds(1));
  ReconcilerBench again;
  again.rncd = bench.rncd;
  again.clock.set(bench.clock.now());
  again.start(2);
  again.run(seconds(300));
  ASSERT_NE(again.bearer(1), nullptr);
  EXPECT_EQ(again.bearer(1)->downlink, 9'000'000u);
  again.put(ReconcilerBench::session(1, 9'000'000));
  again.run(seconds(800));
  EXPECT_NE(again.bearer(1), nullptr);
  EXPECT_EQ(again.bearer(2), nullptr);
  EXPECT_EQ(again.reconciler->drift(), 0u);
}

TEST(ToldReconciler, ARestartOfItsOwnKeepsBearersWhoseCoreTellsThemOnceUntilTheirUeIsToldAnew) {
  ReconcilerBench bench;
  for (std::uint32_t n = 1; n <= 2; ++n) bench.put(ReconcilerBench::session(n, 9'000'000), "pfcp");
  bench.run(seconds(1));
  ReconcilerBench again;
  again.rncd = bench.rncd;
  again.clock.set(bench.clock.now());
  again.start(2);
  again.run(seconds(5000));
  ASSERT_NE(again.bearer(1), nullptr);
  ASSERT_NE(again.bearer(2), nullptr);
  again.put(ReconcilerBench::session(1, 5'000'000), "pfcp");
  again.run(seconds(40));
  EXPECT_EQ(again.bearer(1)->downlink, 5'000'000u);
  again.table.sink_of("pfcp").remove("s1", again.clock.now());
  again.run(seconds(40));
  EXPECT_EQ(again.bearer(1), nullptr);
  EXPECT_NE(again.bearer(2), nullptr);
}

TEST(ToldReconciler, AnEarlierGenerationWaitsAndSaysWhy) {
  ReconcilerBench bench;
  bench.put(ReconcilerBench::session(2));
  bench.run(seconds(1));
  bench.rncd.bearers.at({"10.45.0.2", -1}).generation = 1'000;
  bench.put(ReconcilerBench::session(2, 8'000'000));
  const std::size_t before = bench.rncd.methods.size();
  bench.run(seconds(10));
  EXPECT_EQ(bench.bearer(2)->downlink, 20'000'000u);
  EXPECT_NE(bench.reconciler->drift(), 0u);
  EXPECT_NE(bench.reconciler->problem(), "");
  EXPECT_LE(bench.rncd.methods.size() - before, 30u);
}

TEST(ToldReconciler, ASessionThatMovesToAnotherSourceTakesTheBearerOver) {
  ReconcilerBench bench;
  bench.put(ReconcilerBench::session(2));
  bench.run(seconds(1));
  bench.clock.advance(seconds(1));
  bench.put(ReconcilerBench::session(2, 4'000'000), "pfcp");
  bench.run(seconds(1));
  EXPECT_EQ(bench.bearer(2)->owner, "pfcp");
  EXPECT_EQ(bench.bearer(2)->downlink, 4'000'000u);
  EXPECT_EQ(bench.reconciler->drift(), 0u);
}

TEST(ToldReconciler, FlowsComeAndGoAsDedicatedBearers) {
  ReconcilerBench bench;
  Session session = ReconcilerBench::session(2);
  session.to_radio = dp::TunnelKey{0, 0xc000020b, 0x21, false};
  session.flows = {{.qfi = 1, .uplink = {}, .downlink = {.bit_per_s = 64'000}},
                   {.qfi = 5, .uplink = {}, .downlink = {}}};
  bench.put(session);
  bench.run(seconds(1));
  EXPECT_EQ(bench.rncd.bearers.at({"10.45.0.2", 1}).downlink, 64'000u);
  session.flows.erase(session.flows.begin());
  bench.put(session);
  bench.run(milliseconds(10));
  EXPECT_FALSE(bench.rncd.bearers.contains({"10.45.0.2", 1}));
  EXPECT_TRUE(bench.rncd.bearers.contains({"10.45.0.2", 5}));
  EXPECT_EQ(bench.bearer(2)->tunnel["downlink"]["teid"], 33);
}

TEST(ToldReconciler, AnAnswerOfAnyShapeIsTaken) {
  for (const Json& odd :
       {Json(), Json(7), Json("x"), Json::array(), Json{{"kept", -1}}, Json{{"items", 7}, {"next", 7}},
        Json{{"items", {1, "x", nullptr}}, {"next", "x"}}}) {
    ReconcilerBench bench;
    bench.put(ReconcilerBench::session(2));
    bench.clock.advance(seconds(1));
    for (int i = 0; i < 100; ++i) {
      if (bench.reconciler->next(bench.clock.now())) bench.reconciler->answered(bench.clock.now(), odd);
    }
    bench.reconciler->answered(bench.clock.now(), odd);
    bench.reconciler->refused(bench.clock.now(), {0, ""});
    EXPECT_LE(bench.reconciler->known().size(), 1u);
  }
}

}  // namespace
}  // namespace control::told
