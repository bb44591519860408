#include "tools/lab/options.h"

#include <chrono>
#include <iostream>

#include "tools/lab/batch/pool.h"

namespace lab {

void add_common_options(CLI::App& app, CommonOptions& o) {
  o.jobs = default_jobs();
  app.add_option("--runs", o.runs, "runs of each row, with a seed each (default: the scenario's)")
      ->check(CLI::Range(1u, 1'000'000u));
  app.add_option("--jobs", o.jobs, "runs at a time")->check(CLI::Range(1u, 1024u))->capture_default_str();
  add_scenario_options(app, o);
}

void add_scenario_options(CLI::App& app, CommonOptions& o) {
  app.add_option("--seed", o.seed, "of the first run; the next have one more (default: the scenario's)");
  app.add_option("--json", o.json, "write the figures to this file as JSON; - is stdout");
  app.add_option("--plot", o.plot, "draw into this folder (needs gnuplot)");
  app.add_option("--set", o.set, "a key of the scenario that is different: KEY=VALUE")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

config::Overrides overrides_of(const CommonOptions& options) {
  config::Overrides all;
  for (const auto& argument : options.set) {
    auto one = config::override_from_flag(argument);
    if (!one) throw CLI::ValidationError("--set", one.error().message);
    all.push_back(std::move(*one));
  }
  return all;
}

RunSetting setting_of(const CommonOptions& options, const std::string& name, const Scenario& first,
                      unsigned runs, const std::string& version) {
  RunSetting setting;
  setting.version = version;
  setting.scenario = name;
  setting.runs = options.runs.value_or(runs);
  setting.seed = options.seed.value_or(first.seed);
  setting.duration_s = std::chrono::duration<double>(first.duration).count();
  return setting;
}

void print_warnings(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) std::cerr << "rnclab: warning: " << warning << "\n";
}

void print_problems(const std::vector<config::Problem>& problems) {
  for (const auto& problem : problems) std::cerr << "rnclab: " << to_string(problem) << "\n";
}

}  // namespace lab
