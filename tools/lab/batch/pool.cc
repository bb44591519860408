#include "tools/lab/batch/pool.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include <sched.h>

#include "dataplane/base/expect.h"

namespace lab {
namespace {

class Pool {
 public:
  Pool(std::size_t items, const std::function<void(std::size_t)>& work,
       const std::function<void(std::size_t)>& done, const std::atomic<bool>* stop)
      : items_(items), work_(work), done_(done), stop_(stop) {}

  void drain() {
    while (!failed_ && (stop_ == nullptr || !*stop_)) {
      const std::size_t i = next_++;
      if (i >= items_) return;
      try {
        work_(i);
        const std::lock_guard lock(mutex_);
        if (done_) done_(++complete_);
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!failed_) error_ = std::current_exception();
        failed_ = true;
      }
    }
  }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::size_t items_;
  const std::function<void(std::size_t)>& work_;
  const std::function<void(std::size_t)>& done_;
  const std::atomic<bool>* stop_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::size_t complete_ = 0;
  std::exception_ptr error_;
};

}  // namespace

unsigned default_jobs() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return 1;
  return static_cast<unsigned>(std::max(CPU_COUNT(&set), 1));
}

void run_pool(std::size_t items, unsigned jobs, const std::function<void(std::size_t)>& work,
              const std::function<void(std::size_t)>& done, const std::atomic<bool>* stop) {
  DP_EXPECT(work);
  Pool pool(items, work, done, stop);
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 1; t < std::min<std::size_t>(jobs, items); ++t) {
      threads.emplace_back([&] { pool.drain(); });
    }
    pool.drain();
  }
  pool.rethrow();
}

}  // namespace lab
