#include "control/rpc/event_json.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <utility>

#include "control/rpc/methods.h"

namespace control::rpc {
namespace {

// True if `word` stands in the text, and is no part of a longer word.
bool has_word(std::string_view text, std::string_view word) {
  const auto in_word = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
           c == ':' || c == '-' || c == '_' || c == '@' || c == '/';
  };
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !in_word(text[at - 1])) && (end == text.size() || !in_word(text[end]))) return true;
  }
  return false;
}

}  // namespace

Json event_json(const log::LoggedEvent& event, bool paths) {
  Json fields = Json::object();
  for (const log::Field& field : event.fields) {
    fields[field.key()] = field.is_text() ? Json(field.value()) : Json::parse(field.value(), nullptr, false);
  }
  if (!paths) hide_paths(fields);
  const std::chrono::duration<double> at = event.at.time_since_epoch();
  return {{"number", event.number},
          {"time", at.count()},
          {"level", log::name(event.level)},
          {"event", event.code},
          {"fields", std::move(fields)}};
}

bool names(const log::LoggedEvent& event, std::string_view word) {
  return std::ranges::any_of(event.fields,
                             [&](const log::Field& field) { return has_word(field.value(), word); });
}

Json events_about(std::string_view word, std::size_t most) {
  std::deque<std::uint64_t> newest;  // their numbers: JSON is made of those alone that are told
  log::events().walk(0, [&](const log::LoggedEvent& event) {
    if (names(event, word)) newest.push_back(event.number);
    if (newest.size() > most) newest.pop_front();
    return true;
  });
  Json list = Json::array();
  if (newest.empty()) return list;
  log::events().walk(newest.front() - 1, [&](const log::LoggedEvent& event) {
    if (names(event, word)) list.push_back(event_json(event, true));
    return list.size() < most;
  });
  return list;
}

}  // namespace control::rpc
