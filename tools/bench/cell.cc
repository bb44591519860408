#include "tools/bench/cell.h"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <map>

#include <fmt/format.h>

#include "tools/bench/dpdk/timers.h"
#include "tools/bench/machine.h"
#include "tools/bench/options.h"
#include "tools/common/interrupt.h"
#include "tools/common/output.h"
#include "tools/common/table.h"
#include "tools/lab/figures/stats.h"

namespace bench {
namespace {

using dp::yardstick::CellPlan;
using dp::yardstick::CellSubject;

// Slots of all cells together in one chunk.
constexpr std::uint32_t kChunkSlots = 4000;

dp::SchedulerConfig scheduler_named(const std::string& name) {
  dp::SchedulerConfig scheduler;
  dp::SchedulerList::for_each([&]<class S>(dp::TypeTag<S>) {
    if (S::kName == name) scheduler = typename S::Config{};
  });
  return scheduler;
}

CellPlan plan_of(const SlotCell& cell, const SlotOptions& options) {
  CellPlan plan{cell.cells, cell.bearers, scheduler_named(options.scheduler), {}};
  plan.radio.radio = static_cast<dp::RadioChoice>(dp::RadioList::index_of(cell.radio));
  plan.radio.valid = dp::Duration{1'000'000'000'000'000};
  return plan;
}

std::vector<double> slot_turn(CellSubject& subject, const SlotCell& cell,
                              std::chrono::duration<double> spell) {
  using Clock = std::chrono::steady_clock;
  const std::uint32_t rounds = std::max(1u, kChunkSlots / cell.cells);
  for (std::uint32_t i = 0; i < 2 * rounds; ++i) subject.round();  // settles
  std::vector<double> chunks;
  for (const auto end = Clock::now() + spell; Clock::now() < end && !tools::interrupted();) {
    std::uint64_t cycles = 0;
    for (std::uint32_t i = 0; i < rounds; ++i) cycles += subject.round();
    chunks.push_back(static_cast<double>(cycles) / (static_cast<double>(rounds) * cell.cells));
  }
  return chunks;
}

std::vector<SlotCell> measure_slots(const SlotOptions& options) {
  std::vector<SlotCell> cells;
  for (const auto& radio : options.radios) {
    for (const std::uint32_t many : options.cells) {
      for (const std::uint32_t bearers : options.bearers) cells.push_back({radio, many, bearers});
    }
  }
  const std::chrono::duration<double> spell(options.seconds /
                                            (static_cast<double>(cells.size()) * options.repetitions));
  Progress progress;
  for (unsigned turn = 0; turn < options.repetitions; ++turn) {
    progress.cell(fmt::format("turn {} of {}", turn + 1, options.repetitions));
    for (SlotCell& cell : cells) {
      if (tools::interrupted()) break;
      progress.step(fmt::format("{} cells, {} bearers, {}", cell.cells, cell.bearers, cell.radio));
      const auto subject = dp::yardstick::make_cells(plan_of(cell, options));
      cell.turns.push_back(slot_turn(*subject, cell, spell));
    }
    progress.clear();
  }
  return cells;
}

std::uint64_t slot_bytes(const SlotOptions& options) {
  constexpr std::uint64_t kOfABearer = 4096;
  return kOfABearer * *std::ranges::max_element(options.cells) * *std::ranges::max_element(options.bearers);
}

std::string slot_explanation(const SlotOptions& options, const std::string& version, unsigned cpu,
                             double cycles_per_ns) {
  return fmt::format(
      "rncbench cell, rncd {}, CPU {}: {}, TSC {:.3f} GHz, scheduler {}\n"
      "TSC cycles of a slot: the cell's timer, what each waiting bearer's radio would carry, the choice, "
      "the\n"
      "mean rates, the leg that takes what was carried, and the timer of the next. All bearers wait. p50 "
      "and\n"
      "p10: over chunks of {} slots, then the median over the turns. TARGET: {:g} and {:g} for each bearer,\n"
      "and {:g} more for each whose radio is hdr.\n\n",
      version, cpu, cpu_model(), cycles_per_ns, options.scheduler, kChunkSlots, kSlotTarget,
      kSlotTargetBearer, kSlotTargetFading);
}

nlohmann::ordered_json slot_json(const std::vector<SlotCell>& cells, const SlotOptions& options,
                                 const std::string& version, unsigned cpu) {
  auto rows = nlohmann::ordered_json::array();
  for (const SlotCell& cell : cells) {
    const auto figures = slot_figures(cell);
    if (!figures) continue;
    rows.push_back({{"radio", cell.radio},
                    {"cells", cell.cells},
                    {"bearers", cell.bearers},
                    {"cycles_p50", figures->p50},
                    {"cycles_p10", figures->p10},
                    {"target", slot_target(cell.bearers, cell.radio)}});
  }
  return {{"benchmark", "cell"},
          {"version", version},
          {"cpu", cpu},
          {"cpu_model", cpu_model()},
          {"scheduler", options.scheduler},
          {"repetitions", options.repetitions},
          {"interrupted", tools::interrupted().load()},
          {"cells", std::move(rows)}};
}

}  // namespace

void add_slot_options(CLI::App& app, SlotOptions& o) {
  app.add_option("--cells", o.cells, "numbers of cells of one worker")
      ->delimiter(',')
      ->check(CLI::Range(1u, 100'000u))
      ->capture_default_str();
  app.add_option("--bearers", o.bearers, "numbers of bearers that wait in each")
      ->delimiter(',')
      ->check(CLI::Range(1u, dp::CellSettings::kMostMembers))
      ->capture_default_str();
  app.add_option("--scheduler", o.scheduler, "whose each slot is")
      ->check(CLI::IsMember(names_of<dp::SchedulerList>()))
      ->capture_default_str();
  app.add_option("--radios", o.radios, "what says what a slot would carry")
      ->delimiter(',')
      ->check(CLI::IsMember(std::vector<std::string>{"constant", "reported", "hdr"}))
      ->capture_default_str();
  app.add_option("--seconds", o.seconds, "measuring time of the whole run")
      ->check(CLI::Range(0.1, 86400.0))
      ->capture_default_str();
  app.add_option("--repetitions", o.repetitions, "turns of each row")
      ->check(CLI::Range(1u, 1000u))
      ->capture_default_str();
  app.add_option("--cpu", o.cpu, "CPU to run on (default: the last one)");
  app.add_option("--json", o.json, "write the figures to this file as JSON; - is stdout");
}

double slot_target(std::uint32_t bearers, const std::string& radio) {
  return kSlotTarget + bearers * (kSlotTargetBearer + (radio == "hdr" ? kSlotTargetFading : 0));
}

std::optional<SlotFigures> slot_figures(const SlotCell& cell) {
  std::vector<double> p50, p10;
  for (const auto& chunks : cell.turns) {
    if (chunks.empty()) continue;
    p50.push_back(lab::percentile(chunks, 50));
    p10.push_back(lab::percentile(chunks, 10));
  }
  if (p50.empty()) return std::nullopt;
  return SlotFigures{lab::median(p50), lab::median(p10)};
}

std::string slot_table(const std::vector<SlotCell>& cells) {
  tools::Table table({"RADIO", ">CELLS", ">BEARERS WAITING", ">SLOT p50", ">p10", ">TARGET", "MET"});
  for (const SlotCell& cell : cells) {
    const auto figures = slot_figures(cell);
    if (!figures) continue;
    const double target = slot_target(cell.bearers, cell.radio);
    table.add_cells(cell.radio, cell.cells, cell.bearers, fmt::format("{:.0f}", figures->p50),
                    fmt::format("{:.0f}", figures->p10), fmt::format("{:.0f}", target),
                    figures->p50 <= target ? "yes" : "no");
  }
  return table.text();
}

std::string slot_verdict(const std::vector<SlotCell>& cells) {
  std::string out;
  for (const SlotCell& cell : cells) {
    const auto figures = slot_figures(cell);
    if (cell.cells != 1000 || cell.bearers != 4 || !figures) continue;
    const double part = figures->p50 * 1000 * 600 / kSlotCoreHz;
    out += fmt::format(
        "1000 cells of 4 waiting bearers, {}: {:.1f} % of a core at {:g} GHz (target {:g} %: {})\n",
        cell.radio, 100 * part, kSlotCoreHz / 1e9, 100 * kSlotCoreShare,
        part <= kSlotCoreShare ? "met" : "not met");
  }
  return out.empty() ? out : "\n" + out;
}

int run_slots(const SlotOptions& options, const std::string& version) {
  tools::catch_interrupts();
  if (!memory_there(slot_bytes(options), "ask for fewer cells with --cells 1,100")) return kMemoryExit;
  const unsigned cpu = options.cpu.value_or(last_cpu());
  if (!run_on(cpu)) {
    std::cerr << "rncbench: found CPU " << cpu
              << ", which this process may not use; name another with --cpu\n";
    return 2;
  }
  try {
    const auto cells = measure_slots(options);
    tools::table_stream(options.json)
        << slot_explanation(options, version, cpu, dp::yardstick::measured_cycles_per_ns())
        << slot_table(cells) << slot_verdict(cells) << std::flush;
    if (!options.json.empty()) tools::write_json(slot_json(cells, options, version, cpu), options.json);
    return tools::interrupted() ? tools::kInterruptedExit : 0;
  } catch (const std::exception& error) {
    std::cerr << "rncbench: " << error.what() << "\n";
    return 1;
  }
}

}  // namespace bench
