// The commands of rncctl: from words to requests, and from answers to what is printed.
#pragma once
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "tools/ctl/client.h"

namespace ctl {

// The place where an answer goes, and its form.
struct Output {
  std::ostream& out;
  std::ostream& notes;  // for people, beside the answer
  bool json = false;
  bool progress = false;  // notes tell how far a long answer is
  bool color = false;     // tables have colours
  // The place of text with colours, whose writer takes care of control characters; null: `out`.
  std::ostream* painted = nullptr;
};

struct Command {
  std::function<Json(Caller&)> fetch;  // sends the request, and returns the part of the answer that is shown
  std::function<std::string(const Json&)> text;     // that part for people
  std::function<bool(const Json&)> good = nullptr;  // false: an answer that counts as a refusal
  // In place of the others, for an answer that is shown before all of it is there, or that depends on how.
  std::function<void(Caller&, const Output&)> show = nullptr;

  const char* socket = nullptr;  // the default socket of another program that is asked; null: rncd's

  bool chosen() const { return fetch || show; }
};

// Adds the command tree to `app`; parsing fills in `chosen`, which must outlive the app.
void add_commands(CLI::App& app, Command& chosen);

// Adds the commands that make, change and remove bearers.
void add_bearer_commands(CLI::App& app, Command& chosen);
// Adds the commands that show lists of bearers, flows and tunnels, and one bearer.
void add_show_lists(CLI::App& show, Command& chosen);
// Adds the command that shows the sessions of rncd-told.
void add_show_sessions(CLI::App& show, Command& chosen);
// Adds the commands about cells.
void add_cell_commands(CLI::App& app, Command& chosen);
void add_show_cells(CLI::App& show, Command& chosen);
// Adds the commands about split proxies.
void add_proxy_commands(CLI::App& app, Command& chosen);
// Adds the commands that go on until they are interrupted: of events, and of one bearer.
void add_event_commands(CLI::App& app, Command& chosen);
void add_watch_command(CLI::App& app, Command& chosen);
// Adds the commands that tell which bearers lead, and why one is as fast as it is.
void add_top_command(CLI::App& app, Command& chosen);
void add_why_command(CLI::App& app, Command& chosen);
// Adds the command that captures frames.
void add_capture_command(CLI::App& app, Command& chosen);
// Adds the commands about the whole daemon.
void add_state_commands(CLI::App& app, Command& chosen);
// Adds the commands that apply a configuration, or take back an earlier one.
void add_config_commands(CLI::App& app, Command& chosen);
// Adds the commands about the wire's XDP program.
void add_wire_commands(CLI::App& app, Command& chosen);

}  // namespace ctl
