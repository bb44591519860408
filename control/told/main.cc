#include <iostream>
#include <optional>
#include <system_error>

#include <CLI/CLI.hpp>

#include "config/notation/visible_output.h"
#include "control/host/exit_code.h"
#include "control/host/instance.h"
#include "control/host/signals.h"
#include "control/loop/log.h"
#include "control/loop/version.h"
#include "control/told/daemon/daemon.h"
#include "control/told/daemon/preflight.h"
#include "control/told/daemon/settings.h"
#include "dataplane/base/standard_files.h"

namespace {

using control::ExitCode;

constexpr const char* kFooter = R"(SIGTERM and SIGINT end it; SIGHUP does not read the file again: restart it.

Exit codes:
  0  ok
  1  failure while running
  2  wrong usage
  3  configuration not valid
  4  this host cannot run it (preflight)
  5  permission
  6  already running)";

struct Options {
  std::string config = "/etc/rncd/told.yaml";
  bool check = false, preflight = false;
};

// The exit code after an answer was printed; none: go on.
std::optional<int> parse(int argc, char** argv, Options& options) {
  CLI::App app{"rncd-told: keeps rncd's bearers as a mobile core signals them", "rncd-told"};
  app.footer(kFooter);
  app.add_option("--config", options.config, "configuration file")->capture_default_str()->type_name("FILE");
  auto* check =
      app.add_flag("--check", options.check, "check the configuration and leave; all errors on stderr");
  app.add_flag("--preflight", options.preflight,
               "check the configuration, this host and the running rncd, keep nothing, leave")
      ->excludes(check);
  app.set_version_flag("--version", "rncd-told " + std::string(control::kVersion));
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& answer) {
    app.exit(answer);
    return control::kExitOk;
  } catch (const CLI::ParseError& error) {
    std::cerr << "rncd-told: " << error.what() << "; see rncd-told --help\n";
    return control::kExitUsage;
  }
  return std::nullopt;
}

int fail(const std::string& message, int code) {
  std::cerr << "rncd-told: " << message << std::endl;
  return code;
}

int preflight(const control::told::ToldConfig& config, const std::string& file) {
  const control::told::ToldJudgement judged = control::told::judge_host(config);
  for (const std::string& hint : judged.hints) std::cerr << "hint: " << hint << "\n";
  for (const std::string& complaint : judged.complaints) std::cerr << complaint << "\n";
  if (!judged.complaints.empty()) return control::kExitHardware;
  std::cout << file << ": this host can run it\n";
  return control::kExitOk;
}

int run(const control::told::ToldConfig& config, control::Instance& instance) try {
  control::told::ToldDaemon daemon(config, instance);
  daemon.run();
  return control::kExitOk;
} catch (const std::system_error& error) {
  const int code = error.code().value();
  return fail(error.what(),
              code == EACCES || code == EPERM ? control::kExitPermission : control::kExitRuntime);
} catch (const std::exception& error) {
  return fail(error.what(), control::kExitRuntime);
}

int start(const Options& options) {
  const auto config = control::told::load_config_file(options.config);
  for (const auto& problem : config.problems) std::cerr << config::to_string(problem) << "\n";
  if (!config) {
    const bool permission = config.problems.front().os_error == EACCES;
    return permission ? control::kExitPermission : control::kExitConfig;
  }
  if (options.check) return control::kExitOk;
  if (options.preflight) return preflight(*config, options.config);
  auto instance = control::Instance::claim(config->told.control.socket, std::chrono::milliseconds(2000),
                                           "told.control.socket");
  if (!instance && instance.error().exit_code == control::kExitRunning) {
    return fail("already running with the socket " + config->told.control.socket +
                    "; stop it, or give this one another: told.control.socket",
                control::kExitRunning);
  }
  if (!instance) return fail(instance.error().message, instance.error().exit_code);
  control::hold_signals();
  control::hold_stop_signals();
  control::log::configure(config->log);
  const control::log::Session log;
  const int code = run(*config, *instance);
  instance->leave();
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  dp::open_standard_files();
  const config::VisibleOutput output(std::cout), errors(std::cerr);
  Options options;
  if (const auto code = parse(argc, argv, options)) return *code;
  return start(options);
}
