#include "tools/bench/dpdk/handoff.h"

#include <algorithm>
#include <span>
#include <thread>

#include <rte_cycles.h>

#include <pthread.h>
#include <sched.h>

#include "dataplane/base/expect.h"
#include "dataplane/mesh/frame_ring.h"
#include "dataplane/packet/burst.h"

namespace dp::yardstick {
namespace {

// Fewer than a ring holds, so that none is ever full.
constexpr std::size_t kFrames = 448;
constexpr unsigned kChunkBatches = 64;
constexpr unsigned kSettle = 4;  // chunks

// Nothing before it is read later, nothing behind it earlier.
std::uint64_t fenced_tsc() noexcept {
  __builtin_ia32_lfence();
  const std::uint64_t now = rte_rdtsc();
  __builtin_ia32_lfence();
  return now;
}

std::uint64_t clock_price() noexcept {
  std::uint64_t least = ~std::uint64_t{0};
  for (int i = 0; i < 10'000; ++i) {
    const std::uint64_t begun = fenced_tsc();
    least = std::min(least, fenced_tsc() - begun);
  }
  return least;
}

void pin(unsigned cpu) noexcept {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  CPU_SET(cpu, &cpus);
  pthread_setaffinity_np(pthread_self(), sizeof(cpus), &cpus);
}

// Sums up calls until a chunk is full.
class Meter {
 public:
  explicit Meter(std::uint64_t price) : price_(price) {}

  void add(std::uint64_t cycles, std::size_t frames) {
    cycles_ += cycles > price_ ? cycles - price_ : 0;
    frames_ += frames;
    if (++calls_ < kChunkBatches) return;
    if (++chunks_ > kSettle) done.push_back(static_cast<double>(cycles_) / static_cast<double>(frames_));
    cycles_ = frames_ = calls_ = 0;
  }

  std::vector<double> done;

 private:
  const std::uint64_t price_;
  std::uint64_t cycles_ = 0, frames_ = 0;
  unsigned calls_ = 0, chunks_ = 0;
};

class Handoff {
 public:
  Handoff(const HandoffPlan& plan, const std::atomic<bool>& stop)
      : plan_(plan), stop_(stop), price_(clock_price()), give_(price_), take_(price_), look_(price_) {}

  HandoffChunks run() {
    std::thread taker([this] { take(); });
    std::thread giver([this] { give(); });
    giver.join();
    taker.join();
    return {give_.done, take_.done, look_.done};
  }

 private:
  void wait_until(std::uint64_t moment) const noexcept {
    while (rte_rdtsc() < moment) {
    }
  }

  // Gives frames that were just written, once per poll, like a worker.
  void give() {
    pin(plan_.cpus[0]);
    std::vector<Sdu*> stock;
    for (Sdu& sdu : frames_) stock.push_back(&sdu);
    const auto end = std::chrono::steady_clock::now() + plan_.spell;
    for (std::uint64_t polls = 0; polls % 256 != 0 || (std::chrono::steady_clock::now() < end && !stop_);
         ++polls) {
      const std::uint64_t next = rte_rdtsc() + plan_.between;
      std::array<Sdu*, kBurst> returned;
      for (std::size_t n; (n = back_.pop(returned)) != 0;)
        stock.insert(stock.end(), returned.begin(), returned.begin() + n);
      if (stock.size() >= plan_.batch) {
        const std::span<Sdu* const> batch(stock.data() + stock.size() - plan_.batch, plan_.batch);
        for (Sdu* sdu : batch) sdu->frame_len = static_cast<std::uint32_t>(polls);
        const std::uint64_t begun = fenced_tsc();
        const std::size_t taken = there_.push(batch);
        give_.add(fenced_tsc() - begun, taken);
        DP_EXPECT(taken == plan_.batch);
        stock.resize(stock.size() - taken);
      }
      wait_until(next);
    }
    over_.store(true, std::memory_order_release);
  }

  void take() {
    pin(plan_.cpus[1]);
    std::array<Sdu*, kBurst> returned;
    std::uint64_t lengths = 0;
    while (!over_.load(std::memory_order_acquire)) {
      const std::uint64_t next = rte_rdtsc() + plan_.between;
      const std::uint64_t begun = fenced_tsc();
      const std::size_t count = there_.pop(std::span(returned).first(plan_.batch));
      if (plan_.read) {
        for (std::size_t i = 0; i < count; ++i) lengths += returned[i]->frame_len;
      }
      const std::uint64_t spent = fenced_tsc() - begun;
      count == 0 ? look_.add(spent, 1) : take_.add(spent, count);
      for (std::size_t i = 0; i < count;) i += back_.push(std::span(returned).subspan(i, count - i));
      wait_until(next);
    }
    read_ = lengths;
  }

  const HandoffPlan plan_;
  const std::atomic<bool>& stop_;
  const std::uint64_t price_;
  FrameRing there_, back_;
  std::vector<Sdu> frames_{kFrames};
  Meter give_, take_, look_;
  std::atomic<bool> over_{false};
  volatile std::uint64_t read_ = 0;  // so that reading is not left out
};

}  // namespace

HandoffChunks hand_off(const HandoffPlan& plan, const std::atomic<bool>& stop) {
  DP_EXPECT(plan.batch >= 1 && plan.batch <= kBurst);
  return Handoff(plan, stop).run();
}

}  // namespace dp::yardstick
