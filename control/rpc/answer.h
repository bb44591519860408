// From the outcome of a change of the plane to the outcome of the call that requested it.
// Tests: tests/unit/control/rpc/flow_list_test.cc, tests/unit/control/rpc/proxy_test.cc
#pragma once
#include <exception>
#include <functional>
#include <string_view>
#include <utility>

#include "control/bearers/refusal.h"
#include "control/rpc/codec.h"

namespace control::rpc {

// The exception as the call's Fault. Requires: `why` is not null.
Fault fault_of(const std::exception_ptr& why);

// The answer of each method that lists: `next` is the cursor of the next page, null on the last. A method
// adds its own members beside.
Json list_json(Json items, Json next = nullptr);
// Makes the answer from JSON text: `items` are joined by commas, `beside` is empty or members that begin with
// one.
Text list_text(std::string_view items, std::string_view next, std::string_view beside = {});

// Takes the outcome of a change, and calls `done` with the JSON that `to_json` makes of the result; a Fault
// that it throws is the outcome.
template <class T, class ToJson>
std::function<void(Ended<T>)> answer_with(Done done, ToJson to_json) {
  return [done = std::move(done), to_json = std::move(to_json)](Ended<T> ended) mutable {
    if (ended.why != nullptr) return done(fault_of(ended.why));
    Outcome outcome;
    try {
      outcome = Json(to_json(std::as_const(*ended.done)));
    } catch (...) {
      outcome = fault_of(std::current_exception());
    }
    done(std::move(outcome));
  };
}

}  // namespace control::rpc
