#include "tools/bench/dpdk/timers.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

#include <rte_cycles.h>
#include <rte_lcore.h>
#include <rte_timer.h>
#include <rte_version.h>

#include <sys/mman.h>

#include "dataplane/base/rng.h"
#include "dataplane/dpdk/clock.h"
#include "dataplane/dpdk/eal.h"
#include "dataplane/timer/calendar.h"

namespace dp::yardstick {
namespace {

// Timers at equal distances, on memory that asks for huge pages, as bearers' slabs do.
template <class Node>
class Strided {
 public:
  Strided(std::uint32_t size, std::uint32_t stride) : stride_(stride) {
    constexpr std::size_t kPage = std::size_t{2} << 20;
    const std::size_t bytes = (std::size_t{size} * stride + kPage - 1) / kPage * kPage;
    memory_ = static_cast<std::byte*>(std::aligned_alloc(kPage, bytes));
    if (memory_ == nullptr) std::abort();
    ::madvise(memory_, bytes, MADV_HUGEPAGE);
  }
  ~Strided() { std::free(memory_); }
  Strided(const Strided&) = delete;
  Strided& operator=(const Strided&) = delete;

  void* memory_of(std::uint32_t i) const noexcept { return memory_ + std::size_t{i} * stride_; }
  Node& operator[](std::uint32_t i) const noexcept { return *std::launder(static_cast<Node*>(memory_of(i))); }

 private:
  std::size_t stride_;
  std::byte* memory_;
};

// The timers that fired, for who arms them again.
template <class Node>
struct Fired {
  explicit Fired(std::uint32_t most) : nodes(most) {}
  void add(Node& node) noexcept { nodes[size++] = &node; }

  std::vector<Node*> nodes;
  std::size_t size = 0;
};

// The worker's calendar, under a clock that is moved by hand.
class CalendarWheel {
 public:
  struct Context;
  using Node = Timer<Context>;
  struct Context {
    Fired<Node> fired;
  };

  // A round takes the time in which kTogether of the timers are due.
  explicit CalendarWheel(const TimerPlan& plan)
      : context_{Fired<Node>(plan.timers)},
        step_(std::max<std::int64_t>(1, plan.horizon_ns * TimerSubject::kTogether / (2 * plan.timers))) {}

  void make(void* where) noexcept {
    new (where) Node([](Node& node, Time, Context& context) { context.fired.add(node); }, false);
  }
  void arm(Node& node, std::int64_t delay_ns) noexcept { calendar_.arm(node, now_ + Duration(delay_ns)); }
  // Completes the moves that the calendar has deferred to do several at a time.
  void settle() noexcept { calendar_.settle(); }
  void pass() noexcept { now_ += step_; }
  void catch_up() noexcept {}
  void expire() noexcept { calendar_.expire(now_, context_); }
  Fired<Node>& fired() noexcept { return context_.fired; }

 private:
  Calendar<Context> calendar_;
  Context context_;
  Duration step_;
  Time now_{};
};

// rte_timer knows no clock but the TSC, so its time is stretched or shortened: a round takes a millisecond
// and more, in which it keeps up at any number of timers. A skip list only compares deadlines, in any unit.
class RteWheel {
 public:
  using Node = rte_timer;

  explicit RteWheel(const TimerPlan& plan)
      : fired_(plan.timers),
        lcore_(rte_lcore_id()),
        step_(rte_get_timer_hz() / 1000 * (250'000 + plan.timers) / 250'000),
        ticks_per_ns_(static_cast<double>(step_) * 2 * plan.timers /
                      (static_cast<double>(plan.horizon_ns) * TimerSubject::kTogether)) {
    rte_timer_subsystem_init();
    catch_up();
  }
  ~RteWheel() { rte_timer_subsystem_finalize(); }  // its lists go, and with them what was armed
  RteWheel(const RteWheel&) = delete;
  RteWheel& operator=(const RteWheel&) = delete;

  void make(void* where) noexcept { rte_timer_init(new (where) Node{}); }
  void arm(Node& node, std::int64_t delay_ns) noexcept {
    const auto ticks = static_cast<std::uint64_t>(static_cast<double>(delay_ns) * ticks_per_ns_);
    rte_timer_reset_sync(&node, ticks, SINGLE, lcore_, fire, &fired_);
  }
  void settle() noexcept {}
  void pass() noexcept {
    next_ = std::max(next_ + step_, rte_get_timer_cycles());
    while (rte_get_timer_cycles() < next_) rte_pause();
  }
  void catch_up() noexcept { next_ = rte_get_timer_cycles(); }
  void expire() noexcept { rte_timer_manage(); }
  Fired<Node>& fired() noexcept { return fired_; }

 private:
  static void fire(rte_timer* node, void* fired) { static_cast<Fired<Node>*>(fired)->add(*node); }

  Fired<Node> fired_;
  unsigned lcore_;
  std::uint64_t step_;
  double ticks_per_ns_;
  std::uint64_t next_ = 0;
};

template <class Wheel>
class Timers final : public TimerSubject {
 public:
  explicit Timers(const TimerPlan& plan)
      : wheel_(plan), nodes_(plan.timers, plan.stride), plan_(plan), random_(plan.seed) {
    for (std::uint32_t i = 0; i < plan.timers; ++i) {
      wheel_.make(nodes_.memory_of(i));
      wheel_.arm(nodes_[i], delay());
    }
  }

  // Timers that became due meanwhile expire before the first round.
  void resume() noexcept override {
    wheel_.catch_up();
    for (int i = 0; i < 64; ++i) {
      wheel_.expire();
      const std::size_t fired = wheel_.fired().size;
      arm_again();
      if (fired < kTogether) break;
    }
    wheel_.catch_up();
  }

  TimerRound round() noexcept override {
    struct Change {
      std::uint32_t timer;
      std::int64_t delay;
    };
    std::array<Change, kTogether> changes;
    for (Change& change : changes) change = {random_.below(plan_.timers), delay()};
    TimerRound done;
    std::uint64_t from = rte_rdtsc_precise();
    for (const auto& [timer, delay] : changes) wheel_.arm(nodes_[timer], delay);
    wheel_.settle();
    done.rearm_cycles = rte_rdtsc_precise() - from;
    done.rearmed = kTogether;
    wheel_.pass();
    from = rte_rdtsc_precise();
    wheel_.expire();
    done.expire_cycles = rte_rdtsc_precise() - from;
    done.expired = wheel_.fired().size;
    arm_again();
    std::array<std::uint32_t, kTogether> others;
    for (std::uint32_t& other : others) other = random_.below(plan_.timers);
    std::uint64_t sum = 0;
    from = rte_rdtsc_precise();
    for (const std::uint32_t other : others)
      sum += *static_cast<const volatile std::uint64_t*>(nodes_.memory_of(other));
    done.touch_cycles = rte_rdtsc_precise() - from;
    done.touched = kTogether;
    read_ += sum;
    return done;
  }

 private:
  std::int64_t delay() noexcept {
    return 1 + static_cast<std::int64_t>(random_.uniform() * static_cast<double>(plan_.horizon_ns));
  }
  void arm_again() noexcept {
    auto& fired = wheel_.fired();
    for (std::size_t i = 0; i < fired.size; ++i) wheel_.arm(*fired.nodes[i], delay());
    fired.size = 0;
    wheel_.settle();
  }

  Wheel wheel_;
  Strided<typename Wheel::Node> nodes_;
  TimerPlan plan_;
  Rng random_;
  std::uint64_t read_ = 0;
};

}  // namespace

Status start_timers(unsigned cpu) {
  dpdk::EalPlan plan;
  plan.huge_pages = false;
  plan.memory_bytes = 16u << 20;
  plan.main_cpu = cpu;
  return dpdk::start_eal(plan);
}

std::unique_ptr<TimerSubject> make_timers(TimerKind kind, const TimerPlan& plan) {
  if (kind == TimerKind::calendar) return std::make_unique<Timers<CalendarWheel>>(plan);
  return std::make_unique<Timers<RteWheel>>(plan);
}

std::uint32_t timer_stride_least() {
  return (std::max(sizeof(CalendarWheel::Node), sizeof(rte_timer)) + 63) / 64 * 64;
}
double measured_cycles_per_ns() { return dpdk::calibrate_tsc(); }
std::string dpdk_text() { return rte_version(); }

}  // namespace dp::yardstick
