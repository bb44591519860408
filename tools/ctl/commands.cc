#include "tools/ctl/commands.h"

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "config/notation/words.h"
#include "dataplane/base/ids.h"
#include "tools/ctl/arguments.h"
#include "tools/ctl/ask.h"
#include "tools/ctl/unknown_word.h"
#include "tools/ctl/views.h"

namespace ctl {
namespace {

// The values of one command's options; shared by the option that fills them and the callback that reads them.
struct Options {
  std::string name, policy, rate, mode, method, json;
  bool now = false;
};
using View = std::string (*)(const Json&);

Json mode_of(Caller& caller) {
  const auto stats = caller.call("stats.get", nullptr);
  return {{"mode", stats.value("mode", Json())}, {"unknown", stats.value("unknown", Json())}};
}

void show_stats(Caller& caller, const Output& output) {
  const Json stats = caller.call("stats.get", nullptr);
  if (output.json) {
    output.out << stats.dump() << std::endl;
  } else {
    std::ostream& out = output.painted != nullptr ? *output.painted : output.out;
    out << views::stats(stats, {.width = tools::kTerminal, .color = output.color}) << std::flush;
  }
}

void add_show_part(CLI::App& show, Command& chosen, const char* name, const char* doc, const char* method,
                   const char* pointer, View view) {
  show.add_subcommand(name, doc)->callback([=, &chosen] { chosen = {ask(method, nullptr, pointer), view}; });
}

void add_show_profile(CLI::App& show, Command& chosen) {
  auto o = std::make_shared<Options>();
  auto* profile = show.add_subcommand("profile", "AQM parameters by rate");
  profile->add_option("NAME", o->name, "those of this name");
  profile->add_option("--policy", o->policy, "those of this policy");
  profile->add_option("--rate", o->rate, "also what they give at this rate");
  profile->callback([=, &chosen] {
    Json params = Json::object();
    if (!o->name.empty()) params["name"] = o->name;
    if (!o->policy.empty()) params["policy"] = o->policy;
    if (!o->rate.empty()) params["rate"] = quantity(o->rate);
    chosen = {ask("profile.get", params), views::profiles};
  });
}

void add_show(CLI::App& app, Command& chosen) {
  auto* show = app.add_subcommand("show", "what is there and what happened")->require_subcommand(1);
  add_show_lists(*show, chosen);
  add_show_cells(*show, chosen);
  add_show_sessions(*show, chosen);
  add_show_profile(*show, chosen);
  show->add_subcommand("mode", "inline, tap, bypass or block")->callback([&chosen] {
    chosen = {mode_of, views::mode};
  });
  show->add_subcommand("stats", "everything counted")->callback([&chosen] {
    chosen.show = [](Caller& caller, const Output& output) { show_stats(caller, output); };
  });
  add_show_part(*show, chosen, "config", "the running configuration", "config.get", "", views::document);
  add_show_part(*show, chosen, "methods", "what the socket understands", "rpc.methods", "", views::methods);
  add_show_part(*show, chosen, "version", "rncd's version", "version", "", views::fields);
}

void add_mode(CLI::App& app, Command& chosen) {
  auto o = std::make_shared<Options>();
  auto* mode = app.add_subcommand("mode", "switch what the box does with frames");
  mode->add_option("MODE", o->mode, "inline, tap, bypass or block")
      ->required()
      ->check(CLI::IsMember(std::vector<std::string>(dp::kModeNames.begin(), dp::kModeNames.end())));
  mode->add_flag("--now", o->now, "do not wait for split proxies; what they have at risk is reset");
  mode->callback([=, &chosen] {
    Json params{{"mode", o->mode}};
    if (o->now) params["now"] = true;
    chosen = {ask("mode.set", params), views::mode_changed};
  });
}

void add_call(CLI::App& app, Command& chosen) {
  auto o = std::make_shared<Options>();
  auto* call = app.add_subcommand("call", "call any method (show methods)");
  call->add_option("METHOD", o->method)->required();
  call->add_option("JSON", o->json, "its parameters");
  call->callback([=, &chosen] { chosen = {ask(o->method, parsed(o->json)), views::document}; });
}

// The command at the end of a path of words, and the words before it.
struct Found {
  const CLI::App* command;
  std::string before;
};

Found find_command(const CLI::App& root, const std::vector<std::string>& words) {
  Found found{&root, ""};
  for (const std::string& word : words) {
    const auto next =
        found.command->get_subcommands([&](const CLI::App* one) { return one->get_name() == word; });
    if (next.empty()) {
      const std::string why = explain_unknown_word(root, words);
      throw CLI::ParseError(why.empty() ? "`" + config::shorten(word) + "` is no command" : why,
                            CLI::ExitCodes::InvalidError);
    }
    const std::string& name = found.command->get_name();
    found.before += (found.before.empty() ? "" : " ") + (name.empty() ? "rncctl" : name);
    found.command = next.front();
  }
  return found;
}

// CLI::App::help() of the program would print the help of the command `help`, which was chosen.
std::string help_of(const CLI::App& root, const std::vector<std::string>& words) {
  if (words.empty()) return root.get_formatter()->make_help(&root, "rncctl", CLI::AppFormatMode::Normal);
  const Found found = find_command(root, words);
  return found.command->help(found.before);
}

void add_help(CLI::App& app, Command& chosen) {
  auto words = std::make_shared<std::vector<std::string>>();
  auto* help = app.add_subcommand("help", "what --help prints, of rncctl or of a command");
  help->add_option("COMMAND", *words, "the words of the command, as in help show bearers");
  help->callback([words, &app, &chosen] {
    chosen.show = [text = help_of(app, *words)](Caller&, const Output& output) {
      output.out << text << std::flush;
    };
  });
}

}  // namespace

void add_commands(CLI::App& app, Command& chosen) {
  add_show(app, chosen);
  add_bearer_commands(app, chosen);
  add_cell_commands(app, chosen);
  add_mode(app, chosen);
  add_proxy_commands(app, chosen);
  add_event_commands(app, chosen);
  add_watch_command(app, chosen);
  add_top_command(app, chosen);
  add_why_command(app, chosen);
  add_capture_command(app, chosen);
  add_wire_commands(app, chosen);
  add_state_commands(app, chosen);
  add_config_commands(app, chosen);
  add_call(app, chosen);
  add_help(app, chosen);
}

}  // namespace ctl
