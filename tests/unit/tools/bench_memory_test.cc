#include <string>

#include <gtest/gtest.h>

#include "tools/bench/memory.h"
#include "tools/bench/memory_cells.h"

namespace bench {
namespace {

MemoryCell memory_cell() {
  MemoryCell cell;
  cell.bearers = 1000;
  cell.worker.bearers = {400'000, 2 << 20};
  cell.worker.index = {112'000, 114'000};
  cell.worker.calendar = {2 << 20, 2 << 20};
  cell.worker.shared = {102'400, 102'400};
  cell.worker.class_board = 51'200;
  cell.worker.rest_of_worker = 1024;
  cell.control = {600'000, 601'000};
  cell.splits = {{32'768, 16, 2000, {50'000, 51'000}}, {65'536, 8, 3100, {40'000, 41'000}}};
  return cell;
}

TEST(MemoryTable, AddsTheWorkersPartsAndJudgesEachSide) {
  const auto rows = memory_rows({memory_cell()});
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_DOUBLE_EQ(rows[2].computed, 512);
  EXPECT_TRUE(rows[2].judged && rows[2].met());
  EXPECT_TRUE(rows[3].judged && !rows[3].met());
  const std::string table = memory_table({memory_cell()});
  EXPECT_NE(table.find("512.0      2211.2  <= 512 B: met\n"), std::string::npos) << table;
  EXPECT_NE(table.find("600.0       601.0  <= 512 B: not met\n"), std::string::npos) << table;
  EXPECT_NE(table.find("WorkerShared                     100.0         100.0\n"), std::string::npos) << table;
}

TEST(MemoryJson, HasARowForEachPartAndThoseOfAWorker) {
  const auto json = memory_json({memory_cell()}, "0.1.0", false);
  EXPECT_EQ(json["benchmark"], "memory");
  EXPECT_EQ(json["cells"][3].dump(),
            R"({"bearers":1000,"side":"control","part":"Record in its map node","bytes_computed":600.0,)"
            R"("bytes_resident":601.0,"target_bytes":512,"met":false})");
  EXPECT_EQ(json["once_a_worker"][2].dump(), R"({"part":"ClassBoard","bytes_computed":51200})");
}

TEST(MemoryTable, HoldsASplitConnectionWithAWindowOf32KiBAgainstItsTarget) {
  MemoryCell cell = memory_cell();
  const std::string table = memory_table({cell});
  EXPECT_NE(table.find("2000           -  <= 2048 B: met\n"), std::string::npos) << table;
  EXPECT_NE(table.find("3100           -  -\n"), std::string::npos) << table;
  EXPECT_NE(table.find("of 16 connections          32       50000       51000  -\n"), std::string::npos)
      << table;
  cell.splits[0].connection = 2049;
  EXPECT_NE(memory_table({cell}).find("<= 2048 B: not met\n"), std::string::npos);
  const auto json = memory_json({cell}, "0.1.0", false)["split_proxies"];
  EXPECT_EQ(
      json[0].dump(),
      R"({"part":"split connection","window":32768,"bytes_computed":2049,"target_bytes":2048,"met":false})");
  EXPECT_EQ(
      json[3].dump(),
      R"({"part":"split proxy","window":65536,"connections":8,"bytes_computed":40000,"bytes_resident":41000})");
}

TEST(MemoryFaults, NameAPartOfWhichMoreIsThereThanPagesExplain) {
  MemoryCell cell = memory_cell();
  EXPECT_EQ(memory_faults({cell}), "");
  cell.worker.index.resident += 20 << 20;
  EXPECT_NE(memory_faults({cell}).find("of index and list in memory"), std::string::npos);
  cell = memory_cell();
  cell.splits[1].proxy.resident *= 3;
  EXPECT_NE(memory_faults({cell}).find("of split proxy in memory"), std::string::npos);
}

TEST(MemoryInside, WhatIsToldIsWhatIsHeard) {
  const MemoryCell cell = memory_cell();
  const auto heard = memory_cell_of(nlohmann::json::parse(told_inside(cell).dump()));
  EXPECT_EQ(memory_table({heard}), memory_table({cell}));
  EXPECT_EQ(memory_json({heard}, "", false), memory_json({cell}, "", false));
}

// Fails when the figures that are computed from private layouts are out of date.
TEST(MemoryMeasured, IsWhatWasComputed) {
  constexpr std::uint32_t kBearers = 100'000;
  const auto worker = dp::yardstick::measure_worker_memory(kBearers);
  const auto control = measure_control_memory(kBearers, 1);
  const double near = 7 << 20;  // up to three arrays, each with a huge page that is not full
  EXPECT_NEAR(static_cast<double>(worker.bearers.resident), static_cast<double>(worker.bearers.computed),
              near);
  EXPECT_NEAR(static_cast<double>(worker.index.resident), static_cast<double>(worker.index.computed), near);
  EXPECT_NEAR(static_cast<double>(worker.calendar.resident), static_cast<double>(worker.calendar.computed),
              near);
  EXPECT_NEAR(static_cast<double>(control.resident), static_cast<double>(control.computed), near);
}

}  // namespace
}  // namespace bench
