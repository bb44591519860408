#include "control/startup.h"

#include <cerrno>
#include <iostream>

#include <signal.h>
#include <unistd.h>

#include "config/help.h"
#include "config/hints.h"
#include "control/host_facts.h"
#include "control/log.h"
#include "control/options.h"
#include "control/preflight.h"
#include "control/sizing.h"

namespace control {
namespace {

int report(const std::vector<config::Problem>& problems) {
  int code = kExitConfig;
  for (const config::Problem& problem : problems) {
    std::cerr << "rncd: " << config::to_string(problem) << "\n";
    if (problem.os_error == EACCES || problem.os_error == EPERM) code = kExitPermission;
  }
  return code;
}

int print_help(const std::string& section) {
  const auto text = config::help(section);
  if (!text) {
    std::cerr << "rncd: " << text.error().message << "\n";
    return kExitUsage;
  }
  std::cout << *text;
  return kExitOk;
}

config::Overrides all_overrides(const Options& options) {
  config::Environment environment = config::overrides_from_environment(::environ);
  for (const std::string& name : environment.unknown) {
    if (name != "RNCD_CONFIG" && name != "RNCD_SOCKET")
      log::warning("environment_unknown", {{"variable", name}});
  }
  config::Overrides overrides = std::move(environment.overrides);
  overrides.insert(overrides.end(), options.overrides.begin(), options.overrides.end());
  return overrides;
}

// Before any thread starts: all inherit the mask, and only the control thread's descriptor sees the signals.
void block_signals() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) ::sigaddset(&set, signal);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
}

int preflight(const config::Config& config, const dp::dpdk::Settings& settings, const HostFacts& host) {
  const Judgement judgement = judge(settings, foresee(config), host);
  for (const std::string& hint : judgement.hints) std::cerr << "rncd: hint: " << hint << "\n";
  for (const Complaint& complaint : judgement.complaints) std::cerr << "rncd: " << complaint.text << "\n";
  return judgement.exit_code();
}

StartUp check_host_and_claim(config::Config config, const Options& options, config::Overrides overrides) {
  const HostFacts host = gather_facts(config.dataplane.devices);
  auto settings = size_for(config, host);
  if (!settings) return {std::nullopt, fail(settings.error())};
  if (options.preflight) {
    const int code = preflight(config, *settings, host);
    if (code == kExitOk) {
      std::cout << options.config
                << ": this host can run it; memory: " << memory_text(*settings, foresee(config)) << "\n";
    }
    return {std::nullopt, code};
  }
  block_signals();
  // A second rncd would also be told of the first one's XDP programs; that it runs says more.
  auto instance = Instance::claim(config.control.socket);
  if (!instance && instance.error().exit_code == kExitRunning) return {std::nullopt, fail(instance.error())};
  if (const int code = preflight(config, *settings, host); code != kExitOk) {
    if (instance) instance->leave();
    return {std::nullopt, code};
  }
  if (!instance) return {std::nullopt, fail(instance.error())};
  return {Ready{std::move(config), std::move(*settings), options.config, std::move(overrides),
                std::move(*instance)},
          kExitOk};
}

}  // namespace

int fail(const dp::Error& error) {
  std::cerr << "rncd: " << error.message << "\n";
  return error.exit_code;
}

StartUp start_up(int argc, char** argv) {
  const ParsedOptions parsed = parse_options(argc, argv);
  if (!parsed.options) return {std::nullopt, parsed.exit_code};
  const Options& options = *parsed.options;
  if (options.help_config) return {std::nullopt, print_help(*options.help_config)};

  config::Overrides overrides = all_overrides(options);
  auto loaded = config::load_file(options.config, overrides);
  if (!loaded) return {std::nullopt, report(loaded.problems)};
  for (const std::string& hint : config::hints_of(*loaded)) {
    std::cerr << "rncd: hint: " << options.config << ": " << hint << "\n";
  }
  if (options.check) {
    std::cout << options.config << ": ok\n";
    return {std::nullopt, kExitOk};
  }
  log::configure(loaded->log);
  return check_host_and_claim(std::move(*loaded), options, std::move(overrides));
}

}  // namespace control
