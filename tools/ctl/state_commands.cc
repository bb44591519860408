// The commands about what runs as a whole: saving it, replacing it, and replacing rncd.
#include <array>
#include <chrono>
#include <fstream>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include <sys/stat.h>

#include "tools/ctl/arguments.h"
#include "tools/ctl/ask.h"
#include "tools/ctl/commands.h"
#include "tools/ctl/views.h"

namespace ctl {
namespace {

using Clock = std::chrono::steady_clock;

struct StateOptions {
  std::string program;
  unsigned wait = 30;
};

using FileId = std::pair<dev_t, ino_t>;

std::optional<FileId> file_id(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return std::nullopt;
  return FileId(found.st_dev, found.st_ino);
}

// The file that a process executes; none unless it is an rncd that can be seen from here.
std::optional<FileId> executed_by(const std::string& pid) {
  std::string name;
  std::getline(std::ifstream("/proc/" + pid + "/comm"), name);
  return name.starts_with("rncd") ? file_id("/proc/" + pid + "/exe") : std::nullopt;
}

// A script is executed by its interpreter, and what that executes is its own affair.
bool is_script(const std::string& path) {
  std::array<char, 2> head{};
  std::ifstream(path).read(head.data(), head.size());
  return head[0] == '#' && head[1] == '!';
}

// The version that answers, once the rncd that got the request is gone.
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

Json replace_rncd(Caller& caller, const std::string& program, std::chrono::seconds patience) {
  const auto chosen = file_id(program);
  const bool script = is_script(program);
  const Json answer = caller.call("process.upgrade", {{"program", program}});
  const std::string pid = answer.value("pid", Json()).dump();
  const auto before = executed_by(pid);
  Json told = wait_for_new(caller, answer, patience);
  if (before && before != chosen && !script && executed_by(pid) == before) {
    throw Refused("the kernel did not execute " + program +
                      ", and the rncd before it goes on with what runs; its log says why (upgrade_failed)",
                  nullptr);
  }
  return told;
}

}  // namespace

void add_state_commands(CLI::App& app, Command& chosen) {
  app.add_subcommand("save", "write what runs to control.state, for rncd --restore")->callback([&chosen] {
    chosen = {ask("state.save", nullptr), views::fields};
  });
  auto o = std::make_shared<StateOptions>();
  auto* upgrade = app.add_subcommand(
      "upgrade", "have another rncd take the running one's place, with what runs; the wire stays up");
  upgrade->add_option("--binary", o->program, "the absolute path of the other rncd")->required();
  upgrade->add_option("--wait", o->wait, "seconds for it to answer")
      ->capture_default_str()
      ->check(whole_number(1, 3600));
  upgrade->callback([=, &chosen] {
    chosen = {[o](Caller& caller) { return replace_rncd(caller, o->program, std::chrono::seconds(o->wait)); },
              views::fields};
  });
}

}  // namespace ctl
