// An Io of memory for tests: frames offered to a port wait until the worker receives them, what the worker
// sends is kept with the time at which it went. Owns every frame; leaks are counted (outstanding()). It is
// the world outside: a poll's guard (poll_guard.h) is down in here.
#pragma once
#include <cstddef>
#include <deque>
#include <functional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "dataplane/worker/io.h"
#include "tests/support/frames.h"
#include "tests/support/poll_guard.h"
#include "tests/support/tunnel_wire.h"

namespace dp::test {

class MemoryIo {
 public:
  struct Sent {
    Side side;
    Time at;
    Buffer bytes;
  };

  explicit MemoryIo(ManualClock& clock) : clock_(clock) {}

  void offer(Side side, const FrameSpec& spec) { offer(side, TestFrame(spec, side)); }
  void offer(Side side, TestFrame frame) {
    TunnelWire::wrap(frame, side);
    frame.sdu().ingress = side;
    waiting_[index(side)].push_back(std::move(frame));
  }

  void expect_tunnels(bool expected) noexcept { tunnels_expected = expected; }

  void receive(Side side, Burst& burst, Time now) noexcept {
    const GuardLifted outside;
    clock_.advance(receiving_takes);
    auto& waiting = waiting_[index(side)];
    while (!burst.full() && !waiting.empty()) {
      TestFrame frame = std::move(waiting.front());
      waiting.pop_front();
      Sdu& sdu = frame.sdu();
      sdu.arrival = now;
      burst.push(sdu);
      owned_.emplace(&sdu, Held{std::move(frame)});
    }
  }

  std::size_t transmit(Side side, std::span<Sdu* const> frames) noexcept {
    const GuardLifted outside;
    std::size_t n = 0;
    for (; n < frames.size() && n < free_slots; ++n) {
      sent.push_back({side, clock_.now(), TunnelWire::unwrapped(*frames[n], side)});
      if (completes) {
        leave(*frames[n]);
      } else {
        underway_.push_back(frames[n]);
      }
    }
    return n;
  }
  // The port has sent what it took while it did not say so (`completes`).
  void complete() {
    for (const Sdu* sdu : std::exchange(underway_, {})) leave(*sdu);
  }

  void release(SduList& list) noexcept {
    const GuardLifted outside;
    while (!list.empty()) {
      ++released;
      leave(list.pop());
    }
  }

  Sdu* allocate(std::uint32_t bytes) noexcept {
    const GuardLifted outside;
    if (owned_.size() >= max_frames) return nullptr;
    TestFrame frame(Buffer(bytes + 1));
    Sdu& sdu = frame.sdu();
    sdu.frame_len = sdu.head_len = bytes;
    owned_.emplace(&sdu, Held{std::move(frame)});
    ++allocated;
    return &sdu;
  }
  bool keep(Sdu& sdu) noexcept {
    ++owned_.at(&sdu).holders;
    return true;
  }
  bool sole(const Sdu& sdu) const noexcept { return owned_.at(&sdu).holders == 1; }
  void let_go(Sdu& sdu) noexcept {
    const GuardLifted outside;
    leave(sdu);
  }
  void shorten(Sdu&, std::uint32_t) noexcept {}
  void cut_front(Sdu&, std::uint32_t) noexcept {}
  Sdu* copy(const Sdu& sdu) noexcept {
    const GuardLifted outside;
    if (owned_.size() >= max_frames) return nullptr;
    TestFrame frame(Buffer(sdu.head().begin(), sdu.head().end()));
    Sdu& again = frame.sdu();
    std::byte* const data = again.data;
    again = sdu;
    again.data = data;
    owned_.emplace(&again, Held{std::move(frame)});
    ++copied;
    return &again;
  }

  // Frames held by the worker, or by a port that has not completed them.
  std::size_t outstanding() const { return owned_.size(); }

  std::vector<Sent> sent;
  std::size_t released = 0;
  std::size_t allocated = 0;
  std::size_t copied = 0;
  bool completes = true;                     // false: a port is not done with what it took before complete()
  std::size_t max_frames = ~std::size_t{0};  // beyond which allocate() and copy() have none
  Duration receiving_takes{};                // by so much the clock goes on whenever the worker asks
  bool tunnels_expected = false;             // by expect_tunnels()
  std::size_t free_slots = kBurst;           // frames a port takes per transmit call

 private:
  struct Held {
    TestFrame frame;
    unsigned holders = 1;  // its owner and those that keep it
  };
  void leave(const Sdu& sdu) {
    const auto it = owned_.find(&sdu);
    if (it == owned_.end()) return ADD_FAILURE() << "a frame that is nobody's any more", void();
    if (--it->second.holders == 0) owned_.erase(it);
  }

  ManualClock& clock_;
  std::array<std::deque<TestFrame>, 2> waiting_;
  std::unordered_map<const Sdu*, Held> owned_;
  std::vector<const Sdu*> underway_;
};

}  // namespace dp::test
