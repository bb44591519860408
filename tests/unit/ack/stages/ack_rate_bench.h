// A chain of one ack-rate stage; the test sets the downlink's occupancy and the time, and sends the ACKs.
#pragma once
#include <deque>
#include <memory>
#include <ostream>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "dataplane/ack/chain.h"
#include "dataplane/bearer/fetch.h"
#include "dataplane/packet/parse.h"
#include "tests/support/frames.h"

namespace dp::test {

using std::chrono::milliseconds;

class AckRateBench : public ::testing::Test {
 protected:
  using Mode = AckRate::Mode;
  using Second = AckRate::Second;
  using Occupancy = AckRate::Occupancy;
  using News = AckRate::News;
  struct Left {
    std::int64_t ms;
    std::uint32_t ack;
    friend bool operator==(const Left&, const Left&) = default;
    friend void PrintTo(const Left& l, std::ostream* out) { *out << l.ack << " at " << l.ms << " ms"; }
  };
  using Lefts = std::vector<Left>;

  void TearDown() override {
    if (chain != nullptr) chain->send_all(context);
    EXPECT_EQ(context.account.held, 0u);
    EXPECT_EQ(context.account.mbufs_held, 0u);
    EXPECT_EQ(context.timers.size(), 0u);
  }

  static AckSettings settings(const AckRate::Config& config) {
    AckSettings s;
    s.stages = 1;
    s.stage[0] = config;
    return s;
  }
  // Segments 0 to 99 of two flows, 100 bytes each, have come from the source.
  void make(const AckRate::Config& config) {
    chain = std::make_unique<AckChain>(settings(config), 1);
    chain->count_in(stats);
    for (const std::uint16_t port : {kFlow, kOther}) {
      for (std::uint32_t i = 0; i < 100; ++i) {
        Sdu& sdu = frame({.dst = "10.45.0.2", .sport = 80, .dport = port, .seq = 1 + 100 * i, .payload = 100},
                         Side::core);
        chain->on_arrival(sdu, true, false, buffer, context);
      }
    }
  }
  void change(const AckRate::Config& config) { chain->reconfigure(settings(config), context); }

  // The occupancy is this from now on.
  void bo(std::uint32_t sdus) { bo(sdus, sdus); }
  void bo(std::uint32_t sdus, std::uint32_t waiting) {
    buffer.sdus = sdus;
    buffer.bytes = 1500 * sdus;
    buffer.waiting_sdus = waiting;
    buffer.waiting_bytes = 1500 * waiting;
    chain->on_buffer(buffer, context);
    collect();
  }
  void counter(std::uint64_t bytes) {
    buffer.discard_counter = bytes;
    chain->on_buffer(buffer, context);
    collect();
  }

  // The ACK that requests segment `n`.
  void ack(std::uint32_t n, const FrameSpec& like = {}) {
    FrameSpec spec = like;
    spec.src = "10.45.0.2";
    spec.dst = "192.0.2.1";
    spec.dport = 80;
    spec.ack = 1 + 100 * n;
    spec.payload = like.payload == FrameSpec{}.payload ? 0 : like.payload;
    chain->on_uplink(frame(spec, Side::radio), context);
    collect();
  }
  void acks(std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t n = first; n <= last; ++n) ack(n);
  }

  // Each timer at its time.
  void at(std::int64_t ms) {
    const Time until = Time{} + milliseconds{ms};
    for (Time next = context.timers.next_deadline(); next <= until; next = context.timers.next_deadline()) {
      context.now = std::max(context.now, next);
      context.timers.expire(context.now, context);
      collect();
    }
    context.now = until;
  }
  // All at once: the worker polls only now.
  void late(std::int64_t ms) {
    context.now = Time{} + milliseconds{ms};
    context.timers.expire(context.now, context);
    collect();
  }

  std::uint64_t held() const { return context.account.held; }
  // The ACKs that have left since the last call: the time, and the segment that each requests.
  Lefts left() { return std::exchange(left_, {}); }

  static constexpr std::uint16_t kFlow = 40000, kOther = 40001;
  Context context;
  ClassAckCounters stats;
  BufferReading buffer{};
  std::unique_ptr<AckChain> chain;

 private:
  Sdu& frame(const FrameSpec& spec, Side side) {
    frames_.emplace_back(spec, side);
    parse(frames_.back().sdu());
    return frames_.back().sdu();
  }
  void collect() {
    auto& out = context.egress[index(Side::core)];
    while (!out.frames.empty()) {
      const Sdu& sdu = out.pop();
      const std::uint32_t number = load32(sdu.data + sdu.l4_offset + 8);
      left_.push_back({std::chrono::duration_cast<milliseconds>(context.now.time_since_epoch()).count(),
                       (number - 1) / 100});
    }
  }

  std::deque<TestFrame> frames_;
  Lefts left_;
};

}  // namespace dp::test
