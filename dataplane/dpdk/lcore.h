// One worker on a thread and CPU of its own, known to DPDK as an lcore so that it has its own mbuf cache.
// (The main lcore stays control's: with one CPU both threads share it.) Owned by the runtime, as is what
// worker and control share.
#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include <pthread.h>

#include "dataplane/base/result.h"
#include "dataplane/dpdk/clock.h"
#include "dataplane/dpdk/io.h"
#include "dataplane/dpdk/start.h"
#include "dataplane/worker/shared.h"
#include "dataplane/worker/worker.h"

namespace dp::dpdk {

struct LcorePlan {
  unsigned cpu = 0;
  Power power = Power::adaptive;
  TscClock clock;
  std::array<std::uint16_t, 2> ports;
  rte_mempool* pool = nullptr;
  WorkerLimits limits;
};

class Lcore {
 public:
  static Result<std::unique_ptr<Lcore>> start(const LcorePlan& plan);
  ~Lcore() { stop(); }
  Lcore(const Lcore&) = delete;
  Lcore& operator=(const Lcore&) = delete;

  // Ends the thread; the worker keeps what it holds.
  void stop();
  bool running() const { return running_.load(std::memory_order_acquire); }

  WorkerShared& shared() { return shared_; }
  void open() { io_.open(); }
  // Requires: the worker has answered that it does not touch the port (worker/messages.h, SetPort).
  void set_port(Side side, std::uint16_t id) { io_.set_port(side, id); }

 private:
  explicit Lcore(const LcorePlan& plan);
  static void* enter(void* self);
  void run();
  void rest();

  const Power power_;
  TscClock clock_;
  DpdkIo io_;
  WorkerShared shared_;
  Worker<TscClock, DpdkIo> worker_;
  pthread_t thread_{};
  bool started_ = false;
  std::atomic<bool> stop_{false};
  std::atomic<bool> running_{false};
};

}  // namespace dp::dpdk
