// The command that shows what one bearer carries, again and again.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <thread>

#include "tools/common/table.h"
#include "tools/ctl/arguments.h"
#include "tools/ctl/commands.h"
#include "tools/ctl/members.h"
#include "tools/ctl/selector.h"
#include "tools/ctl/views.h"

namespace ctl {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kLinesOfAHeading = 20;

struct WatchOptions {
  std::string ue;
  Selector selector{};
  double interval = 1;
  std::size_t count = 0;  // 0: until interrupted
};

struct Reading {
  Json bearer;
  Clock::time_point at;
};

Reading read(Caller& caller, const WatchOptions& options) {
  Json params{{"ue", options.ue}};
  options.selector.add_to(params);
  Json bearer = caller.call("bearer.get", params);
  return {std::move(bearer), Clock::now()};
}

double at(const Json& bearer, const std::string& pointer) {
  const Json value = views::look(bearer, pointer.c_str());
  return value.is_number() ? value.get<double>() : 0;
}

// One leg between two readings; null where the leg, or the setting, is not there to tell. Counters begin anew
// with a bearer that was made anew: then nothing is known.
Json leg_between(const Reading& was, const Reading& now, const std::string& leg) {
  const double seconds = std::chrono::duration<double>(now.at - was.at).count();
  const auto growth = [&](const char* member) -> Json {
    const std::string pointer = "/" + leg + "/" + member;
    const double more = at(now.bearer, pointer) - at(was.bearer, pointer);
    if (more < 0 || seconds <= 0) return nullptr;
    return more / seconds;
  };
  const Json bytes = growth("delivered_bytes");
  const double set = at(now.bearer, "/" + leg + "/rate"),
               queued = at(now.bearer, "/" + leg + "/queued_bytes");
  Json json = {{"rate", set},
               {"delivered_rate", bytes.is_null() ? bytes : Json(bytes.get<double>() * 8)},
               {"used_ratio", nullptr},
               {"queued_sdus", at(now.bearer, "/" + leg + "/queued_sdus")},
               {"queue_seconds", nullptr},
               {"dropped_sdus_per_second", growth("dropped_sdus")},
               {"marked_sdus_per_second", growth("marked_sdus")}};
  if (set > 0) {
    if (!bytes.is_null()) json["used_ratio"] = bytes.get<double>() * 8 / set;
    json["queue_seconds"] = queued * 8 / set;
  }
  return json;
}

tools::Table::Row row_of(const Json& sample) {
  using namespace views;
  return {text_at(sample, "/direction"),
          rate(sample, "/rate"),
          rate(sample, "/delivered_rate"),
          percent(sample, "/used_ratio"),
          rounded(sample, "/queued_sdus"),
          milliseconds(sample, "/queue_seconds"),
          rounded(sample, "/dropped_sdus_per_second"),
          rounded(sample, "/marked_sdus_per_second")};
}

void watch(Caller& caller, const WatchOptions& options, const Output& output) {
  std::vector<std::size_t> widths;
  Reading was = read(caller, options);
  for (std::size_t n = 0; options.count == 0 || n < options.count; ++n) {
    std::this_thread::sleep_for(std::chrono::duration<double>(options.interval));
    Reading now = read(caller, options);
    if (n % kLinesOfAHeading == 0) widths.clear();
    tools::Table table({"LEG", ">RATE", ">DELIVERED", ">USED", ">QUEUE", ">MS", ">DROPS/S", ">MARKS/S"});
    for (const std::string leg : views::kLegs) {
      Json sample = leg_between(was, now, leg);
      sample["direction"] = leg;
      output.json ? void(output.out << sample.dump() << "\n") : table.add(row_of(sample));
    }
    if (!output.json) output.out << table.part(widths);
    output.out.flush();
    was = std::move(now);
  }
}

}  // namespace

void add_watch_command(CLI::App& app, Command& chosen) {
  auto o = std::make_shared<WatchOptions>();
  auto* command = app.add_subcommand(
      "watch", "what a bearer carries, a line for each leg, each second: rates, queue, drops and marks");
  command->add_option("UE", o->ue, "IPv4 address, IPv6 /64 or address; in a network UE@NAME")->required();
  add_selector(*command, o->selector);
  command->add_option("--interval", o->interval, "seconds between two lines")
      ->capture_default_str()
      ->check(CLI::Range(0.1, 3600.0));
  command->add_option("--count", o->count, "end after so many; unless given it goes on until interrupted")
      ->check(whole_number(1, 1'000'000));
  command->callback([=, &chosen] {
    chosen.show = [o](Caller& caller, const Output& output) { watch(caller, *o, output); };
  });
}

}  // namespace ctl
