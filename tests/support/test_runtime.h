// The data plane for tests of control: a worker over memory on a thread of its own, with a real clock, behind
// the same interface as DPDK. Frames are offered from the test's thread; the worker can be made to stall.
#pragma once
#include <array>
#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dataplane/packet/burst.h"
#include "dataplane/packet/sdu_list.h"
#include "dataplane/worker/runtime.h"
#include "tests/support/frames.h"

namespace dp::test {

class SteadyClock {
 public:
  Time now() const noexcept {
    return Time{std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - start_)};
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Frames in and out under a lock: one side is the test, the other the worker.
class LockedIo {
 public:
  void offer(Side side, const FrameSpec& spec) { offer(side, TestFrame(spec, side)); }
  void offer(Side side, TestFrame frame) {
    const std::lock_guard lock(mutex_);
    waiting_[index(side)].push_back(std::move(frame));
  }
  std::size_t sent() const {
    const std::lock_guard lock(mutex_);
    return sent_;
  }

  void receive(Side side, Burst& burst, Time now) noexcept {
    const std::lock_guard lock(mutex_);
    auto& waiting = waiting_[index(side)];
    while (!burst.full() && !waiting.empty()) {
      TestFrame frame = std::move(waiting.front());
      waiting.pop_front();
      Sdu& sdu = frame.sdu();
      sdu.arrival = now;
      sdu.ingress = side;
      burst.push(sdu);
      owned_.emplace(&sdu, Held{std::move(frame)});
    }
  }
  std::size_t transmit(Side, std::span<Sdu* const> frames) noexcept {
    const std::lock_guard lock(mutex_);
    for (const Sdu* sdu : frames) leave(*sdu);
    sent_ += frames.size();
    return frames.size();
  }
  void release(SduList& list) noexcept {
    const std::lock_guard lock(mutex_);
    while (!list.empty()) leave(list.pop());
  }
  Sdu* allocate(std::uint32_t bytes) noexcept {
    const std::lock_guard lock(mutex_);
    TestFrame frame(Buffer(bytes + 1));
    Sdu& sdu = frame.sdu();
    sdu.frame_len = sdu.head_len = bytes;
    owned_.emplace(&sdu, Held{std::move(frame)});
    return &sdu;
  }
  bool keep(Sdu& sdu) noexcept {
    const std::lock_guard lock(mutex_);
    ++owned_.at(&sdu).holders;
    return true;
  }
  bool sole(const Sdu& sdu) const noexcept {
    const std::lock_guard lock(mutex_);
    return owned_.at(&sdu).holders == 1;
  }
  void let_go(Sdu& sdu) noexcept {
    const std::lock_guard lock(mutex_);
    leave(sdu);
  }
  void shorten(Sdu&, std::uint32_t) noexcept {}
  void cut_front(Sdu&, std::uint32_t) noexcept {}
  Sdu* copy(const Sdu& sdu) noexcept {
    const std::lock_guard lock(mutex_);
    TestFrame frame(Buffer(sdu.head().begin(), sdu.head().end()));
    Sdu& again = frame.sdu();
    std::byte* const data = again.data;
    again = sdu;
    again.data = data;
    owned_.emplace(&again, Held{std::move(frame)});
    return &again;
  }

 private:
  struct Held {
    TestFrame frame;
    unsigned holders = 1;  // its owner and those that keep it
  };
  // Requires: the lock is held.
  void leave(const Sdu& sdu) {
    const auto at = owned_.find(&sdu);
    if (at != owned_.end() && --at->second.holders == 0) owned_.erase(at);
  }

  mutable std::mutex mutex_;
  std::array<std::deque<TestFrame>, 2> waiting_;
  std::unordered_map<const Sdu*, Held> owned_;
  std::size_t sent_ = 0;
};

class TestRuntime final : public Runtime {
 public:
  explicit TestRuntime(std::uint32_t max_bearers = 4096, unsigned workers = 1);
  ~TestRuntime() override;

  // While stalled the workers, or the one of that number, poll nothing.
  void stall(bool on) { stalled_ = on ? kAll : kNone; }
  void stall_only(unsigned worker) { stalled_ = worker; }

  std::size_t workers() const override { return engines_.size(); }
  WorkerShared& shared(std::size_t worker) override { return *shared_[worker]; }
  PortReport port(Side side) const override {
    return {"memory", "memory", "frames in " + std::string(name(side)), 1514};
  }
  PortLosses losses(Side) const override { return {1, 2, 3, 4}; }
  bool carrier_up(Side) const override { return true; }
  PoolReport pool() const override { return {1000, 10, 900, 5}; }
  double cycles_per_ns() const override { return 2.0; }
  Time now() const override { return clock_.now(); }
  std::optional<WireReport> wire() const override { return wire_report; }
  WireShortcut* shortcut() override { return shortcut_way; }
  Status set_wire_tunnels(const GtpUSettings& gtp_u) override {
    wire_tunnels.push_back(gtp_u);
    return takes_wire_tunnels ? ok() : Error{"no memory"};
  }
  Status open() override {
    opened = true;
    return ok();
  }
  bool running() const override { return !stop_; }
  void stop() override {
    stop_ = true;
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

  LockedIo io;
  std::optional<WireReport> wire_report{};
  WireShortcut* shortcut_way = nullptr;
  std::vector<GtpUSettings> wire_tunnels;  // all that were set, in order
  bool takes_wire_tunnels = true;
  bool opened = false;  // its io receives from the start

 private:
  struct Engine;   // a worker itself, which few need to see
  struct Hallway;  // between the workers

  static constexpr unsigned kNone = ~0u, kAll = kNone - 1;

  void poll(unsigned worker);

  SteadyClock clock_;
  std::vector<std::unique_ptr<WorkerShared>> shared_;
  std::unique_ptr<Hallway> hallway_;
  std::vector<std::unique_ptr<Engine>> engines_;
  std::atomic<bool> stop_ = false;
  std::atomic<unsigned> stalled_ = kNone;
  std::vector<std::thread> threads_;
};

}  // namespace dp::test
