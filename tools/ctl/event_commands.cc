// The command that shows the events which rncd has logged.
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <thread>
#include <utility>

#include "tools/ctl/arguments.h"
#include "tools/ctl/commands.h"
#include "tools/ctl/members.h"

namespace ctl {
namespace {

struct EventOptions {
  std::string about, event, level;
  std::optional<double> since;  // seconds
  std::size_t limit = 100;
  bool follow = false;
};

constexpr std::chrono::milliseconds kFollowPause{500};
constexpr std::size_t kEventPage = 500;
constexpr const char* kEventHead = R"({"items":[)";

// In local time, to the millisecond.
std::string time_text(double seconds) {
  const auto whole = static_cast<std::time_t>(seconds);
  std::tm local{};
  localtime_r(&whole, &local);
  std::array<char, 24> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &local);
  std::array<char, 8> part{};
  std::snprintf(part.data(), part.size(), ".%03d",
                static_cast<int>((seconds - static_cast<double>(whole)) * 1e3));
  return std::string(text.data()) + part.data();
}

std::string value_text(const Json& value) {
  const std::string text = views::plain(value);
  return text.empty() || text.find_first_of(" =\"\\\n\t") != text.npos ? Json(text).dump() : text;
}

std::string line_of(const Json& event) {
  std::string line =
      time_text(event.value("time", 0.0)) + "  " + event.value("level", "") + "  " + event.value("event", "");
  const Json fields = event.value("fields", Json::object());
  for (const auto& [key, value] : fields.items()) line += "  " + key + "=" + value_text(value);
  return line + "\n";
}

// Asks for the events behind a number, page by page, and prints them.
class EventPrinter {
 public:
  EventPrinter(Caller& caller, const EventOptions& options, const Output& output)
      : caller_(caller), options_(options), output_(output) {
    if (!options.about.empty()) params_["about"] = options.about;
    if (!options.event.empty()) params_["event"] = options.event;
    if (!options.level.empty()) params_["level"] = options.level;
    if (!options.since) return;
    const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
    from_ = now.count() - *options.since;
    params_["after"] = 0;
  }

  void run() {
    params_["limit"] = options_.since ? kEventPage : options_.limit;
    bool full = page();
    while ((options_.since || options_.follow) && full) full = page();
    while (options_.follow) {
      std::this_thread::sleep_for(kFollowPause);
      while (page()) continue;
    }
    if (output_.json && !options_.follow)
      output_.out << (shown_ == 0 ? kEventHead : "") << R"(],"next":null,"earlier":)" << earlier_ << "}"
                  << std::endl;
  }

 private:
  // True if there may be more.
  bool page() {
    const Json answer = caller_.call("event.list", params_);
    if (!answer.contains("items") || !answer["items"].is_array())
      throw Refused("the answer to event.list lacks items", answer);
    // From the beginning, or with --since, nobody has waited for those that are forgotten.
    const bool missed = shown_ > 0 && answer.value("forgotten", 0) > 0;
    if (!params_.contains("after")) tell_of_earlier(answer);
    if (missed)
      output_.notes << "rncctl: " << answer["forgotten"] << " events were forgotten before they were read\n";
    for (const Json& event : answer["items"]) {
      if (event.value("time", 0.0) >= from_) print(event);
    }
    output_.out.flush();
    params_["after"] = answer.value("last", Json(0));
    params_["limit"] = kEventPage;
    return !answer.value("next", Json()).is_null();
  }
  void tell_of_earlier(const Json& answer) {
    earlier_ = answer.value("earlier", std::uint64_t{0});
    if (earlier_ > 0)
      output_.notes << "rncctl: there are " << earlier_ << " earlier events (--limit N, --since TIME)\n";
  }
  void print(const Json& event) {
    if (!output_.json) {
      output_.out << line_of(event);
    } else if (options_.follow) {
      output_.out << event.dump() << "\n";
    } else {
      output_.out << (shown_ == 0 ? kEventHead : ",") << event.dump();
    }
    ++shown_;
  }

  Caller& caller_;
  const EventOptions& options_;
  const Output& output_;
  Json params_ = Json::object();
  double from_ = 0;
  std::size_t shown_ = 0;
  std::uint64_t earlier_ = 0;  // events before the first that was printed
};

}  // namespace

void add_event_commands(CLI::App& app, Command& chosen) {
  auto o = std::make_shared<EventOptions>();
  auto* events = app.add_subcommand(
      "events",
      "what has happened: changes, ports, workers, handovers, refusals; control/REFERENCE.md has all");
  events->add_option("ABOUT", o->about,
                     "only those in which a value names this UE, port, class, cell or file");
  events->add_option("--event", o->event, "only those of this code, such as port_state or bearer.set");
  events->add_option("--level", o->level, "only those of this level or above: debug, info, warning, error");
  const std::map<std::string, double> units{{"s", 1}, {"m", 60}, {"min", 60}, {"h", 3600}, {"d", 86400}};
  auto* since = events->add_option("--since", o->since, "all of the last time, such as 90s, 10m or 2h")
                    ->transform(CLI::AsNumberWithUnit(units));
  events->add_option("--limit", o->limit, "the newest ones, at most so many")
      ->capture_default_str()
      ->check(whole_number(1, 1000))
      ->excludes(since);
  events->add_flag("-f,--follow", o->follow,
                   "wait for further ones until interrupted; with --json a line each");
  events->callback([=, &chosen] {
    chosen.show = [o](Caller& caller, const Output& output) { EventPrinter(caller, *o, output).run(); };
  });
}

}  // namespace ctl
