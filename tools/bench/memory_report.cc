#include <fmt/format.h>

#include "tools/bench/memory.h"
#include "tools/bench/memory_cells.h"
#include "tools/common/table.h"

namespace bench {
namespace {

using dp::yardstick::Bytes;
using dp::yardstick::WorkerMemory;

constexpr std::string_view kMemoryExplanation =
    "bytes a bearer, idle: no frame queued, a downlink that shapes, drop-tail, no ACK stages.\n"
    "computed: from the types. resident: what the process grew by; memory comes in whole pages, huge ones\n"
    "where it asks for them, so few bearers seem to need more. The target is held against what is "
    "computed.\n";

// More than this of a part is no rounding to huge pages: some arrays each may have one that is not full.
constexpr std::uint64_t kRounding = std::uint64_t{10} << 20;

Bytes sum(const Bytes& a, const Bytes& b) { return {a.computed + b.computed, a.resident + b.resident}; }

nlohmann::ordered_json bytes_json(const Bytes& bytes) { return {bytes.computed, bytes.resident}; }
Bytes bytes_of(const nlohmann::json& pair) {
  return {pair.at(0).get<std::uint64_t>(), pair.at(1).get<std::uint64_t>()};
}

std::string fixed_table(const WorkerMemory& worker) {
  tools::Table table({"ONCE A WORKER", ">COMPUTED KiB", ">RESIDENT KiB"});
  const auto kib = [](std::uint64_t bytes) {
    return fmt::format("{:.1f}", static_cast<double>(bytes) / 1024);
  };
  table.add({"Calendar", kib(worker.calendar.computed), kib(worker.calendar.resident)});
  table.add({"WorkerShared", kib(worker.shared.computed), kib(worker.shared.resident)});
  table.add({"  of which ClassBoard", kib(worker.class_board), "-"});
  table.add({"Worker, without Calendar", kib(worker.rest_of_worker), "-"});
  return table.text();
}

std::string split_table(const std::vector<SplitMemory>& splits) {
  tools::Table table({"SPLIT PROXY", ">WINDOW KiB", ">COMPUTED B", ">RESIDENT B", "TARGET"});
  for (const SplitMemory& s : splits) {
    const auto target = fmt::format("<= {} B: {}", kSplitTargetBytes, s.met() ? "met" : "not met");
    table.add_cells("a connection", s.window >> 10, s.connection, "-", s.judged() ? target : "-");
    table.add_cells(fmt::format("a bearer's, of {} connections", s.connections), s.window >> 10,
                    s.proxy.computed, s.proxy.resident, "-");
  }
  return table.text();
}

nlohmann::ordered_json splits_json(const std::vector<SplitMemory>& splits) {
  auto rows = nlohmann::ordered_json::array();
  for (const SplitMemory& s : splits) {
    rows.push_back({{"part", "split connection"}, {"window", s.window}, {"bytes_computed", s.connection}});
    if (s.judged()) {
      rows.back()["target_bytes"] = kSplitTargetBytes;
      rows.back()["met"] = s.met();
    }
    rows.push_back({{"part", "split proxy"},
                    {"window", s.window},
                    {"connections", s.connections},
                    {"bytes_computed", s.proxy.computed},
                    {"bytes_resident", s.proxy.resident}});
  }
  return rows;
}

}  // namespace

std::vector<MemoryRow> memory_rows(const std::vector<MemoryCell>& cells) {
  std::vector<MemoryRow> rows;
  for (const MemoryCell& cell : cells) {
    const auto add = [&](const char* side, const char* part, const Bytes& bytes, bool judged) {
      const auto each = [&](std::uint64_t all) { return static_cast<double>(all) / cell.bearers; };
      rows.push_back({cell.bearers, side, part, each(bytes.computed), each(bytes.resident), judged});
    };
    add("worker", "Bearer", cell.worker.bearers, false);
    add("worker", "index and list", cell.worker.index, false);
    add("worker", "all", sum(cell.worker.bearers, cell.worker.index), true);
    add("control", "Record in its map node", cell.control, true);
  }
  return rows;
}

std::string memory_faults(const std::vector<MemoryCell>& cells) {
  std::string text;
  for (const MemoryCell& cell : cells) {
    const auto tell = [&](std::string_view part, const Bytes& bytes) {
      if (bytes.resident <= bytes.computed + bytes.computed / 20 + kRounding) return;
      text += fmt::format(
          "rncbench: {} bearers: found {} bytes of {} in memory, expected about {}: what tools/bench "
          "computes of it "
          "is out of date, or it allocates what it should not\n",
          cell.bearers, bytes.resident, part, bytes.computed);
    };
    const auto tell_each = [&](std::string_view part, const Bytes& one) {
      tell(part, {one.computed * kSplitProxies, one.resident * kSplitProxies});
    };
    tell("Bearer", cell.worker.bearers);
    tell("index and list", cell.worker.index);
    tell("Record", cell.control);
    tell("Calendar", cell.worker.calendar);
    tell("WorkerShared", cell.worker.shared);
    for (const SplitMemory& s : cell.splits) tell_each("split proxy", s.proxy);
  }
  return text;
}

std::string memory_table(const std::vector<MemoryCell>& cells) {
  tools::Table table({">BEARERS", "SIDE", "PART", ">COMPUTED B", ">RESIDENT B", "TARGET"});
  for (const MemoryRow& row : memory_rows(cells)) {
    table.add_cells(
        row.bearers, row.side, row.part, fmt::format("{:.1f}", row.computed),
        fmt::format("{:.1f}", row.resident),
        row.judged ? fmt::format("<= {} B: {}", kMemoryTargetBytes, row.met() ? "met" : "not met") : "-");
  }
  std::string text = table.text() + std::string(kMemoryExplanation);
  if (!cells.empty()) {
    text += "\n" + fixed_table(cells.front().worker) + "\n" + split_table(cells.front().splits);
  }
  return text;
}

nlohmann::ordered_json memory_json(const std::vector<MemoryCell>& cells, const std::string& version,
                                   bool interrupted) {
  auto rows = nlohmann::ordered_json::array();
  for (const MemoryRow& row : memory_rows(cells)) {
    nlohmann::ordered_json json{{"bearers", row.bearers},
                                {"side", row.side},
                                {"part", row.part},
                                {"bytes_computed", row.computed},
                                {"bytes_resident", row.resident}};
    if (row.judged) {
      json["target_bytes"] = kMemoryTargetBytes;
      json["met"] = row.met();
    }
    rows.push_back(std::move(json));
  }
  auto fixed = nlohmann::ordered_json::array();
  if (!cells.empty()) {
    const WorkerMemory& worker = cells.front().worker;
    const auto add = [&](const char* part, std::uint64_t computed) {
      fixed.push_back({{"part", part}, {"bytes_computed", computed}});
      return &fixed.back();
    };
    (*add("Calendar", worker.calendar.computed))["bytes_resident"] = worker.calendar.resident;
    (*add("WorkerShared", worker.shared.computed))["bytes_resident"] = worker.shared.resident;
    add("ClassBoard", worker.class_board);
    add("Worker without Calendar", worker.rest_of_worker);
  }
  return {
      {"benchmark", "memory"},
      {"version", version},
      {"interrupted", interrupted},
      {"cells", std::move(rows)},
      {"once_a_worker", std::move(fixed)},
      {"split_proxies", cells.empty() ? nlohmann::ordered_json::array() : splits_json(cells.front().splits)}};
}

nlohmann::ordered_json told_inside(const MemoryCell& cell) {
  const WorkerMemory& worker = cell.worker;
  auto splits = nlohmann::ordered_json::array();
  for (const SplitMemory& s : cell.splits) {
    splits.push_back({{"window", s.window},
                      {"connections", s.connections},
                      {"connection", s.connection},
                      {"proxy", bytes_json(s.proxy)}});
  }
  return {{"bearers", cell.bearers},
          {"bearer", bytes_json(worker.bearers)},
          {"index", bytes_json(worker.index)},
          {"calendar", bytes_json(worker.calendar)},
          {"shared", bytes_json(worker.shared)},
          {"class_board", worker.class_board},
          {"rest_of_worker", worker.rest_of_worker},
          {"control", bytes_json(cell.control)},
          {"splits", std::move(splits)}};
}

MemoryCell memory_cell_of(const nlohmann::json& told) {
  MemoryCell cell;
  cell.bearers = told.at("bearers");
  cell.worker.bearers = bytes_of(told.at("bearer"));
  cell.worker.index = bytes_of(told.at("index"));
  cell.worker.calendar = bytes_of(told.at("calendar"));
  cell.worker.shared = bytes_of(told.at("shared"));
  cell.worker.class_board = told.at("class_board");
  cell.worker.rest_of_worker = told.at("rest_of_worker");
  cell.control = bytes_of(told.at("control"));
  for (const nlohmann::json& s : told.at("splits")) {
    cell.splits.push_back({s.at("window"), s.at("connections"), s.at("connection"), bytes_of(s.at("proxy"))});
  }
  return cell;
}

}  // namespace bench
