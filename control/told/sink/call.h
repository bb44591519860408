// Calls to rncd and their outcomes, without the connection on which they go.
// Tests: tests/unit/control/told/sink/refusal_test.cc
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "control/told/sink/wanted_bearer.h"

namespace control::told {

struct RncdCall {
  std::string method;
  Json params;
};

// The error of JSON-RPC with which rncd refused a call.
struct RncdRefusal {
  int code = 0;
  std::string message;
};

// The entry of a call's list that a refusal names: "bearers[3].class: no class ..." is entry 3, path "class".
struct RefusedEntry {
  std::size_t index = 0;
  std::string path;  // within the entry; empty: the entry itself
  std::string why;   // the message without the entry's place
};
// `list`: the name of the call's list.
std::optional<RefusedEntry> refused_entry(const RncdRefusal& refusal, std::string_view list);

// True if a later rncd-told has set bearers: this one's calls come too late.
bool comes_too_late(const RncdRefusal& refusal);
// True if a smaller call may succeed: there is no room for all of it.
bool lacks_room(const RncdRefusal& refusal);

// True if the fault at `path` of the entry `bad` is in `other` too: both have the same value there, or both
// have the object.
bool shares_fault(const Json& bad, const Json& other, std::string_view path);

}  // namespace control::told
