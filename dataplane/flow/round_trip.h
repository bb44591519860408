// Round-trip times measured by a box on the path: to the UE and back, to the source and back. Part of their
// Flow.
#pragma once
#include <algorithm>
#include <cstdint>

#include "dataplane/base/expect.h"
#include "dataplane/base/time.h"
#include "dataplane/packet/seq.h"

namespace dp {

// Smoothed according to RFC 6298 section 2.
struct RoundTrip {
  Duration smoothed{0};  // 0: no sample yet
  void add(Duration sample) noexcept {
    sample = std::max(sample, Duration{1});
    smoothed = smoothed.count() == 0 ? sample : smoothed + (sample - smoothed) / 8;
  }
};

// The round trip from an uplink segment that left for the source to its effect. The effect may be delayed at
// the source (a delayed ACK, nothing to send), so every sample is an upper bound and `smoothed` a lower
// envelope: it falls at once and rises by an eighth. One event is timed at a time, in this order of
// preference: the UE's octets, until the source acknowledges them; a timestamp, until the source echoes it;
// without these, the source's right edge, until data beyond it arrive. A source limited by its congestion
// window delays such data, so these samples never raise it.
class CoreTrip {
 public:
  Duration smoothed{0};  // 0: no sample yet

  // Called when octets [from, to) of the UE's stream leave. Requires: not empty.
  void octets_left(Offset from, Offset to, Time now) noexcept {
    DP_EXPECT(from < to);
    if (from < sent_) {  // Karn: sent before, so the answer may be for that
      if (timing_ == Timing::octets && from < goal_) timing_ = Timing::none;
    } else if (timing_ == Timing::none || timing_ == Timing::edge) {
      start(Timing::octets, to, now);
    }
    sent_ = std::max(sent_, to);
  }
  void octets_acked(Offset ack, Time now) noexcept {
    if (timing_ == Timing::octets && ack >= goal_) finish(now);
  }

  // Called when a timestamp value of the UE's leaves (RFC 7323). Only the first segment with a value counts.
  void stamp_left(std::uint32_t value, Time now) noexcept {
    const bool first = !stamped_ || stamp_before(last_stamp_, value);
    if (!first) return;
    stamped_ = true;
    last_stamp_ = value;
    if (timing_ != Timing::none && timing_ != Timing::edge) return;
    stamp_ = value;
    start(Timing::stamp, 0, now);
  }
  bool awaits_stamp() const noexcept { return timing_ == Timing::stamp; }
  void stamp_echoed(std::uint32_t echo, Time now) noexcept {
    if (timing_ == Timing::stamp && !stamp_before(echo, stamp_)) finish(now);
  }

  // Called when an ACK leaves that allows the source to send beyond `edge`.
  void edge_left(Offset edge, Time now) noexcept {
    if (timing_ == Timing::none) start(Timing::edge, edge, now);
  }
  void data_came(Offset end, Time now) noexcept {
    if (timing_ == Timing::edge && end > goal_) finish(now);
  }

 private:
  enum class Timing : std::uint8_t { none, octets, stamp, edge };

  void start(Timing timing, Offset goal, Time now) noexcept {
    timing_ = timing;
    goal_ = goal;
    since_ = now;
  }

  void finish(Time now) noexcept {
    DP_EXPECT(timing_ != Timing::none);
    const Duration sample = std::max(now - since_, Duration{1});
    if (smoothed.count() == 0 || sample < smoothed) {
      smoothed = sample;
    } else if (timing_ != Timing::edge) {
      smoothed += (std::min(sample, 2 * smoothed) - smoothed) / 8;  // a pause of the source at most doubles
                                                                    // it
    }
    timing_ = Timing::none;
  }

  Time since_{};
  Offset goal_ = 0;  // a position of the UE's stream, or the source's edge
  Offset sent_ = 0;  // end of the octets that left
  std::uint32_t stamp_ = 0, last_stamp_ = 0;
  bool stamped_ = false;
  Timing timing_ = Timing::none;
};

}  // namespace dp
