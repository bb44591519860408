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

#include "dataplane/worker/io.h"
#include "tests/support/frames.h"
#include "tests/support/poll_guard.h"

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
    frame.sdu().ingress = side;
    waiting_[index(side)].push_back(std::move(frame));
  }

  void receive(Side side, Burst& burst, Time now) noexcept {
    const GuardLifted outside;
    auto& waiting = waiting_[index(side)];
    while (!burst.full() && !waiting.empty()) {
      TestFrame frame = std::move(waiting.front());
      waiting.pop_front();
      Sdu& sdu = frame.sdu();
      sdu.arrival = now;
      burst.push(sdu);
      owned_.emplace(&sdu, std::move(frame));
    }
  }

  std::size_t transmit(Side side, std::span<Sdu* const> frames) noexcept {
    const GuardLifted outside;
    std::size_t n = 0;
    for (; n < frames.size() && n < room; ++n) {
      const auto head = frames[n]->head();
      sent.push_back({side, clock_.now(), Buffer(head.begin(), head.end())});
      owned_.erase(frames[n]);
    }
    return n;
  }

  void release(SduList& list) noexcept {
    const GuardLifted outside;
    while (!list.empty()) {
      ++released;
      owned_.erase(&list.pop());
    }
  }

  Sdu* allocate(std::uint32_t bytes) noexcept {
    const GuardLifted outside;
    if (owned_.size() >= max_frames) return nullptr;
    TestFrame frame(Buffer(bytes + 1));
    Sdu& sdu = frame.sdu();
    sdu.frame_len = sdu.head_len = bytes;
    owned_.emplace(&sdu, std::move(frame));
    ++allocated;
    return &sdu;
  }

  // Frames the worker holds.
  std::size_t outstanding() const { return owned_.size(); }

  std::vector<Sent> sent;
  std::size_t released = 0;
  std::size_t allocated = 0;
  std::size_t max_frames = ~std::size_t{0};  // beyond which allocate() has none
  std::size_t room = kBurst;                 // frames a port takes per transmit call

 private:
  ManualClock& clock_;
  std::array<std::deque<TestFrame>, 2> waiting_;
  std::unordered_map<const Sdu*, TestFrame> owned_;
};

}  // namespace dp::test
