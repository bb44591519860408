// What the two directions of one TCP connection have shown the box. Lives in its bearer's FlowTable; touched
// by the bearer's worker only. Places in the source's stream (the core's side, whose data queue here) are
// Offsets: 0 is its SYN, or what was seen first when that was missed.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "dataplane/base/ids.h"
#include "dataplane/base/time.h"
#include "dataplane/flow/key.h"
#include "dataplane/flow/sacked.h"
#include "dataplane/packet/seq.h"

namespace dp {

// What one end said in its SYN or SYN-ACK.
struct SynWords {
  bool seen = false;
  std::uint32_t initial = 0;  // sequence number
  std::optional<std::uint8_t> scale{};
  std::uint16_t mss = 536;  // RFC 9293 section 3.7.1: without the option
  bool sack = false;
  bool timestamps = false;
};

// An uplink segment, by what it does to the source. Only the first five are pure ACKs.
enum class AckKind : std::uint8_t {
  advance,        // acknowledges new data
  duplicate,      // RFC 5681 section 2: the same number and window again while data is outstanding
  sack,           // carries SACK blocks, new number or not
  window_update,  // the same number, another window
  old,            // a number below one seen before
  data,           // carries payload
  syn,
  fin,
  rst
};
constexpr bool is_pure(AckKind kind) { return kind <= AckKind::old; }

// A round-trip time, smoothed as by RFC 6298 section 2.
struct RoundTrip {
  Duration smoothed{0};  // 0: no sample yet
  void add(Duration sample) noexcept {
    smoothed = smoothed.count() == 0 ? sample : smoothed + (sample - smoothed) / 8;
  }
};

struct Flow {
  FlowKey key{};
  std::uint32_t index = 0;  // its place in the table, by which the stages keep what they know of it
  Time first_seen{}, last_seen{};
  std::array<SynWords, 2> syn{};  // by direction: of the source, of the UE
  std::array<bool, 2> finished{};  // by direction: a FIN was seen
  bool asymmetric = false;  // ACKs of data that never came this way: the stages leave the flow alone

  SeqSpace space{};       // of the source
  bool anchored = false;  // `space` stands
  Offset arrived = 0;     // beyond the highest byte that came from the source
  Offset dequeued = 0;    // beyond the highest byte whose transmission to the UE has started
  Offset acked = 0;       // the highest cumulative ACK of the UE
  SackedRanges sacked;    // above that
  std::uint16_t window = 0;  // the UE's last, as its header has it
  std::uint32_t duplicates = 0;  // duplicate ACKs since the last that advanced

  Offset told = 0;        // the highest cumulative ACK that was sent on to the source
  Offset told_edge = 0;   // and the highest right edge, ACK and window, that it has seen
  std::uint32_t held = 0;  // ACKs that stages hold

  RoundTrip radio;  // from the arrival of data here to its ACK, queueing included
  RoundTrip core;   // from an ACK sent on to the data it has let go
  Offset timed = 0;  // the data of which `radio` is being measured, 0 when none
  Time timed_at{};

  // Both SYNs were seen, so that the UE's windows can be read and rewritten.
  bool scale_known() const noexcept { return syn[0].seen && syn[1].seen; }
  // RFC 7323 section 2.2: by how much the UE's windows are shifted; both must have offered it.
  std::uint8_t shift() const noexcept { return syn[0].scale && syn[1].scale ? *syn[1].scale : std::uint8_t{0}; }
  std::uint32_t window_of(std::uint16_t field) const noexcept { return std::uint32_t{field} << shift(); }
  // What the source's segments carry at most.
  std::uint32_t mss() const noexcept { return syn[1].seen ? syn[1].mss : 1460; }

  // Bytes in the wireless pipe: sent to the UE and neither acknowledged nor SACKed (001 section 4, Y).
  Offset pipe() const noexcept { return std::max<Offset>(0, dequeued - acked - sacked.bytes()); }
  // Bytes of the source's that wait here, or were dropped here.
  Offset outstanding() const noexcept { return std::max<Offset>(0, arrived - acked); }
  bool over() const noexcept { return finished[0] && finished[1]; }
};

}  // namespace dp
