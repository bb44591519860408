// One worker on a thread and CPU of its own, known to DPDK as an lcore so that it has its own mbuf cache.
// (The main lcore stays control's: with one CPU both threads share it.) Owned by the runtime, as are the
// objects that worker and control share.
// Tests: tests/system/dpdk_queues_test.cc
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "dataplane/base/result.h"
#include "dataplane/base/wire.h"
#include "dataplane/dpdk/clock.h"
#include "dataplane/dpdk/port_device.h"
#include "dataplane/dpdk/start.h"
#include "dataplane/worker/limits.h"
#include "dataplane/worker/shared.h"

struct rte_mempool;

namespace dp::dpdk {

struct WorkerThreadPlan {
  unsigned number = 0;
  unsigned cpu = 0;
  Power power = Power::adaptive;
  TscClock clock;
  std::array<QueueHandle, 2> queues{};  // the worker's queue of each port, by Side
  rte_mempool* pool = nullptr;
  WireHeartbeat* heartbeat = nullptr;  // the worker stores its heartbeat there (xdp/wire.h); null: nowhere
  WorkerLimits limits;
};

class WorkerThread {
 public:
  static Result<std::unique_ptr<WorkerThread>> start(const WorkerThreadPlan& plan);
  virtual ~WorkerThread() = default;
  WorkerThread(const WorkerThread&) = delete;
  WorkerThread& operator=(const WorkerThread&) = delete;

  // Ends the thread; the worker keeps its frames.
  virtual void stop() = 0;
  virtual bool running() const = 0;
  // The kernel's id of the thread; 0 until it runs.
  virtual int thread_id() const = 0;

  virtual WorkerShared& shared() = 0;
  virtual void open() = 0;
  virtual void shut() = 0;  // no frame is received any more
  // Requires: the worker has acknowledged that it does not touch the port (worker/messages.h, SetPort).
  virtual void set_queue(Side side, QueueHandle queue) = 0;

 protected:
  WorkerThread() = default;
};

}  // namespace dp::dpdk
