#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "dataplane/ack/registry.h"
#include "dataplane/aqm/registry.h"
#include "tools/bench/options.h"

namespace bench {
namespace {

using dp::yardstick::Kind;
using dp::yardstick::Load;

Options parsed(const std::string& words) {
  CLI::App app;
  Options options;
  add_options(app, options);
  app.parse(words);
  return options;
}

std::string complaint(const std::string& words) {
  try {
    parsed(words);
  } catch (const CLI::ParseError& error) {
    return error.what();
  }
  return "";
}

TEST(BenchOptions, WithoutWordsMakeTwelveCellsOfTwoSizesThreeNumbersAndTwoLoads) {
  const auto cells = cells_of(parsed(""));
  ASSERT_EQ(cells.size(), 12u);
  EXPECT_EQ(cells.front().traffic.frame_bytes, 64u);
  EXPECT_EQ(cells.front().traffic.bearers, 1u);
  EXPECT_EQ(cells.back().traffic.frame_bytes, 1500u);
  EXPECT_EQ(cells.back().traffic.bearers, 100'000u);
  EXPECT_EQ(cells.back().traffic.load, Load::above);
}

TEST(BenchOptions, EachPolicyIsACellOfItsOwn) {
  const auto cells = cells_of(parsed("--bearers 7 --frames 64 --load below --aqm sbd,fq-codel"));
  ASSERT_EQ(cells.size(), 2u);
  EXPECT_EQ(dp::AqmList::kNames[cells[0].traffic.aqm], "sbd");
  EXPECT_EQ(dp::AqmList::kNames[cells[1].traffic.aqm], "fq-codel");
  EXPECT_FALSE(cells[0].traffic.acked);
  EXPECT_NE(complaint("--aqm red,blue").find("blue"), std::string::npos);
}

TEST(BenchOptions, APolicyIsMeasuredBesideDropTail) {
  const auto cells =
      cells_of(parsed("--bearers 7 --frames 64 --load below --aqm red,drop-tail --subjects worker-null"));
  ASSERT_EQ(cells.size(), 2u);
  EXPECT_EQ(cells[0].kinds, (std::vector{Kind::worker_null, Kind::worker_drop_tail}));
  EXPECT_EQ(dp::AqmList::kNames[traffic_of(Kind::worker_null, cells[0].traffic).aqm], "red");
  EXPECT_EQ(dp::AqmList::kNames[traffic_of(Kind::worker_drop_tail, cells[0].traffic).aqm], "drop-tail");
  EXPECT_EQ(cells[1].kinds, std::vector{Kind::worker_null});
}

TEST(BenchOptions, BurstsOfFewerFramesAreMeasuredOfPortsOfMemoryAlone) {
  const auto cells = cells_of(parsed("--bearers 7 --frames 64 --load below --burst 1,64"));
  ASSERT_EQ(cells.size(), 2u);
  EXPECT_EQ(cells[0].traffic.burst, 1u);
  EXPECT_EQ(cells[0].kinds, (std::vector{Kind::worker_memory, Kind::worker_bursts}));
  EXPECT_EQ(traffic_of(Kind::worker_memory, cells[0].traffic).burst, 1u);
  EXPECT_EQ(traffic_of(Kind::worker_bursts, cells[0].traffic).burst, 64u);
  EXPECT_EQ(cells[1].traffic.burst, 64u);
  EXPECT_EQ(std::count(cells[1].kinds.begin(), cells[1].kinds.end(), Kind::worker_bursts), 0);
  EXPECT_GT(cells[1].kinds.size(), 1u);
  EXPECT_TRUE(cells_of(parsed("--burst 8 --subjects sched")).empty());
  EXPECT_NE(complaint("--burst 65").find("65"), std::string::npos);
  EXPECT_NE(complaint("--burst 8 --ack none"), "");
  EXPECT_NE(complaint("--burst 8 --crafted"), "");
}

TEST(BenchOptions, TunnelsAreMeasuredBesideBareIp) {
  const auto cells = cells_of(parsed("--bearers 7 --frames 64 --load below --encap gtp-u,gtp-u-5g"));
  ASSERT_EQ(cells.size(), 2u);
  EXPECT_EQ(cells[0].kinds, (std::vector{Kind::worker_memory, Kind::worker_null, Kind::worker_bare_ip,
                                         Kind::written, Kind::bare}));
  EXPECT_EQ(cells[0].traffic.wire_bytes(), 64u + 36);
  EXPECT_EQ(cells[1].traffic.wire_bytes(), 64u + 44);
  EXPECT_EQ(traffic_of(Kind::worker_null, cells[0].traffic).encap, dp::yardstick::Encap::gtp_u);
  EXPECT_EQ(traffic_of(Kind::worker_bare_ip, cells[0].traffic).encap, dp::yardstick::Encap::none);
  EXPECT_NE(complaint("--encap gre").find("gre"), std::string::npos);
  EXPECT_NE(complaint("--encap gtp-u --ack none"), "");
  for (const Cell& cell : cells_of(parsed("")))
    EXPECT_EQ(std::count(cell.kinds.begin(), cell.kinds.end(), Kind::worker_bare_ip), 0);
}

TEST(BenchOptions, WithAcksTheWorkerAloneIsMeasuredBelowTheRate) {
  const auto cells = cells_of(parsed("--bearers 7 --frames 64 --ack none,ack-rate"));
  ASSERT_EQ(cells.size(), 2u);
  for (const Cell& cell : cells) {
    EXPECT_EQ(cell.kinds, (std::vector{Kind::worker_acked, Kind::ports_acked}));
    EXPECT_EQ(cell.traffic.load, Load::below);
    EXPECT_TRUE(cell.traffic.acked);
  }
  EXPECT_EQ(cells[0].traffic.ack_stage, dp::yardstick::Traffic::kNoStage);
  EXPECT_EQ(dp::AckList::kNames[cells[1].traffic.ack_stage], "ack-rate");
  EXPECT_FALSE(complaint("--ack none --subjects sched").empty());
}

TEST(BenchOptions, HostileAcksAreMeasuredWhereMuchIsKeptBesideWhereLittleIs) {
  const auto cells = cells_of(parsed("--ack snoop,split --hostile duplicates,sacks"));
  ASSERT_EQ(cells.size(), 4u);
  for (const Cell& cell : cells) {
    EXPECT_EQ(cell.kinds, (std::vector{Kind::hostile_many, Kind::hostile_few}));
    EXPECT_EQ(cell.traffic.bearers, 1u);
    EXPECT_EQ(traffic_of(Kind::hostile_many, cell.traffic).kept, 4096u);
    EXPECT_EQ(traffic_of(Kind::hostile_few, cell.traffic).kept, 128u);
  }
  EXPECT_EQ(dp::AckList::kNames[cells[0].traffic.ack_stage], "snoop");
  EXPECT_EQ(cells[1].traffic.hostile, dp::yardstick::HostileAcks::sacks);
  EXPECT_TRUE(cells[2].traffic.split);
  EXPECT_NE(complaint("--hostile sacks"), "") << "through which stage?";
  EXPECT_NE(complaint("--ack snoop --hostile sacks --bearers 7"), "");
  EXPECT_NE(complaint("--ack snoop --hostile kind").find("kind"), std::string::npos);
  EXPECT_FALSE(cells_of(parsed("--ack snoop")).at(0).traffic.hostile.has_value());
  for (const char* const words : {"", "--ack snoop"}) {
    for (const Cell& cell : cells_of(parsed(words))) {
      for (const Kind kind : {Kind::hostile_many, Kind::hostile_few})
        EXPECT_EQ(std::count(cell.kinds.begin(), cell.kinds.end(), kind), 0) << words;
    }
  }
}

TEST(BenchOptions, QuickTakesFewerBearersAndLessTime) {
  const auto cells = cells_of(parsed("--quick"));
  EXPECT_EQ(cells.back().traffic.bearers, 10'000u);
  const auto quick = spell_of(parsed("--quick"), cells);
  const auto full = spell_of(parsed(""), cells);
  EXPECT_LT(quick.measure, full.measure);
}

TEST(BenchOptions, QuickLeavesTheBearersThatWereAskedFor) {
  EXPECT_EQ(cells_of(parsed("--quick --bearers 77 --frames 64 --load below")).at(0).traffic.bearers, 77u);
}

TEST(BenchOptions, BelowTheRateNoSchedulerWithAStandingBacklogIsMeasured) {
  for (const Cell& cell : cells_of(parsed(""))) {
    const auto count = std::count(cell.kinds.begin(), cell.kinds.end(), Kind::sched_unlimited);
    EXPECT_EQ(count, cell.traffic.load == Load::above ? 1 : 0);
  }
}

TEST(BenchOptions, CraftedAddressesAreMeasuredBesideRandomOnesAndOnlyOnDemand) {
  for (const Cell& cell : cells_of(parsed(""))) {
    EXPECT_EQ(std::count(cell.kinds.begin(), cell.kinds.end(), Kind::worker_crafted), 0);
  }
  const auto cells = cells_of(parsed("--crafted --frames 64 --load below"));
  ASSERT_EQ(cells.size(), 2u);
  EXPECT_EQ(cells[0].traffic.bearers, 4096u);
  EXPECT_EQ(cells[1].traffic.bearers, 65'536u);
  EXPECT_EQ(cells[0].kinds, (std::vector{Kind::worker_memory, Kind::worker_crafted}));
  EXPECT_EQ(cells_of(parsed("--crafted --bearers 100")).at(0).traffic.bearers, 100u);
}

TEST(BenchOptions, SubjectsThatFitNoCellLeaveNone) {
  EXPECT_TRUE(cells_of(parsed("--subjects sched-unlimited --load below")).empty());
}

TEST(BenchOptions, AllTurnsTogetherTakeTheSecondsAskedFor) {
  const auto options =
      parsed("--seconds 10 --repetitions 4 --frames 64 --bearers 1 --load below --subjects forward,sched");
  const auto spell = spell_of(options, cells_of(options));
  EXPECT_EQ((spell.settle + spell.measure) * 8, std::chrono::seconds(10));
}

TEST(BenchOptions, RefuseWhatIsOutOfRangeOrUnknownAndNameIt) {
  EXPECT_NE(complaint("--bearers 0"), "");
  EXPECT_NE(complaint("--frames 63"), "");
  EXPECT_NE(complaint("--frames 1519"), "");
  EXPECT_NE(complaint("--repetitions 0"), "");
  EXPECT_NE(complaint("--seconds 0"), "");
  EXPECT_NE(complaint("--mpps 0"), "");
  EXPECT_NE(complaint("--load sideways").find("sideways"), std::string::npos);
  EXPECT_NE(complaint("--subjects htb").find("worker-null"), std::string::npos);
  EXPECT_NE(complaint("--bearers 1,two"), "");
  EXPECT_NE(complaint("--speed 3"), "");
}

TEST(BenchNeed, GrowsWithBearersAndIsNoneOfThePoolsWithoutNullPorts) {
  const auto few = parsed("--bearers 1000");
  const auto many = parsed("--bearers 100000");
  EXPECT_LT(need_of(few, cells_of(few)).rig.mbufs, need_of(many, cells_of(many)).rig.mbufs);
  const auto memory = parsed("--subjects worker-memory");
  EXPECT_EQ(need_of(memory, cells_of(memory)).rig.mbufs, 0u);
  EXPECT_EQ(need_of(memory, cells_of(memory)).rig.sched_bytes, 0u);
}

}  // namespace
}  // namespace bench
