#include <cstdlib>
#include <iostream>
#include <stdexcept>

#include <CLI/CLI.hpp>
#include <unistd.h>

#include "config/notation/visible_output.h"
#include "dataplane/base/standard_files.h"
#include "tools/ctl/arguments.h"
#include "tools/ctl/client.h"
#include "tools/ctl/commands.h"
#include "tools/ctl/input.h"
#include "tools/ctl/unknown_word.h"

namespace {

enum Exit { kOk = 0, kRefused = 1, kUsage = 2, kNoConnection = 3 };

struct Globals {
  std::string socket = "/run/rncd/rncd.sock";
  std::string script;
  std::uint32_t timeout_ms = 10'000;
  std::string color = "auto";
  bool json = false;
  bool keep_going = false;
};

// The form of what goes to standard output, as it is for the whole run.
struct Terminal {
  std::ostream& painted;  // standard output without the filter of control characters
  bool json = false;
  bool color = false;

  ctl::Output output() const {
    return {std::cout, std::cerr, json, ::isatty(STDOUT_FILENO) == 0, color, color ? &painted : nullptr};
  }
};

// https://no-color.org
bool wants_color(const std::string& when) {
  const char* const none = std::getenv("NO_COLOR");
  if (when != "auto") return when == "always";
  return ::isatty(STDOUT_FILENO) == 1 && (none == nullptr || *none == '\0');
}

// One sentence for each fault; for machines the error in the form of JSON-RPC.
void print_refusal(const ctl::Refused& refused, bool json, const std::string& where) {
  std::cerr << "rncctl: " << where << "refused: " << refused.what() << "\n";
  const auto& data = refused.data;
  if (data.is_object() && data.contains("problems")) {
    const auto& problems = data["problems"];
    for (std::size_t i = 1; i < problems.size(); ++i) {
      std::cerr << "rncctl: " << where << "refused: " << problems[i].get<std::string>() << "\n";
    }
  }
  if (!json) return;
  ctl::Json error{{"message", refused.what()}};
  if (refused.code != 0) error["code"] = refused.code;
  if (!data.is_null()) error["data"] = data;
  std::cout << ctl::Json{{"error", error}}.dump() << std::endl;
}

// Runs one command; `where` names its place in a script.
int run(const ctl::Command& command, ctl::Caller& caller, const Terminal& terminal,
        const std::string& where) {
  try {
    if (command.show) {
      command.show(caller, terminal.output());
      return kOk;
    }
    const auto result = command.fetch(caller);
    std::cout << (terminal.json ? result.dump() + "\n" : command.text(result)) << std::flush;
    return !command.good || command.good(result) ? kOk : kRefused;
  } catch (const ctl::Refused& refused) {
    print_refusal(refused, terminal.json, where);
    return kRefused;
  } catch (const ctl::NoConnection& none) {
    std::cerr << "rncctl: " << where << none.what() << "\n";
    return kNoConnection;
  } catch (const ctl::Json::exception& odd) {
    std::cerr << "rncctl: " << where << "an answer of another shape than expected: " << odd.what() << "\n";
    return kRefused;
  }
}

// CLI11's message, unless a word is no command: then which, and what was meant.
std::string explained(const CLI::App& app, const std::vector<std::string>& words,
                      const CLI::ParseError& error) {
  const std::string why = ctl::explain_unknown_word(app, words);
  return why.empty() ? error.what() : why;
}

// One line of a script: empty and comment lines are fine.
int run_line(const std::string& line, ctl::Caller& caller, const Terminal& terminal,
             const std::string& where) {
  try {
    const auto words = ctl::split_words(line);
    if (words.empty()) return kOk;
    ctl::Command command;
    CLI::App app;
    app.set_help_flag();
    app.require_subcommand(0, 1);
    ctl::add_commands(app, command);
    try {
      app.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // in the order CLI11 wants
    } catch (const CLI::ParseError& error) {
      throw std::invalid_argument(explained(app, words, error));
    }
    if (!command.chosen()) throw std::invalid_argument("a command is required");
    return run(command, caller, terminal, where);
  } catch (const std::exception& error) {  // std::invalid_argument
    std::cerr << "rncctl: " << where << error.what() << "\n";
  }
  return kUsage;
}

int run_script(const Globals& globals, ctl::Caller& caller, const Terminal& terminal) try {
  ctl::Lines lines(globals.script, "a script of commands, one a line");
  int first = kOk;
  while (const auto line = lines.next()) {
    const auto where = globals.script + ":" + std::to_string(lines.number()) + ": ";
    const int status = run_line(*line, caller, terminal, where);
    if (first == kOk) first = status;
    if (status == kNoConnection || (status != kOk && !globals.keep_going)) break;
  }
  return first;
} catch (const CLI::ValidationError& unread) {
  std::cerr << "rncctl: " << unread.what() << "\n";
  return kUsage;
}

void add_globals(CLI::App& app, Globals& globals) {
  app.add_option("-s,--socket", globals.socket,
                 "the control socket of rncd, or of rncd-told for show sessions")
      ->envname("RNCD_SOCKET")
      ->capture_default_str();
  app.add_flag("-j,--json", globals.json, "print JSON");
  app.add_option("--color", globals.color,
                 "colours: auto (on a terminal, unless NO_COLOR is set), always or never")
      ->capture_default_str()
      ->check(CLI::IsMember({"auto", "always", "never"}));
  auto* script =
      app.add_option("-f,--file", globals.script, "run a script: one command a line, # comments, - is stdin");
  app.add_flag("-k,--keep-going", globals.keep_going, "do not stop a script at its first error")
      ->needs(script);
  app.add_option("--timeout", globals.timeout_ms, "milliseconds to wait for an answer")
      ->capture_default_str()
      ->check(ctl::whole_number(1, 3'600'000));
}

}  // namespace

int main(int argc, char** argv) {
  dp::open_standard_files();
  std::ostream painted(std::cout.rdbuf());
  const config::VisibleOutput output(std::cout), errors(std::cerr);
  CLI::App app("Talks to a running rncd over its control socket.", "rncctl");
  app.footer("Exit codes: 0 ok, 1 refused, 2 usage, 3 no connection.");
  app.fallthrough();
  app.require_subcommand(0, 1);
  app.set_version_flag("--version", RNCD_VERSION);
  Globals globals;
  ctl::Command command;
  add_globals(app, globals);
  ctl::add_commands(app, command);
  try {
    app.parse(argc, argv);
    if (globals.script.empty() == !command.chosen()) throw CLI::RequiredError("a command, or -f FILE,");
  } catch (const CLI::ParseError& error) {
    const std::vector<std::string> words(argv + 1, argv + argc);
    const std::string why = error.get_exit_code() == 0 ? "" : ctl::explain_unknown_word(app, words);
    if (why.empty()) return app.exit(error) == 0 ? kOk : kUsage;
    std::cerr << "rncctl: " << why << "\nRun with --help for more information.\n";
    return kUsage;
  }
  if (command.socket != nullptr && app.count("--socket") == 0) globals.socket = command.socket;
  ctl::Client client(globals.socket, std::chrono::milliseconds(globals.timeout_ms));
  const Terminal terminal{painted, globals.json, wants_color(globals.color)};
  return command.chosen() ? run(command, client, terminal, "") : run_script(globals, client, terminal);
}
