#include "control/startup.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <thread>

#include <fmt/core.h>
#include <unistd.h>

#include "config/help.h"
#include "config/hints.h"
#include "control/host/host_facts.h"
#include "control/host/own_file.h"
#include "control/host/own_paths.h"
#include "control/host/preflight.h"
#include "control/host/preflight_cpus.h"
#include "control/host/signals.h"
#include "control/host/sizing.h"
#include "control/host/taken_link.h"
#include "control/host/unread.h"
#include "control/loop/http_server.h"
#include "control/loop/log.h"
#include "control/options.h"

namespace control {
namespace {

// Time for a process before this one to be gone: one that was killed takes a while to release its resources.
constexpr std::chrono::milliseconds kPatience{2000};

int report(const std::vector<config::Problem>& problems) {
  int code = kExitConfig;
  for (const config::Problem& problem : problems) {
    log::say(config::to_string(problem));
    if (problem.os_error == EACCES || problem.os_error == EPERM) code = kExitPermission;
  }
  return code;
}

int print_help(const std::string& section) {
  const auto text = config::help(section);
  if (!text) {
    log::say(text.error().message);
    return kExitUsage;
  }
  std::cout << *text;
  return kExitOk;
}

config::Overrides all_overrides(const Options& options) {
  config::Environment environment = config::overrides_from_environment(::environ);
  for (const std::string& name : environment.unknown) {
    if (name != "RNCD_CONFIG" && name != "RNCD_SOCKET")
      log::warning(Event::environment_unknown, {{"variable", name}});
  }
  config::Overrides overrides = std::move(environment.overrides);
  overrides.insert(overrides.end(), options.overrides.begin(), options.overrides.end());
  return overrides;
}

// The host's state once a process that is just ending, killed perhaps, has released the interfaces and the
// metrics' address: or as it is when that takes too long, because the process lives.
HostFacts settled_facts(const config::Config& config) {
  const auto held = [](const PortFacts& port) { return port.interface.holder.has_value(); };
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  const std::string& listen = config.metrics.listen;
  for (;;) {
    HostFacts host = gather_facts(config.dataplane.devices);
    if (!listen.empty()) {
      if (auto can = can_listen(listen); !can) host.unusable.push_back(can.error());
    }
    const bool late = std::chrono::steady_clock::now() >= deadline;
    if (late || (host.unusable.empty() && std::ranges::none_of(host.ports, held))) return host;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

// Everything that this host needs is there; else the exit code, the reasons having been logged.
struct Fit {
  std::optional<dp::dpdk::Settings> settings;
  int exit_code = kExitOk;
};

enum class JudgedFor : std::uint8_t { start, preflight };

Fit judge_host(const config::Config& config, const PathsJudged& paths, JudgedFor what) {
  HostFacts host = settled_facts(config);
  host.bypass_hook = config.dataplane.bypass_hook;
  if (!host.bypass_hook.empty()) host.bypass_hook_fact = program_fact(host.bypass_hook);
  for (dp::Error& error : judge_paths(config, paths)) host.unusable.push_back(std::move(error));
  auto settings = size_for(config, host);
  if (!settings) return {std::nullopt, fail(settings.error())};
  host.worker_cpus = cpu_facts(worker_cpus(*settings));
  Judgement judgement = judge(*settings, estimate_memory(config), host);
  if (const auto& gtp_u = config.dataplane.gtp_u) judge_tunnels(*gtp_u, settings->devices, host, judgement);
  for (const std::string& hint : judgement.hints) log::say("hint: " + hint);
  for (const FarEnd& end : judgement.far_ends) {
    if (what == JudgedFor::preflight) {
      log::say("hint: " + end.text);
    } else {
      log::warning(Event::far_end_drops, {{"port", dp::name(end.side)}, {"problem", end.text}});
    }
  }
  if (what == JudgedFor::preflight) {
    for (const std::string& note : judgement.notes) log::say("note: " + note);
  }
  for (const Complaint& complaint : judgement.complaints) log::say(complaint.text);
  if (const int code = judgement.exit_code(); code != kExitOk) return {std::nullopt, code};
  return {std::move(*settings), kExitOk};
}

// True if a start would take up the state of control.state, and put it aside if it cannot.
bool restores_own(const config::Config& config, const Options& options) {
  return options.restore && (options.restore->empty() || *options.restore == config.control.state);
}

int preflight(const config::Config& config, const Options& options) {
  const PathsJudged paths{options.config, restores_own(config, options)};
  const Fit fit = judge_host(config, paths, JudgedFor::preflight);
  if (!fit.settings) return fit.exit_code;
  if (const auto started = dp::dpdk::try_start(*fit.settings); !started) return fail(started.error());
  std::cout << options.config
            << ": this host can run it; memory: " << memory_text(*fit.settings, estimate_memory(config))
            << "\n";
  return kExitOk;
}

// Closes the descriptor by which an upgrade hands over the running state, once that was read.
void close_handed_over(const std::string& path) {
  int fd = -1;
  if (std::sscanf(path.c_str(), "/proc/self/fd/%d", &fd) == 1 && fd > STDERR_FILENO) ::close(fd);
}

// A state that cannot be used is logged, and keeps nobody from starting.
std::optional<SavedState> state_to_restore(const Options& options, const config::Config& config) {
  if (!options.restore) return std::nullopt;
  const std::string path = options.restore->empty() ? config.control.state : *options.restore;
  if (path.empty()) {
    log::warning(Event::no_state_to_restore,
                 {{"needed", "control.state, or the path of a file after --restore"}});
    return std::nullopt;
  }
  auto state = read_state(path);
  close_handed_over(path);
  if (!state) {
    const bool itself = is_file(path, options.config);
    const std::string kept = itself ? path : put_aside({kStateKind, path, "control.state"});
    log::error(Event::state_not_restored, {{"error", state.error().message}, {"kept", kept}});
    return std::nullopt;
  }
  if (!*state) log::info(Event::no_state_to_restore, {{"file", path}});
  return std::move(*state);
}

// A process before this one that was killed may have left an interface down, which preflight would report as
// a fault.
void bring_up_left_down(const std::string& socket) {
  TakenLink left(socket);
  left.find();
  if (left.index() == 0) return;
  const unsigned index = left.index();
  if (const auto done = left.give_back(); !done) {
    log::error(Event::link_not_propagated, {{"error", done.error().message}});
  } else {
    log::info(Event::link_propagated,
              {{"index", index}, {"change", "up"}, {"why", "the rncd that had taken it down was killed"}});
  }
}

StartUp check_host_and_claim(config::Config config, const Options& options, config::Overrides overrides) {
  if (options.preflight) return {std::nullopt, preflight(config, options)};
  hold_stop_signals();
  // A second rncd would also fail because the first one holds the interfaces; the error that it runs says
  // more.
  auto instance = Instance::claim(config.control.socket, kPatience);
  if (!instance && instance.error().exit_code == kExitRunning) return {std::nullopt, fail(instance.error())};
  // A state that cannot be read is put aside, and it may be another rncd's that runs.
  config::Config file = config;
  std::optional<SavedState> saved;
  if (instance) saved = state_to_restore(options, file);
  if (saved) config = to_start_with(*saved, file);
  if (instance) bring_up_left_down(config.control.socket);
  Fit fit = judge_host(config, {options.config}, JudgedFor::start);
  if (!fit.settings) {
    if (instance) instance->leave();
    return {std::nullopt, fit.exit_code};
  }
  if (!instance) return {std::nullopt, fail(instance.error())};
  Ready ready{std::move(config),    std::move(*fit.settings), options.config,
              std::move(overrides), std::move(*instance),     std::nullopt,
              std::move(saved),     std::move(file)};
  if (const std::string& path = ready.config.control.read_only; !path.empty()) {
    auto read_only = Instance::claim(path, kPatience, "control.read_only");
    if (!read_only) {
      ready.leave();
      return {std::nullopt, fail(read_only.error())};
    }
    ready.read_only = std::move(*read_only);
  }
  return {std::move(ready), kExitOk};
}

}  // namespace

int fail(const dp::Error& error) {
  log::say(error.message);
  return error.exit_code;
}

StartUp start_up(int argc, char** argv) {
  const ParsedOptions parsed = parse_options(argc, argv);
  if (!parsed.options) return {std::nullopt, parsed.exit_code};
  const Options& options = *parsed.options;
  if (options.help_config) return {std::nullopt, print_help(*options.help_config)};
  if (!options.check && !options.preflight) hold_signals();

  config::Overrides overrides = all_overrides(options);
  auto loaded = config::load_file(options.config, overrides);
  if (!loaded) return {std::nullopt, report(loaded.problems)};
  for (const std::string& hint : config::hints_of(*loaded)) {
    log::say(fmt::format("hint: {}: {}", options.config, hint));
  }
  if (options.check) {
    const PathsJudged paths{options.config, restores_own(*loaded, options), false};
    const std::vector<dp::Error> misplaced = judge_paths(*loaded, paths);
    for (const dp::Error& error : misplaced) log::say(error.message);
    if (!misplaced.empty()) return {std::nullopt, kExitConfig};
    std::cout << options.config << ": ok\n";
    return {std::nullopt, kExitOk};
  }
  log::configure(loaded->log);
  return check_host_and_claim(std::move(*loaded), options, std::move(overrides));
}

}  // namespace control
