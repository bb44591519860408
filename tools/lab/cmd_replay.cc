#include "tools/lab/cmd_replay.h"

#include <algorithm>
#include <fstream>
#include <iostream>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "config/load.h"
#include "config/notation/units.h"
#include "tools/common/output.h"
#include "tools/lab/cmd_trace.h"
#include "tools/lab/replay/replay_report.h"

namespace lab {
namespace {

using Plant = std::optional<ReplayPlant>;

// None after an error, which has been printed.
Plant load_plant(const ReplayOptions& options) {
  if (!options.scenario.empty()) {
    const auto scenario = load_scenario_file(options.scenario, overrides_of(options));
    if (scenario) return plant_of(*scenario, options.seed.value_or(scenario->seed));
    print_problems(scenario.problems);
    return std::nullopt;
  }
  const auto config = config::load_file(options.config, overrides_of(options));
  if (config) return plant_of(*config);
  print_problems(config.problems);
  return std::nullopt;
}

dp::Duration duration_of(const std::string& text, const std::string& option) {
  const auto found = config::parse_quantity(dp::Unit::duration, text);
  if (!found) throw std::runtime_error(option + ": found '" + text + "', expected a duration such as 10ms");
  return dp::Duration{static_cast<std::int64_t>(*found)};
}

// A TTI of the first bearer's radio link, or the default.
dp::Duration tolerance_of(const ReplayOptions& options, const ReplayPlant& plant) {
  if (!options.within.empty()) return duration_of(options.within, "--within");
  for (const ReplayBearer& one : plant.bearers) {
    if (const auto* am = std::get_if<dp::AmLinkConfig>(&one.settings.downlink.link)) return am->tti;
  }
  return std::chrono::milliseconds{10};
}

void write_csv(const std::string& text, const std::string& path) {
  if (path == "-") {
    std::cout << text << std::flush;
    return;
  }
  std::ofstream file(path);
  file << text;
  if (!file.flush()) throw std::runtime_error("--csv " + path + ": cannot be written; give a path that can");
}

void tell_unordered(const Capture& capture, const std::string& name) {
  if (capture.unordered() == 0) return;
  std::cerr << "rnclab: " << name << ": " << capture.unordered()
            << " frames stand behind later ones; they are taken in the order of their times\n";
}

void check_found(const ReplayOptions& options, const Crossings& crossings) {
  if (!crossings.arrivals.empty()) return;
  std::string tunnels;
  if (crossings.gtp_u > 0) {
    tunnels = fmt::format("; {} are datagrams of GTP-U that the settings of `{}` do not look into",
                          crossings.gtp_u, options.config.empty() ? "gtp_u" : "dataplane.gtp_u");
  }
  throw std::runtime_error(
      fmt::format("{}: no frame of it came to the box: found {} frames of others than the bearers' UEs and "
                  "{} from before the "
                  "box's clock began; expected IP packets to or from the UEs of {}{}",
                  options.core, crossings.strange, crossings.early,
                  options.config.empty() ? options.scenario : options.config, tunnels));
}

dp::Time last_moment(const Crossings& crossings, const std::vector<BoReading>& readings) {
  dp::Time last = crossings.arrivals.back().at;
  if (!crossings.departures.empty()) last = std::max(last, crossings.departures.back().at);
  for (const BoReading& one : readings) last = std::max(last, one.answered);
  return last;
}

void print(const ReplayOptions& options, const std::string& version, const ReplayReport& report) {
  if (!options.csv.empty()) write_csv(report.csv(), options.csv);
  if (!options.json.empty()) {
    const Json document = {{"version", version},
                           {"capture", options.core},
                           {"seconds", report.at(report.input.end)},
                           {"within_s", static_cast<double>(report.tolerance.count()) / 1e9},
                           {"bearers", report.json()},
                           {"residue", report.run.residue}};
    tools::write_json(document, options.json);
  }
  if (!options.plot.empty()) report.draw(options.plot, picture_name(options.core));
  tools::table_stream(options.json == "-" ? options.json : options.csv) << report.text();
}

}  // namespace

void add_replay_options(CLI::App& app, ReplayOptions& o) {
  app.add_option(
         "capture", o.core,
         "pcap of what crossed the core port; without --radio of what came to either port; or a file of "
         "`rncctl capture UE --snaplen 65535`, which has both")
      ->required();
  app.add_option("--radio", o.radio, "pcap of what crossed the radio port meanwhile");
  auto* const from = app.add_option_group("from");
  from->add_option("--config", o.config, "rncd's configuration: whose bearers the frames go through");
  from->add_option("--scenario", o.scenario, "a scenario's instead, with its changes");
  from->require_option(1);
  app.add_option("--rrc", o.rrc,
                 "a change, as often as there are some: 30s:128k, 30s/UE:128k, or JSON as rrc.reconfigure "
                 "takes it in "
                 "place of the rate; @SECONDS since 1970 in place of 30s after the first frame")
      ->type_name("MOMENT:CHANGE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--epoch", o.epoch, "when the box's clock stood at 0 (default: the first frame)")
      ->type_name("MOMENT");
  app.add_option("--bo", o.bo, "CSV of BO as it was read from the box, to be held against ours");
  app.add_option("--every", o.every, "between two lines of the table beside the box; 0s for none")
      ->capture_default_str();
  app.add_option("--within", o.within, "what counts as the same moment (default: a TTI)");
  app.add_option("--csv", o.csv, "write what happened to this file as CSV; - is stdout");
  add_scenario_options(app, o);
}

int run_replay(const ReplayOptions& options, const std::string& version) {
  Plant plant = load_plant(options);
  if (!plant) return kConfiguration;
  Capture core = Capture::read(options.core);
  std::optional<Capture> radio;
  tell_unordered(core, options.core);
  if (!options.radio.empty()) {
    radio = Capture::read(options.radio);
  } else if (core.names_ports()) {
    radio = core.at_port(SeenAt::radio);
    core = core.at_port(SeenAt::core);
  }
  if (radio) tell_unordered(*radio, options.radio);
  if (core.frames().empty()) throw std::runtime_error(options.core + ": has no frames, expected some");
  const std::int64_t first = core.frames().front().at;
  const std::int64_t epoch = options.epoch.empty() ? first : parse_moment(options.epoch, first, "--epoch");
  for (const std::string& one : options.rrc) add_change(*plant, one, first, epoch);
  const Crossings crossings =
      crossings_of(core, radio ? &*radio : nullptr, *plant, epoch, options.core, options.radio);
  check_found(options, crossings);
  const auto readings = options.bo.empty() ? std::vector<BoReading>{} : read_bo(options.bo, *plant, epoch);
  const ReplayInput input{
      plant->bearers,  plant->changes, crossings.arrivals, plant->cell, last_moment(crossings, readings),
      plant->networks, plant->gtp_u};
  const ReplayRun run = replay(input);
  const dp::Duration tolerance = tolerance_of(options, *plant);
  const ReplayComparison compared(input, crossings, run, tolerance);
  const ReplayReport report{input,
                            crossings,
                            run,
                            compared,
                            readings,
                            dp::Time{dp::Duration{first - epoch}},
                            duration_of(options.every, "--every"),
                            tolerance,
                            radio.has_value()};
  print(options, version, report);
  return run.residue == 0 ? kOk : kFault;
}

}  // namespace lab
