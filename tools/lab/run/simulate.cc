#include "tools/lab/run/simulate.h"

#include "tools/lab/run/simulation.h"

namespace lab {

RunResult simulate(const Scenario& scenario, std::uint64_t seed, Observer* observer) {
  return Simulation(scenario, seed, observer).run();
}

}  // namespace lab
