// The end of a claim.
// Tests: tests/unit/control/bearers/claims_test.cc
#pragma once
#include <chrono>

#include "control/bearers/plan.h"

namespace control {

// The time in which a program may take a bearer that an operator has given back.
inline constexpr std::chrono::seconds kUntilTaken{60};

// Adds what becomes of the bearer when its keeper goes, and says it. A bearer that a program had made, and
// that nobody keeps, goes; one that is there without a claim returns to its class. What an operator had over
// a bearer that was made waits for a program. Null: nothing is to be done; there is no such bearer, or nobody
// has set it. `of_class`: the settings of its class.
const char* give_back(const BearerRegistry& registry, const dp::UeAddress& ue, const SharedSettings& of_class,
                      Claim::Clock::time_point now, Wish& wish);

}  // namespace control
