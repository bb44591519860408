#include "tools/bench/handoff.h"

#include <iostream>

#include <fmt/format.h>

#include "tools/bench/dpdk/timers.h"
#include "tools/bench/machine.h"
#include "tools/common/interrupt.h"
#include "tools/common/output.h"
#include "tools/common/table.h"
#include "tools/lab/figures/stats.h"

namespace bench {
namespace {

using dp::yardstick::HandoffChunks;
using dp::yardstick::HandoffPlan;

const std::vector<double>& chunks_of(const HandoffChunks& turn, HandoffPart part) {
  switch (part) {
    case HandoffPart::give:
      return turn.give;
    case HandoffPart::take:
      return turn.take;
    case HandoffPart::look:
      break;
  }
  return turn.look;
}

std::vector<HandoffCell> measure_handoff(const HandoffOptions& options, const HandoffSetting& setting) {
  std::vector<HandoffCell> cells;
  for (const unsigned batch : options.batches) {
    for (const bool read : {false, true}) cells.push_back({batch, read});
  }
  const double turns = static_cast<double>(cells.size()) * options.repetitions;
  Progress progress;
  for (unsigned turn = 0; turn < options.repetitions; ++turn) {
    progress.cell("turn " + std::to_string(turn + 1) + " of " + std::to_string(options.repetitions));
    for (HandoffCell& cell : cells) {
      if (tools::interrupted()) break;
      const HandoffPlan plan{{setting.cpus[0], setting.cpus[1]},
                             cell.batch,
                             options.between,
                             cell.read,
                             std::chrono::duration<double>(options.seconds / turns)};
      cell.turns.push_back(dp::yardstick::hand_off(plan, tools::interrupted()));
    }
    progress.clear();
  }
  return cells;
}

}  // namespace

void add_handoff_options(CLI::App& app, HandoffOptions& o) {
  app.add_option("--batches", o.batches, "how many frames go together")
      ->delimiter(',')
      ->check(CLI::Range(1u, 64u))
      ->capture_default_str();
  app.add_option("--between", o.between, "TSC cycles from one look at a ring to the next")
      ->check(CLI::Range(0u, 1u << 20))
      ->capture_default_str();
  app.add_option("--seconds", o.seconds, "measuring time of the whole run")
      ->check(CLI::Range(0.1, 86400.0))
      ->capture_default_str();
  app.add_option("--repetitions", o.repetitions, "turns of each batch size")
      ->check(CLI::Range(1u, 1000u))
      ->capture_default_str();
  app.add_option("--cpus", o.cpus, "CPUs of who gives and of who takes (default: the last two)")
      ->delimiter(',')
      ->expected(2);
  app.add_option("--json", o.json, "write the figures to this file as JSON; - is stdout");
}

HandoffFigures handoff_figures(const HandoffCell& cell, HandoffPart part) {
  std::vector<double> p50, p10;
  for (const HandoffChunks& turn : cell.turns) {
    const auto& chunks = chunks_of(turn, part);
    if (chunks.empty()) continue;
    p50.push_back(lab::percentile(chunks, 50));
    p10.push_back(lab::percentile(chunks, 10));
  }
  if (p50.empty()) return {};
  return {lab::median(p50), lab::median(p10)};
}

std::string handoff_table(const std::vector<HandoffCell>& cells) {
  tools::Table table({">TOGETHER", "SDU READ", ">GIVE p50", ">p10", ">TAKE p50", ">p10", ">BOTH p50", ">p10",
                      ">EMPTY LOOK p50"});
  const auto text = [](double cycles) { return fmt::format("{:.1f}", cycles); };
  for (const HandoffCell& cell : cells) {
    const HandoffFigures give = handoff_figures(cell, HandoffPart::give);
    const HandoffFigures take = handoff_figures(cell, HandoffPart::take);
    table.add_cells(cell.batch, cell.read ? "yes" : "no", text(give.p50), text(give.p10), text(take.p50),
                    text(take.p10), text(give.p50 + take.p50), text(give.p10 + take.p10),
                    text(handoff_figures(cell, HandoffPart::look).p50));
  }
  return table.text();
}

std::string handoff_explanation(const HandoffOptions& options, const HandoffSetting& setting) {
  return fmt::format(
      "rncbench handoff, rncd {}, CPUs {} and {}: {}, TSC {:.3f} GHz\n"
      "TSC cycles a frame over the workers' FrameRing, each end on a CPU of its own, which looks at its "
      "ring\n"
      "each {} cycles. GIVE: pushed in batches of so many. TAKE: popped in such; SDU READ: and its Sdu, "
      "which\n"
      "the other CPU has written, is read. EMPTY LOOK: a pop that finds nothing. p50 and p10: over chunks of "
      "64\n"
      "batches, then the median over the turns.\n\n",
      setting.version, setting.cpus[0], setting.cpus[1], setting.cpu_model, setting.cycles_per_ns,
      options.between);
}

nlohmann::ordered_json handoff_json(const std::vector<HandoffCell>& cells, const HandoffOptions& options,
                                    const HandoffSetting& setting) {
  auto rows = nlohmann::ordered_json::array();
  for (const HandoffCell& cell : cells) {
    const HandoffFigures give = handoff_figures(cell, HandoffPart::give);
    const HandoffFigures take = handoff_figures(cell, HandoffPart::take);
    const HandoffFigures look = handoff_figures(cell, HandoffPart::look);
    rows.push_back({{"together", cell.batch},
                    {"sdu_read", cell.read},
                    {"between_cycles", options.between},
                    {"give_cycles_p50", give.p50},
                    {"give_cycles_p10", give.p10},
                    {"take_cycles_p50", take.p50},
                    {"take_cycles_p10", take.p10},
                    {"look_cycles_p50", look.p50}});
  }
  return {{"benchmark", "handoff"},
          {"version", setting.version},
          {"cpus", setting.cpus},
          {"cpu_model", setting.cpu_model},
          {"cycles_per_ns", setting.cycles_per_ns},
          {"repetitions", options.repetitions},
          {"interrupted", setting.interrupted},
          {"cells", std::move(rows)}};
}

int run_handoff(const HandoffOptions& options, const std::string& version) {
  tools::catch_interrupts();
  HandoffSetting setting{version, cpu_model(), options.cpus.empty() ? last_cpus(2) : options.cpus};
  if (setting.cpus.size() < 2 || setting.cpus[0] == setting.cpus[1]) {
    std::cerr << "rncbench: found one CPU, needs two: one gives frames, the other takes them; name two with "
                 "--cpus, or let this process use more (taskset)\n";
    return 2;
  }
  setting.cycles_per_ns = dp::yardstick::measured_cycles_per_ns();
  try {
    const auto cells = measure_handoff(options, setting);
    setting.interrupted = tools::interrupted();
    tools::table_stream(options.json)
        << handoff_explanation(options, setting) << handoff_table(cells) << std::flush;
    if (!options.json.empty()) tools::write_json(handoff_json(cells, options, setting), options.json);
    return setting.interrupted ? tools::kInterruptedExit : 0;
  } catch (const std::exception& error) {
    std::cerr << "rncbench: " << error.what() << "\n";
    return 1;
  }
}

}  // namespace bench
