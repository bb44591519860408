// The reasons why a change was not made, or not to its end, and its outcome, in words that know no protocol.
// Tests: tests/unit/control/plane/data_plane_test.cc
#pragma once
#include <cstdint>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>

namespace control {

// Thrown by the code that prepares a change, or passed to its end. what() is for the operator.
struct Refusal : std::runtime_error {
  enum class Why : std::uint8_t {
    no_bearer,    // the UE has none
    table_full,   // more bearers than dataplane.max_bearers
    cell_full,    // a cell has no place left
    no_cell,      // there is none of that name
    cell_used,    // bearers are in it, or rules lead there
    bad_cell,     // a cell cannot be made, or changed, with these settings
    bad_bearer,   // a UE cannot have such bearers beside each other
    no_memory,    // the host has not enough
    no_worker,    // there is none of that number, or it has too many visitors
    draining,     // the mode is about to change, once split proxies are drained
    no_proxy,     // no connection of it is split
    unconfirmed,  // a change of the configuration waits to be confirmed, or none does
    no_answer,    // the worker was silent for too long
    abandoned,    // its client left, or rncd is stopping
  };

  Refusal(Why reason, const std::string& text) : std::runtime_error(text), why(reason) {}

  Why why;
};

// The outcome of a change: `done` when it was carried out, else `why`, a Refusal or another exception thrown
// while it was prepared.
template <class T>
struct Ended {
  std::optional<T> done;
  std::exception_ptr why;
};

}  // namespace control
