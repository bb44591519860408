// A scenario's runs on a few threads.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "tools/lab/figures/result.h"
#include "tools/lab/scenario/scenario.h"

namespace lab {

// Called after each run, one call at a time.
using Progress = std::function<void(unsigned done, unsigned total)>;

// Runs with the seeds first_seed, first_seed + 1 ..., on `jobs` threads; results are in the order of seeds,
// for any `jobs`. Once `stop` is true no further run begins, and only complete runs are returned.
std::vector<RunResult> run_many(const Scenario& scenario, unsigned runs, std::uint64_t first_seed,
                                unsigned jobs, const Progress& progress = {},
                                const std::atomic<bool>* stop = nullptr);

}  // namespace lab
