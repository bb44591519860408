#include "tools/lab/cmd_trace.h"

#include <fstream>
#include <iostream>
#include <stdexcept>

#include "tools/common/output.h"
#include "tools/lab/figures/text.h"
#include "tools/lab/run/simulate.h"
#include "tools/lab/run/trace.h"
#include "tools/lab/scenario/trace_cap.h"

namespace lab {
namespace {

void write_csv(const TraceRecorder& trace, const std::string& path) {
  if (path == "-") {
    std::cout << trace.csv() << std::flush;
    return;
  }
  std::ofstream file(path);
  file << trace.csv();
  if (!file.flush()) throw std::runtime_error("--csv " + path + ": cannot be written; give a path that can");
}

Json trace_json(const TraceOptions& options, const Scenario& scenario, const std::string& version,
                const RunResult& run, const TraceRecorder& trace) {
  const RunSetting setting = setting_of(options, options.file, scenario, 1, version);
  const RowSummary all = summarise(std::span(&run, 1));
  Json rows = Json::array({row_json("all", static_cast<unsigned>(run.flows.size()), all)});
  Json json = document_json(setting, std::move(rows));
  json["series"] = trace.json();
  return json;
}

}  // namespace

std::string picture_name(const std::string& file) {
  const std::string stem = std::filesystem::path(file).stem().string();
  return stem.empty() ? "scenario" : stem;
}

void add_trace_options(CLI::App& app, TraceOptions& o) {
  app.add_option("file", o.file, "scenario")->required();
  app.add_option("--csv", o.csv,
                 "write the events to this file as CSV; - is stdout (default, if nothing else is asked for)");
  add_scenario_options(app, o);
}

int run_trace(const TraceOptions& options, const std::string& version) {
  const auto scenario = load_scenario_file(options.file, overrides_of(options));
  if (!scenario) {
    print_problems(scenario.problems);
    return kConfiguration;
  }
  print_warnings(warnings_of(*scenario));
  TraceRecorder trace(*scenario);
  const RunResult run = simulate(*scenario, options.seed.value_or(scenario->seed), &trace);
  const bool nothing = options.csv.empty() && options.json.empty() && options.plot.empty();
  if (nothing || !options.csv.empty()) write_csv(trace, nothing ? "-" : options.csv);
  if (!options.json.empty()) {
    tools::write_json(trace_json(options, *scenario, version, run, trace), options.json);
  }
  if (!options.plot.empty()) {
    const std::string name = picture_name(options.file);
    draw_trace({options.plot, name}, trace.plot(name + ", seed " + std::to_string(run.seed)));
    tools::table_stream(options.json.empty() ? options.csv : options.json)
        << (std::filesystem::path(options.plot) / (name + ".png")).string() << "\n";
  }
  return run.frames.residue == 0 && run.frames.damaged == 0 ? kOk : kFault;
}

}  // namespace lab
