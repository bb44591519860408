// Runs a scenario: the production worker under a manual clock, with TCP hosts and wires around it. Equal
// scenarios and seeds give equal bytes at equal times.
#pragma once
#include <cstdint>

#include "tools/lab/figures/result.h"
#include "tools/lab/scenario/scenario.h"

namespace lab {

class Observer;  // tools/lab/run/observer.h

RunResult simulate(const Scenario& scenario, std::uint64_t seed, Observer* observer = nullptr);

}  // namespace lab
