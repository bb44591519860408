#include "dataplane/dpdk/worker_thread.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include <rte_lcore.h>
#include <rte_pause.h>

#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "dataplane/base/expect.h"
#include "dataplane/dpdk/io.h"
#include "dataplane/worker/worker.h"

namespace dp::dpdk {
namespace {

constexpr unsigned kEmptyPolls = 64;       // before a rest
constexpr Duration kLongestRest{100'000};  // virtual devices have no receive interrupt to wake us
constexpr Duration kBeat{5'000'000};       // between heartbeats, half of the promised interval
constexpr Duration kShortestRest{5'000};   // below that the system call takes longer than the rest

class PolledWorker final : public WorkerThread {
 public:
  explicit PolledWorker(const WorkerThreadPlan& plan)
      : number_(plan.number),
        power_(plan.power),
        clock_(plan.clock),
        io_(plan.queues, plan.pool),
        worker_(clock_, io_, shared_, plan.limits),
        heartbeat_(plan.heartbeat) {}
  ~PolledWorker() override { PolledWorker::stop(); }

  Status start_thread(unsigned cpu);
  void stop() override;
  bool running() const override { return running_.load(std::memory_order_acquire); }
  int thread_id() const override { return thread_id_.load(std::memory_order_relaxed); }
  WorkerShared& shared() override { return shared_; }
  void open() override { io_.open(); }
  void shut() override { io_.shut(); }
  void set_queue(Side side, QueueHandle queue) override { io_.set_queue(side, queue); }

 private:
  static void* enter(void* self);
  void run();
  void rest();
  void beat();
  void tell_risk();

  const unsigned number_;
  const Power power_;
  TscClock clock_;
  DpdkIo io_;
  WorkerShared shared_;
  Worker<TscClock, DpdkIo> worker_;
  pthread_t thread_{};
  bool started_ = false;
  WireHeartbeat* const heartbeat_;
  Time next_beat_{};
  std::atomic<bool> stop_{false};
  std::atomic<bool> running_{false};
  std::atomic<int> thread_id_{0};
};

Status PolledWorker::start_thread(unsigned cpu) {
  DP_EXPECT(cpu < CPU_SETSIZE);
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  CPU_SET(cpu, &cpus);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  int rc = pthread_attr_setaffinity_np(&attributes, sizeof(cpus), &cpus);
  running_.store(true, std::memory_order_release);
  if (rc == 0) rc = pthread_create(&thread_, &attributes, enter, this);
  pthread_attr_destroy(&attributes);
  if (rc != 0) {
    return Error{"the worker could not start on CPU " + std::to_string(cpu) + ": " + std::strerror(rc) +
                     "; name CPUs that this process may use in dataplane.cpus",
                 4};
  }
  started_ = true;
  pthread_setname_np(thread_, ("rncd-worker" + (number_ == 0 ? "" : std::to_string(number_))).c_str());
  return ok();
}

void PolledWorker::stop() {
  if (!started_) return;
  stop_.store(true, std::memory_order_relaxed);
  pthread_join(thread_, nullptr);
  started_ = false;
}

void* PolledWorker::enter(void* self) {
  auto& thread = *static_cast<PolledWorker*>(self);
  if (rte_thread_register() == 0) {
    thread.run();
    rte_thread_unregister();
  }
  thread.running_.store(false, std::memory_order_release);
  return nullptr;
}

void PolledWorker::run() {
  thread_id_.store(gettid(), std::memory_order_relaxed);
  prctl(PR_SET_TIMERSLACK, 1);  // nanosecond; the kernel would add 50 µs to each rest
  unsigned empty = 0;
  while (!stop_.load(std::memory_order_relaxed)) {
    if (heartbeat_ != nullptr) beat();
    if (worker_.poll_once()) {
      empty = 0;
    } else if (power_ == Power::poll || ++empty < kEmptyPolls) {
      rte_pause();
    } else {
      rest();
    }
  }
  if (heartbeat_ != nullptr) tell_risk();
}

// In the kernel's clock, which the XDP program reads too; reading it is no system call (vDSO).
void PolledWorker::beat() {
  const Time now = clock_.now();
  if (now < next_beat_) return;
  next_beat_ = now + kBeat;
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  const std::uint64_t told =
      static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
  tell_risk();
  std::atomic_ref(heartbeat_->beat).store(told, std::memory_order_relaxed);
}

// The bytes at risk, for the next process on the wire, in case this one ends without settling them.
void PolledWorker::tell_risk() {
  std::uint64_t octets = 0;
  for (const ClassCounters& cls : shared_.classes) octets += cls.split.at_risk_bytes.get();
  std::atomic_ref(heartbeat_->at_risk).store(octets, std::memory_order_relaxed);
}

void PolledWorker::rest() {
  const Duration left = worker_.next_deadline() - clock_.now();
  if (left < kShortestRest) return;
  const timespec time{0, std::min(left, kLongestRest).count()};
  nanosleep(&time, nullptr);
}

}  // namespace

Result<std::unique_ptr<WorkerThread>> WorkerThread::start(const WorkerThreadPlan& plan) {
  auto thread = std::make_unique<PolledWorker>(plan);
  if (auto started = thread->start_thread(plan.cpu); !started) return started.error();
  return std::unique_ptr<WorkerThread>(std::move(thread));
}

}  // namespace dp::dpdk
