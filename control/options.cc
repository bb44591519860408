#include "control/options.h"

#include <iostream>

#include <CLI/CLI.hpp>

#include "control/loop/version.h"

namespace control {
namespace {

constexpr const char* kFooter =
    R"(Precedence: flag, then environment, then file, then default. Every key of the file can be set by a variable:
dataplane.mode is RNCD_DATAPLANE_MODE. Signals: SIGTERM, SIGINT, SIGQUIT and SIGXCPU send what is queued and stop,
SIGHUP reads the file again; all others but those of crashes do nothing, and the log has them.

Exit codes:
  0  ok
  1  failure while running, or frames left behind or unaccounted for at the end
  2  wrong usage
  3  configuration not valid
  4  hardware: a port, the memory, the kernel (preflight names what is missing)
  5  permission
  6  already running
  7  DPDK's environment (EAL) could not start)";

std::string version_text() {
  std::string text = "rncd ";
  text.append(kVersion).append(" (DPDK ").append(kDpdkVersion).append(", ").append(kBuild).append(")");
  return text;
}

struct Raw {
  std::vector<std::string> set;
  std::string log_level;
  std::string help_section;
  std::string restore;
};

void describe(CLI::App& app, Options& options, Raw& raw) {
  app.footer(kFooter);
  app.add_option("--config", options.config, "configuration file")
      ->envname("RNCD_CONFIG")
      ->capture_default_str()
      ->type_name("FILE");
  auto* check =
      app.add_flag("--check", options.check, "check the configuration and leave; all errors on stderr");
  app.add_flag("--preflight", options.preflight, "check the configuration and the host, touch nothing, leave")
      ->excludes(check);
  app.add_option("--set", raw.set, "set one key of the configuration, e.g. dataplane.mode=tap; repeatable")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  app.add_option("--restore", raw.restore,
                 "take up what ran, from the file of control.state or another; without one it starts as ever")
      ->type_name("FILE")
      ->expected(0, 1);
  app.add_option("--help-config", raw.help_section,
                 "the reference of the configuration's keys, or a section of it")
      ->type_name("SECTION")
      ->expected(0, 1);
  app.add_option("--log-level", raw.log_level,
                 "trace, debug, info, warning or error; the same as --set log.level=")
      ->type_name("LEVEL");
  app.set_version_flag("--version", version_text());
}

ParsedOptions refuse(const std::string& message) {
  std::cerr << "rncd: " << message << "\n";
  return {std::nullopt, kExitUsage};
}

}  // namespace

ParsedOptions parse_options(int argc, const char* const* argv) {
  CLI::App app{"rncd: holds a buffer and a rate per UE between a mobile core and the radio access", "rncd"};
  Options options;
  Raw raw;
  describe(app, options, raw);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& answer) {
    app.exit(answer);
    return {std::nullopt, kExitOk};
  } catch (const CLI::ParseError& error) {
    return refuse(std::string(error.what()) + "; see rncd --help");
  }
  for (const std::string& text : raw.set) {
    auto parsed = config::override_from_flag(text);
    if (!parsed) return refuse(parsed.error().message);
    options.overrides.push_back(std::move(*parsed));
  }
  if (!raw.log_level.empty()) options.overrides.push_back({"--log-level", "log.level", raw.log_level});
  if (app.count("--help-config") > 0) options.help_config = raw.help_section;
  if (app.count("--restore") > 0) options.restore = raw.restore;
  return {std::move(options), kExitOk};
}

}  // namespace control
