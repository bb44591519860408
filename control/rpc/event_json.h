// A logged event as the control socket shows it.
// Tests: tests/unit/control/rpc/watch_test.cc
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "control/loop/event_log.h"
#include "control/rpc/codec.h"

namespace control::rpc {

// `paths`: those of this host are shown.
Json event_json(const log::LoggedEvent& event, bool paths);
// True if `word` stands in a value of the event, and is no part of a longer word there.
bool names(const log::LoggedEvent& event, std::string_view word);
// The newest `most` events that name `word`, the oldest of them first; with paths.
Json events_about(std::string_view word, std::size_t most);

}  // namespace control::rpc
