// One connection that is split: the receiver towards the server, what is stored, and the sender towards the
// UE. Owned by its bearer's SplitProxy, which does all that is done with it. Positions are Offsets of the
// server's stream, as in its Flow: 0 is the SYN.
// Tests: tests/unit/split/memory_test.cc
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "dataplane/base/expect.h"
#include "dataplane/base/fetch.h"
#include "dataplane/base/time.h"
#include "dataplane/flow/flow.h"
#include "dataplane/packet/context.h"
#include "dataplane/packet/seq.h"
#include "dataplane/packet/tcp.h"
#include "dataplane/split/class_split_counters.h"
#include "dataplane/split/frames.h"
#include "dataplane/split/segment_queue.h"
#include "dataplane/tcp/ranges.h"
#include "dataplane/tcp/send_engine.h"

namespace dp {

class SplitProxy;

struct alignas(kCacheLine) SplitFlow final : WorkerTimer {
  // The capacity of a connection with a window of `window` octets: segments that are stored at a time, and
  // ranges out of order. A segment that needs one more of either is dropped.
  struct Capacity {
    // Any two neighbours that would fit into one segment are joined when slots are short, so that twice as
    // many slots as there are full segments in a window are enough for what is in order.
    static constexpr std::uint32_t kShortestFull = 1360, kMoreSlots = 8;
    static constexpr std::uint32_t kOctetsOfRange = 4096, kFewestRanges = 4, kMostRanges = 16;
    std::uint32_t segments, ranges;
    explicit constexpr Capacity(std::uint32_t window) noexcept
        : segments(2 * (window / kShortestFull) + kMoreSlots),
          ranges(std::clamp(window / kOctetsOfRange, kFewestRanges, kMostRanges)) {}
    // Full segments that always have slots, however short the others are: life.cc limits the window to them.
    constexpr Offset full_segments() const noexcept { return (segments - kMoreSlots) / 2; }
    // Memory of a connection beside its SplitFlow.
    constexpr std::size_t bytes() const noexcept {
      return SegmentQueue::bytes_for(segments) + 2 * RangeSet::bytes_for(ranges);
    }
  };

  SplitFlow(const TcpSenderSettings& sender, const Capacity& capacity, Fire fire)
      : WorkerTimer(fire),
        engine(sender, capacity.ranges),
        queue(capacity.segments),
        beyond(capacity.ranges) {}

  // The state of one connection; it is reset for the next.
  struct Life {
    static constexpr Offset kNoFin = std::numeric_limits<Offset>::max();
    Offset next = 0;             // in order until here: what an ACK may say, but for the FIN
    Offset acknowledged = 0;     // the highest ACK number sent to the server, by the proxy or the UE
    Offset edge = 0;             // the highest right edge that it was given
    Offset fin = kNoFin;         // the position of the server's FIN, while it is stored or the UE has it
    Offset ue_acked = 0;         // in the UE's stream: the highest ACK number sent to the UE
    Bearer* bearer = nullptr;    // whose frames they are (Sdu::bearer)
    Time ack_at = kNever;        // a delayed ACK is due
    Time retry_at = kNever;      // there was no memory to send: the next attempt
    Time seen{};                 // something of the connection came
    Time moved_at{};             // the UE acknowledged a segment more, or nothing was at risk
    Offset moved_to = 0;         // acknowledged then
    std::uint32_t window = 0;    // what the server may have beyond what the UE has acknowledged
    std::uint32_t stored = 0;    // octets in the queue
    std::uint32_t risk = 0;      // as counted in the class: `acknowledged` less engine.una()
    std::uint32_t timeouts = 0;  // of the engine's, as counted
    // The server's timestamps: the one that ACKs to it echo, the last that went to the UE, and what it last
    // echoed.
    std::uint32_t recent = 0, stamp_sent = 0, echo = 0;
    SegmentQueue::Position swept{};   // where in the queue sweep() goes on
    std::uint16_t server_window = 0;  // in its last header, and in the last sent to the UE
    std::uint16_t sent_window = 0;
    std::uint16_t unacked = 0;  // segments in order since the last ACK to the server
    SplitState state = SplitState::split;
    bool stamps = false;   // both ends use timestamps
    bool ece = false;      // the server is to slow down, until it says CWR
    bool cwr = false;      // the next new segment to the UE says so
    bool waits = false;    // for space in the bearer's buffer
    bool closed = false;   // a window of 0 was advertised to the server
    bool probed = false;   // the server has asked whether the UE is there: its next ACK goes on
    bool ahead = false;    // the UE's last ACK was of what did not come here
    bool leaving = false;  // drains for a reason of its own

    // True if the whole stream of the server is here, FIN included.
    bool finished() const noexcept { return next > fin; }
  };

  Flow* flow = nullptr;  // null: free
  SplitProxy* proxy = nullptr;
  SplitFlow* next_free = nullptr;
  std::uint32_t index = 0;  // among those of its proxy
  Life life;
  SendEngine engine;
  SegmentQueue queue;
  RangeSet beyond;  // what is stored out of order

  // The UE has acknowledged everything below.
  Offset acked() const noexcept { return engine.una(); }
};

}  // namespace dp
