#include <iostream>

#include <CLI/CLI.hpp>

#include "dataplane/base/standard_files.h"
#include "tools/lab/cmd_paper.h"
#include "tools/lab/cmd_replay.h"
#include "tools/lab/cmd_run.h"
#include "tools/lab/cmd_sweep.h"
#include "tools/lab/cmd_trace.h"

int main(int argc, char** argv) {
  dp::open_standard_files();
  CLI::App app("The data plane under a virtual clock, with TCP, wires and a radio around it.", "rnclab");
  app.footer("Exit codes: 0 ok, 1 fault, 2 usage, 3 configuration, 130 interrupted.");
  app.require_subcommand(1);
  app.set_version_flag("--version", RNCD_VERSION);
  lab::RunOptions run;
  lab::TraceOptions trace;
  lab::SweepOptions sweep;
  lab::PaperOptions paper;
  lab::ReplayOptions replay;
  lab::add_run_options(*app.add_subcommand("run", "a scenario, and what came of it over its runs"), run);
  lab::add_trace_options(*app.add_subcommand("trace", "one run, event by event"), trace);
  lab::add_sweep_options(*app.add_subcommand("sweep", "a scenario at every point of a grid"), sweep);
  lab::add_paper_options(*app.add_subcommand("paper", "a paper's rows beside its own figures"), paper);
  lab::add_replay_options(*app.add_subcommand("replay", "a capture's frames through the bearers of a box"),
                          replay);
  try {
    app.parse(argc, argv);
    if (app.got_subcommand("run")) return lab::run_run(run, RNCD_VERSION);
    if (app.got_subcommand("trace")) return lab::run_trace(trace, RNCD_VERSION);
    if (app.got_subcommand("sweep")) return lab::run_sweep(sweep, RNCD_VERSION);
    if (app.got_subcommand("replay")) return lab::run_replay(replay, RNCD_VERSION);
    return lab::run_paper(paper, RNCD_VERSION);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : lab::kUsage;
  } catch (const std::exception& error) {
    std::cerr << "rnclab: " << error.what() << "\n";
    return lab::kFault;
  }
}
