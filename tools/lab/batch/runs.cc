#include "tools/lab/batch/runs.h"

#include <optional>
#include <utility>

#include "tools/lab/batch/pool.h"
#include "tools/lab/run/simulate.h"

namespace lab {

std::vector<RunResult> run_many(const Scenario& scenario, unsigned runs, std::uint64_t first_seed,
                                unsigned jobs, const Progress& progress, const std::atomic<bool>* stop) {
  std::vector<std::optional<RunResult>> found(runs);
  const auto done = [&](std::size_t n) {
    if (progress) progress(static_cast<unsigned>(n), runs);
  };
  run_pool(
      runs, jobs, [&](std::size_t i) { found[i] = simulate(scenario, first_seed + i); }, done, stop);
  std::vector<RunResult> complete;
  for (auto& run : found) {
    if (run) complete.push_back(std::move(*run));
  }
  return complete;
}

}  // namespace lab
