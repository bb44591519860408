#include <CLI/CLI.hpp>

#include "dataplane/base/standard_files.h"
#include "tools/bench/cell.h"
#include "tools/bench/counts.h"
#include "tools/bench/handoff.h"
#include "tools/bench/lab.h"
#include "tools/bench/live.h"
#include "tools/bench/memory.h"
#include "tools/bench/options.h"
#include "tools/bench/path.h"
#include "tools/bench/timers.h"

int main(int argc, char** argv) {
  dp::open_standard_files();
  CLI::App app("What rncd costs, side by side with what a user would pick instead.", "rncbench");
  app.footer("Exit codes: 0 ok, 1 fault, 2 usage, 4 memory, 5 permission, 7 EAL, 130 interrupted.");
  app.require_subcommand(1);
  app.set_version_flag("--version", RNCD_VERSION);
  bench::Options options;
  CLI::App* path =
      app.add_subcommand("path", "nanoseconds a packet through the worker, rte_sched, and no scheduler");
  bench::add_options(*path, options);
  bench::CountOptions counts;
  CLI::App* counts_app =
      app.add_subcommand("counts", "instructions and cache misses a packet, which no noise touches");
  bench::add_count_options(*counts_app, counts);
  bench::SlotOptions slots;
  CLI::App* slots_app =
      app.add_subcommand("cell", "cycles of a slot, by how many cells and how many bearers wait in each");
  bench::add_slot_options(*slots_app, slots);
  bench::HandoffOptions handoff;
  CLI::App* handoff_app =
      app.add_subcommand("handoff", "cycles a frame that one worker gives and another, on its CPU, takes");
  bench::add_handoff_options(*handoff_app, handoff);
  bench::LabOptions lab;
  CLI::App* lab_app =
      app.add_subcommand("lab", "seconds that one core simulates in a second: rnclab and ns-2");
  bench::add_lab_options(*lab_app, lab);
  bench::TimerOptions timers;
  CLI::App* timers_app =
      app.add_subcommand("timers", "nanoseconds to re-arm and to expire a timer: the Calendar and rte_timer");
  bench::add_timer_options(*timers_app, timers);
  bench::MemoryOptions memory;
  CLI::App* memory_app =
      app.add_subcommand("memory", "bytes of an idle bearer, the worker's part and control's");
  bench::add_memory_options(*memory_app, memory);
  for (const auto& [name, what] : bench::kLiveBenchmarks) bench::add_live(app, name, what);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  for (const auto& [name, what] : bench::kLiveBenchmarks) {
    if (app.got_subcommand(name))
      return bench::run_live(app.get_subcommand(name)->remaining(), name, RNCD_VERSION);
  }
  if (app.got_subcommand(slots_app)) return bench::run_slots(slots, RNCD_VERSION);
  if (app.got_subcommand(handoff_app)) return bench::run_handoff(handoff, RNCD_VERSION);
  if (app.got_subcommand(lab_app)) return bench::run_lab(lab, RNCD_VERSION);
  if (app.got_subcommand(counts_app)) return bench::run_counts(counts, RNCD_VERSION);
  if (app.got_subcommand(timers_app)) return bench::run_timers(timers, RNCD_VERSION);
  if (app.got_subcommand(memory_app)) return bench::run_memory(memory, RNCD_VERSION);
  return bench::run_path(options, RNCD_VERSION);
}
