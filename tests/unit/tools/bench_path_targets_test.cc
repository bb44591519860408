#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "dataplane/aqm/registry.h"
#include "tools/bench/path_targets.h"

namespace bench {
namespace {

using dp::yardstick::Kind;
using dp::yardstick::Load;
using dp::yardstick::Traffic;

Series took(Kind kind, double cycles) {
  Turn turn;
  turn.chunks = {cycles};
  return {kind, 0, {turn}, 0};
}
CellResult cell(Traffic traffic, std::vector<Series> series) { return {traffic, std::move(series), 0}; }
std::size_t aqm(const char* name) { return dp::AqmList::index_of(name); }

TEST(BenchPathTargets, CyclesAndTheRatioToSchedAreHeldAgainstTheTargetOfSoManyBearers) {
  const auto targets = path_targets({cell(
      {.bearers = 1000}, {took(Kind::worker_null, 210), took(Kind::sched, 420), took(Kind::written, 70)})});
  ASSERT_EQ(targets.size(), 3u);
  EXPECT_EQ(targets[0].figure, "cycles p10");
  EXPECT_EQ(targets[0].found, 210);
  EXPECT_EQ(targets[0].most, 220);
  EXPECT_TRUE(targets[0].met());
  EXPECT_EQ(targets[1].found, 0.5);
  EXPECT_EQ(targets[1].most, 0.45);
  EXPECT_FALSE(targets[1].met());
  EXPECT_DOUBLE_EQ(targets[2].found, 140.0 / 350);
  EXPECT_FALSE(targets[2].most);

  const std::string table = path_targets_table(targets);
  EXPECT_NE(table.find("<= 220: met"), std::string::npos) << table;
  EXPECT_NE(table.find("<= 0.45: not met"), std::string::npos) << table;
  const auto json = path_targets_json(targets);
  EXPECT_EQ(json[1]["met"], false);
  EXPECT_EQ(json[1]["target"], 0.45);
  EXPECT_FALSE(json[2].contains("met"));
}

TEST(BenchPathTargets, WithEveryBufferFullTheRatioAloneHasOne) {
  const std::vector<Series> series{took(Kind::worker_null, 300), took(Kind::sched, 1000)};
  const auto targets = path_targets({cell({.bearers = 100'000, .load = Load::above}, series)});
  ASSERT_EQ(targets.size(), 1u);
  EXPECT_EQ(targets[0].most, 0.2);
  EXPECT_FALSE(targets[0].met());
  EXPECT_TRUE(path_targets({cell({.bearers = 1000, .load = Load::above}, series)}).empty());
}

TEST(BenchPathTargets, APolicyIsHeldAgainstDropTailInTheSameCell) {
  const Traffic red{.bearers = 100'000, .aqm = aqm("red")};
  EXPECT_TRUE(path_targets({cell(red, {took(Kind::worker_null, 500)})}).empty());
  const std::vector<Series> both{took(Kind::worker_null, 500), took(Kind::worker_drop_tail, 400)};
  const auto targets = path_targets({cell(red, both)});
  ASSERT_EQ(targets.size(), 1u);
  EXPECT_EQ(targets[0].figure, "x drop-tail");
  EXPECT_EQ(targets[0].found, 1.25);
  EXPECT_TRUE(targets[0].met());
  EXPECT_TRUE(path_targets({cell({.bearers = 100'000, .aqm = aqm("fq-codel")}, both)}).empty());
}

TEST(BenchPathTargets, AFrameAPollIsHeldAgainstFullBursts) {
  const Traffic single{.bearers = 1000, .burst = 1};
  EXPECT_TRUE(path_targets({cell(single, {took(Kind::worker_memory, 500)})}).empty());
  const auto targets =
      path_targets({cell(single, {took(Kind::worker_memory, 500), took(Kind::worker_bursts, 180)})});
  ASSERT_EQ(targets.size(), 1u);
  EXPECT_EQ(targets[0].traffic.burst, 1u);
  EXPECT_EQ(targets[0].most, 2.5);
  EXPECT_FALSE(targets[0].met());
}

TEST(BenchPathTargets, TunnelsAreHeldAgainstBareIpInTheSameCell) {
  const Traffic tunnels{.bearers = 1000, .encap = dp::yardstick::Encap::gtp_u};
  EXPECT_TRUE(path_targets({cell(tunnels, {took(Kind::worker_null, 300)})}).empty());
  const auto targets =
      path_targets({cell(tunnels, {took(Kind::worker_null, 300), took(Kind::worker_bare_ip, 250)})});
  ASSERT_EQ(targets.size(), 1u);
  EXPECT_EQ(targets[0].figure, "x bare IP, gtp-u");
  EXPECT_EQ(targets[0].found, 1.2);
  EXPECT_TRUE(targets[0].met());
}

TEST(BenchPathTargets, OtherFramesSubjectsAndNumbersHaveNone) {
  const std::vector<Series> series{took(Kind::worker_null, 300), took(Kind::sched, 1000)};
  EXPECT_TRUE(path_targets({cell({.bearers = 1000, .frame_bytes = 1500}, series)}).empty());
  EXPECT_TRUE(path_targets({cell({.bearers = 1}, series)}).empty());
  EXPECT_TRUE(path_targets({cell({.bearers = 1000, .acked = true}, series)}).empty());
  EXPECT_TRUE(path_targets({cell({.bearers = 1000}, {took(Kind::sched, 1000)})}).empty());
  EXPECT_EQ(path_targets_table({}), "");
}

}  // namespace
}  // namespace bench
