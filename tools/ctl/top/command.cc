// The command that shows the bearers which lead by a figure, again and again.
#include <algorithm>
#include <chrono>
#include <memory>
#include <ostream>
#include <string>

#include "tools/ctl/arguments.h"
#include "tools/ctl/commands.h"
#include "tools/ctl/members.h"
#include "tools/ctl/top/screen.h"
#include "tools/ctl/top/terminal.h"

namespace ctl {
namespace {

using top::Answers;
using top::Key;
using top::Size;
using top::State;
using top::View;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostRows = 100, kFlows = 100;

struct TopOptions {
  std::string by = "rate", direction = "downlink", cls, prefix;
  std::size_t limit = 20;
  double interval = 1;
  bool reverse = false, once = false;
};

// A filter with a dot or a colon is a prefix, another a class.
void add_filter(Json& params, const std::string& filter) {
  if (filter.empty()) return;
  params[filter.find_first_of(".:") == filter.npos ? "class" : "prefix"] = filter;
}

Json top_params(const State& state, std::size_t limit) {
  Json params{{"by", top::kSorts[state.sort]},
              {"direction", state.direction},
              {"reverse", state.reverse},
              {"limit", std::clamp<std::size_t>(limit, 1, kMostRows)}};
  add_filter(params, state.filter);
  return params;
}

class Screen {
 public:
  Screen(Caller& caller, const State& state) : caller_(caller), state_(state) {}

  void run(std::chrono::duration<double> interval) {
    top::Terminal terminal;
    Clock::time_point next = Clock::now();
    for (;;) {
      const Size size = top::terminal_size();
      if (Clock::now() >= next) {
        if (!state_.paused) ask(size);
        next = Clock::now() + std::chrono::duration_cast<Clock::duration>(interval);
      }
      terminal.draw(top::screen(state_, answers_, size));
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - Clock::now());
      const top::Typed typed = terminal.next_key(std::max(left, std::chrono::milliseconds{0}));
      if (typed.key == Key::interrupt) return;
      if (typed.key == Key::none) continue;
      if (!take(typed)) return;
      next = Clock::now();  // the answer to a key comes at once
    }
  }

 private:
  void ask(const Size& size) {
    try {
      const Clock::time_point now = Clock::now();
      const Json stats = caller_.call("stats.get", Json::object());
      answers_.top = caller_.call("bearer.top", top_params(state_, top::rows_of(size)));
      if (!answers_.stats.is_null()) {
        answers_.before = std::move(answers_.stats);
        answers_.seconds = std::chrono::duration<double>(now - asked_).count();
      }
      answers_.stats = stats;
      asked_ = now;
      ask_rest();
    } catch (const Refused& refused) {
      state_.trouble = refused.what();
      state_.filter.clear();
    }
  }
  void ask_rest() {
    answers_.rest = Json::object();
    if (state_.view == View::cells) answers_.rest = caller_.call("cell.list", Json::object());
    const Json items = views::look(answers_.top, "/items");
    if (!items.is_array() || items.empty()) return;
    state_.chosen = std::min(state_.chosen, items.size() - 1);
    if (state_.view != View::flows) return;
    const Json& row = items[state_.chosen];
    Json params{{"ue", row["ue"]}, {"limit", kFlows}};
    for (const char* selector : {"qfi", "teid"}) {
      if (row.contains(selector)) params[selector] = row[selector];
    }
    answers_.rest = caller_.call("flow.list", params);
    answers_.rest["of_ue"] = views::name_of(row["ue"], row);
  }

  // False: the user wants to leave.
  bool take(const top::Typed& typed) {
    state_.trouble.clear();
    if (state_.typing) return type(typed), true;
    const std::size_t sorts = top::kSorts.size();
    if (typed.key == Key::left) state_.sort = (state_.sort + sorts - 1) % sorts;
    if (typed.key == Key::right) state_.sort = (state_.sort + 1) % sorts;
    if (typed.key == Key::up && state_.chosen > 0) --state_.chosen;
    if (typed.key == Key::down) ++state_.chosen;
    if (typed.key == Key::escape) state_.view = View::bearers;
    return typed.key != Key::other || press(typed.character);
  }
  bool press(char c) {
    switch (c) {
      case 'q':
        return false;
      case 'r':
        state_.reverse = !state_.reverse;
        break;
      case 'u':
        state_.direction = state_.direction == "downlink" ? "uplink" : "downlink";
        break;
      case 'p':
        state_.paused = !state_.paused;
        break;
      case 's':
        state_.smooth = !state_.smooth;
        break;
      case '/':
        state_.typing = true;
        state_.typed.clear();
        break;
      default:
        look_at(c);
    }
    return true;
  }
  void look_at(char c) {
    if (c == 'b') state_.view = View::bearers;
    if (c == 'f') state_.view = View::flows;
    if (c == 'w') state_.view = View::workers;
    if (c == 'd') state_.view = View::drops;
    if (c == 'c') state_.view = View::cells;
    if (c == '?') state_.view = state_.view == View::help ? View::bearers : View::help;
  }
  void type(const top::Typed& typed) {
    if (typed.key == Key::other) state_.typed += typed.character;
    if (typed.key == Key::erase && !state_.typed.empty()) state_.typed.pop_back();
    if (typed.key == Key::escape) state_.typing = false;
    if (typed.key != Key::enter) return;
    state_.filter = state_.typed;
    state_.typing = false;
  }

  Caller& caller_;
  State state_;
  Answers answers_{};
  Clock::time_point asked_{};
};

State state_of(const TopOptions& options) {
  State state;
  state.sort = static_cast<std::size_t>(std::ranges::find(top::kSorts, options.by) - top::kSorts.begin());
  state.direction = options.direction;
  state.reverse = options.reverse;
  return state;
}

void show_top(Caller& caller, const TopOptions& options, const Output& output) {
  State state = state_of(options);
  Json params = top_params(state, options.limit);
  if (!options.cls.empty()) params["class"] = options.cls;
  if (!options.prefix.empty()) params["prefix"] = options.prefix;
  state.filter = options.prefix.empty() ? options.cls : options.prefix;
  if (output.json) {
    output.out << caller.call("bearer.top", params).dump() << "\n";
    return;
  }
  if (!options.once) {
    try {
      return Screen(caller, state).run(std::chrono::duration<double>(options.interval));
    } catch (const std::runtime_error& none) {
      if (dynamic_cast<const NoConnection*>(&none) != nullptr ||
          dynamic_cast<const Refused*>(&none) != nullptr)
        throw;
      throw Refused(none.what(), nullptr);
    }
  }
  Answers answers;
  answers.top = caller.call("bearer.top", params);
  answers.stats = caller.call("stats.get", Json::object());
  for (const std::string& line :
       top::screen(state, answers, {top::terminal_size().columns, options.limit + 5}))
    output.out << line << "\n";
}

}  // namespace

void add_top_command(CLI::App& app, Command& chosen) {
  auto o = std::make_shared<TopOptions>();
  auto* command = app.add_subcommand("top",
                                     "the bearers that lead by a figure, each second, with what limits them; "
                                     "? in it lists the keys");
  command->add_option("--by", o->by, "rate, used, queue, delay, drops or marks")
      ->capture_default_str()
      ->check(CLI::IsMember(std::vector<std::string>(top::kSorts.begin(), top::kSorts.end())));
  command->add_option("--direction", o->direction, "downlink or uplink")
      ->capture_default_str()
      ->check(CLI::IsMember({"downlink", "uplink"}));
  command->add_option("--class", o->cls, "only bearers of this class");
  command->add_option("--prefix", o->prefix, "only UEs in this prefix");
  command->add_flag("--reverse", o->reverse, "the lowest first");
  command->add_option("--limit", o->limit, "so many bearers, with --once or --json")
      ->capture_default_str()
      ->check(whole_number(1, kMostRows));
  command->add_option("--interval", o->interval, "seconds between two screens")
      ->capture_default_str()
      ->check(CLI::Range(0.2, 3600.0));
  command->add_flag("--once", o->once, "one screen as text, without a terminal's control");
  command->callback([=, &chosen] {
    chosen.show = [o](Caller& caller, const Output& output) { show_top(caller, *o, output); };
  });
}

}  // namespace ctl
