// Independent pieces of work on a few threads: runs of one scenario, or rows times runs of a paper. Nothing
// outlives the call.
#pragma once
#include <atomic>
#include <cstddef>
#include <functional>

namespace lab {

unsigned default_jobs();  // the CPUs we may use

// Calls work(i) once for each i below `items`, in about that order, on `jobs` threads, and after each
// `done(n)` with the number of complete pieces, one call at a time. No further piece begins once `stop` is
// true or a piece has thrown; the exception is thrown again.
void run_pool(std::size_t items, unsigned jobs, const std::function<void(std::size_t)>& work,
              const std::function<void(std::size_t)>& done = {}, const std::atomic<bool>* stop = nullptr);

}  // namespace lab
