// Independent pieces of work on a few threads: runs of one scenario, or rows times runs of a paper. Nothing
// outlives the call.
#pragma once
#include <atomic>
#include <cstddef>
#include <functional>

namespace lab {

unsigned default_jobs();  // the CPUs we may use

// work(i) once for each i below `items`, in about that order, on `jobs` threads; then `done(n)` with how many
// are complete, one call at a time. Once `stop` is true no further piece begins. What a piece throws ends the
// rest in the same way and is thrown again.
void run_pool(std::size_t items, unsigned jobs, const std::function<void(std::size_t)>& work,
              const std::function<void(std::size_t)>& done = {}, const std::atomic<bool>* stop = nullptr);

}  // namespace lab
