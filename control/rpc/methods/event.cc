// The events that rncd has logged lately.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "config/notation/words.h"
#include "control/loop/event_log.h"
#include "control/rpc/answer.h"
#include "control/rpc/event_json.h"
#include "control/rpc/params.h"

namespace control::rpc {
namespace {

struct EventQuery {
  std::uint64_t limit = 0;
  std::size_t room = 0;  // bytes of the answer
  std::string code{}, about{};
  log::Level least = log::Level::debug;
  bool paths = true;  // false: for everybody
};

bool wanted(const log::LoggedEvent& event, const EventQuery& query) {
  if (event.level < query.least || (!query.code.empty() && event.code != query.code)) return false;
  return query.about.empty() || names(event, query.about);
}

log::Level level_of(const Params& params) {
  const auto text = params.text("level");
  if (!text) return log::Level::debug;
  const auto at = std::ranges::find(log::kLevelNames, *text);
  if (at != log::kLevelNames.end()) return static_cast<log::Level>(at - log::kLevelNames.begin());
  params.refuse("level", fmt::format("found \"{}\", expected one of {}", config::shorten(*text),
                                     fmt::join(log::kLevelNames, ", ")));
}

// A code that no event has is a mistake: it would wait for ever.
std::string code_of(const Params& params) {
  const auto text = params.text("event");
  if (!text) return {};
  const bool known = std::ranges::any_of(log::kEvents, [&](const auto& one) { return one.code == *text; }) ||
                     std::ranges::any_of(methods(), [&](const Method& one) {
                       return one.access == Access::changes && one.name == *text;
                     });
  if (known) return *text;
  params.refuse("event", fmt::format("found \"{}\", expected a code of control/REFERENCE.md, such as "
                                     "port_state, or a method that changes something, such as bearer.set",
                                     config::shorten(*text)));
}

// The number behind which the newest `limit` of the wanted events stand.
std::uint64_t before_newest(const EventQuery& query) {
  std::deque<std::uint64_t> newest;
  log::events().walk(0, [&](const log::LoggedEvent& event) {
    if (wanted(event, query)) newest.push_back(event.number);
    if (newest.size() > query.limit) newest.pop_front();
    return true;
  });
  return newest.empty() ? log::events().last() : newest.front() - 1;
}

void list_events(const Request& request, bool paths) {
  const Params params(request.params, kEventList);
  constexpr std::size_t kRest = 256;  // bytes of an answer besides the events
  const EventQuery query{.limit = params.number("limit"),
                         .room = request.room - std::min(request.room, kRest),
                         .code = code_of(params),
                         .about = params.text("about").value_or(""),
                         .least = level_of(params),
                         .paths = paths};
  const bool newest = !params.has("after");
  const std::uint64_t after = newest ? before_newest(query) : params.number("after");
  std::string items;
  std::uint64_t next = after, listed = 0;
  const std::uint64_t forgotten = log::events().walk(after, [&](const log::LoggedEvent& event) {
    if (wanted(event, query)) {
      const std::string text = to_text(event_json(event, query.paths));
      const bool full = listed == query.limit || (listed > 0 && items.size() + text.size() > query.room);
      if (full) return false;
      items += (listed++ == 0 ? "" : ",") + text;
    }
    next = event.number;
    return true;
  });
  request.done(Text{
      fmt::format("{{\"items\":[{}],\"next\":{},\"forgotten\":{}}}", items, next, newest ? 0 : forgotten)});
}

}  // namespace

void event_list(const Request& request) { list_events(request, true); }
void event_list_without_paths(const Request& request) { list_events(request, false); }

}  // namespace control::rpc
