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
#include "control/rpc/methods.h"
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

struct Start {
  std::uint64_t after = 0;    // the number behind which the answer begins
  std::uint64_t earlier = 0;  // wanted events before it that are still kept
  bool newest = false;        // the call named no number
};

// Begins with the newest `limit` of the wanted events.
Start before_newest(const EventQuery& query) {
  Start start{.newest = true};
  std::deque<std::uint64_t> newest;
  log::events().walk(0, [&](const log::LoggedEvent& event) {
    if (wanted(event, query)) newest.push_back(event.number);
    if (newest.size() > query.limit) {
      newest.pop_front();
      ++start.earlier;
    }
    return true;
  });
  start.after = newest.empty() ? log::events().last() : newest.front() - 1;
  return start;
}

// `after` names the number itself, `cursor` is `next` of the page before: the same number.
Start start_of(const Params& params, const EventQuery& query) {
  if (params.has("cursor") && params.has("after"))
    params.refuse("after", "given beside \"cursor\"; give one of the two");
  for (const char* name : {"cursor", "after"}) {
    if (params.has(name)) return {.after = params.number(name)};
  }
  return before_newest(query);
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
  const Start start = start_of(params, query);
  std::string items;
  std::uint64_t last = start.after, listed = 0;
  bool more = false;
  const std::uint64_t forgotten = log::events().walk(start.after, [&](const log::LoggedEvent& event) {
    if (wanted(event, query)) {
      const std::string text = to_text(event_json(event, query.paths));
      more = listed == query.limit || (listed > 0 && items.size() + text.size() > query.room);
      if (more) return false;
      items += (listed++ == 0 ? "" : ",") + text;
    }
    last = event.number;
    return true;
  });
  const std::string beside = fmt::format(R"(,"last":{},"earlier":{},"forgotten":{})", last, start.earlier,
                                         start.newest ? 0 : forgotten);
  request.done(list_text(items, more ? std::to_string(last) : "null", beside));
}

}  // namespace

void event_list(const Request& request) { list_events(request, true); }
void event_list_without_paths(const Request& request) { list_events(request, false); }

}  // namespace control::rpc
