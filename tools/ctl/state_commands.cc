// The commands about what runs as a whole: saving it, replacing it, and replacing rncd.
#include <chrono>
#include <memory>
#include <thread>

#include "tools/ctl/arguments.h"
#include "tools/ctl/ask.h"
#include "tools/ctl/commands.h"
#include "tools/ctl/input.h"
#include "tools/ctl/views.h"

namespace ctl {
namespace {

using Clock = std::chrono::steady_clock;

struct StateOptions {
  std::string file, program;
  unsigned confirm = 0;
  unsigned wait = 30;
};

// The version that answers, once the one that was asked is gone.
Json wait_for_new(Caller& caller, const Json& chosen, std::chrono::seconds patience) {
  const auto began = Clock::now();
  bool gone = false;
  while (Clock::now() - began < patience) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    try {
      Json version = caller.call("version", nullptr);
      if (!gone) continue;
      const std::chrono::duration<double> took = Clock::now() - began;
      return {{"program", chosen.value("program", "")},
              {"version", version.value("rncd", "")},
              {"build", version.value("build", "")},
              {"pid", chosen.value("pid", 0)},
              {"seconds", took.count()}};
    } catch (const NoConnection&) {
      gone = true;
    } catch (const Refused&) {
      gone = true;
    }
  }
  throw NoConnection(chosen.value("program", "") + " has not answered within " +
                     std::to_string(patience.count()) + " s; its log says why");
}

void add_apply(CLI::App& app, Command& chosen) {
  auto o = std::make_shared<StateOptions>();
  auto* apply =
      app.add_subcommand("apply", "have the running rncd take over a configuration; its file stays");
  apply->add_option("FILE", o->file, "the configuration; - is standard input")->required();
  apply
      ->add_option("--confirm", o->confirm,
                   "seconds within which `rncctl confirm` has to follow, else what ran before comes back")
      ->check(whole_number(1, 86400));
  apply->callback([=, &chosen] {
    Json params{{"config", text_of_file(o->file, "a configuration")}};
    if (o->confirm != 0) params["confirm"] = o->confirm;
    chosen = {ask("config.apply", params), views::applied};
  });
  app.add_subcommand("confirm", "what `apply --confirm` has changed stays")->callback([&chosen] {
    chosen = {ask("config.confirm", nullptr), views::fields};
  });
  app.add_subcommand("rollback", "what ran before `apply --confirm` comes back now")->callback([&chosen] {
    chosen = {ask("config.rollback", nullptr), views::applied};
  });
}

}  // namespace

void add_state_commands(CLI::App& app, Command& chosen) {
  app.add_subcommand("save", "write what runs to control.state, for rncd --restore")->callback([&chosen] {
    chosen = {ask("state.save", nullptr), views::fields};
  });
  add_apply(app, chosen);
  auto o = std::make_shared<StateOptions>();
  auto* upgrade = app.add_subcommand(
      "upgrade", "have another rncd take the running one's place, with what runs; the wire stays up");
  upgrade->add_option("--binary", o->program, "the absolute path of the other rncd")->required();
  upgrade->add_option("--wait", o->wait, "seconds for it to answer")
      ->capture_default_str()
      ->check(whole_number(1, 3600));
  upgrade->callback([=, &chosen] {
    chosen = {[o](Caller& caller) {
                const Json answer = caller.call("process.upgrade", {{"program", o->program}});
                return wait_for_new(caller, answer, std::chrono::seconds(o->wait));
              },
              views::fields};
  });
}

}  // namespace ctl
