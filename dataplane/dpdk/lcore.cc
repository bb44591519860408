#include "dataplane/dpdk/lcore.h"

#include <algorithm>
#include <cstring>

#include <rte_lcore.h>
#include <rte_pause.h>

#include <sched.h>
#include <sys/prctl.h>
#include <time.h>

namespace dp::dpdk {
namespace {

constexpr unsigned kEmptyPolls = 64;       // before a rest
constexpr Duration kLongestRest{100'000};  // virtual devices have no receive interrupt to wake us
constexpr Duration kShortestRest{5'000};   // below that the system call takes longer than the rest

}  // namespace

Lcore::Lcore(const LcorePlan& plan)
    : power_(plan.power),
      clock_(plan.clock),
      io_(plan.ports, plan.pool),
      worker_(clock_, io_, shared_, plan.limits) {}

Result<std::unique_ptr<Lcore>> Lcore::start(const LcorePlan& plan) {
  std::unique_ptr<Lcore> lcore(new Lcore(plan));
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  CPU_SET(plan.cpu, &cpus);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  int rc = pthread_attr_setaffinity_np(&attributes, sizeof(cpus), &cpus);
  lcore->running_.store(true, std::memory_order_release);
  if (rc == 0) rc = pthread_create(&lcore->thread_, &attributes, enter, lcore.get());
  pthread_attr_destroy(&attributes);
  if (rc != 0) {
    return Error{"the worker could not start on CPU " + std::to_string(plan.cpu) + ": " + std::strerror(rc) +
                     "; name CPUs that this process may use in dataplane.cpus",
                 4};
  }
  lcore->started_ = true;
  pthread_setname_np(lcore->thread_, "rncd-worker");
  return lcore;
}

void Lcore::stop() {
  if (!started_) return;
  stop_.store(true, std::memory_order_relaxed);
  pthread_join(thread_, nullptr);
  started_ = false;
}

void* Lcore::enter(void* self) {
  auto& lcore = *static_cast<Lcore*>(self);
  if (rte_thread_register() == 0) {
    lcore.run();
    rte_thread_unregister();
  }
  lcore.running_.store(false, std::memory_order_release);
  return nullptr;
}

void Lcore::run() {
  prctl(PR_SET_TIMERSLACK, 1);  // nanosecond; the kernel would add 50 µs to each rest
  unsigned empty = 0;
  while (!stop_.load(std::memory_order_relaxed)) {
    if (worker_.poll_once()) {
      empty = 0;
    } else if (power_ == Power::poll || ++empty < kEmptyPolls) {
      rte_pause();
    } else {
      rest();
    }
  }
}

void Lcore::rest() {
  const Duration left = worker_.next_deadline() - clock_.now();
  if (left < kShortestRest) return;
  const timespec time{0, std::min(left, kLongestRest).count()};
  nanosleep(&time, nullptr);
}

}  // namespace dp::dpdk
