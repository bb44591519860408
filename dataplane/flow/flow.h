// The observed state of one TCP connection, in both directions. Stored in its bearer's FlowTable; used by the
// bearer's worker only. Positions in the source's stream (the core's side, whose data queue here) are
// Offsets: 0 is its SYN, or the first octet seen if the SYN was missed.
// Tests: tests/unit/flow/track_test.cc
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "dataplane/base/expect.h"
#include "dataplane/base/fetch.h"
#include "dataplane/base/ids.h"
#include "dataplane/base/time.h"
#include "dataplane/flow/key.h"
#include "dataplane/flow/round_trip.h"
#include "dataplane/flow/sacked.h"
#include "dataplane/packet/seq.h"

namespace dp {

// The fields of one end's SYN or SYN-ACK.
struct SynWords {
  bool seen = false;
  std::uint32_t initial = 0;  // sequence number
  std::optional<std::uint8_t> scale{};
  std::uint16_t window = 0;  // not scaled
  std::uint16_t mss = 536;   // RFC 9293 section 3.7.1: without the option
  bool sack = false;
  bool timestamps = false;
  bool ecn = false;     // RFC 3168 section 6.1.1: ECE and CWR in a SYN, ECE alone in its answer
  bool sealed = false;  // has an option that no middlebox may answer for or change: see Flow::sealed()
};

// An uplink segment, by its effect on the source. Only the first six are pure ACKs.
enum class AckKind : std::uint8_t {
  advance,        // acknowledges new data
  duplicate,      // RFC 5681 section 2: number and window unchanged while data is outstanding
  sack,           // carries SACK blocks, with or without a new number
  window_update,  // acknowledges no new data: another window, nothing outstanding, or a SYN or FIN
                  // acknowledged alone
  old,            // a number below one seen before
  ahead,          // acknowledges data that did not come this way: does not change the flow
  data,           // carries payload
  syn,
  fin,
  rst
};
constexpr bool is_pure(AckKind kind) { return kind <= AckKind::ahead; }

// The UE's own stream, as far as needed to judge segments: 0 is its SYN, or the first octet seen.
struct UeStream {
  SeqSpace space{};
  bool anchored = false;  // `space` is valid
  Offset sent = 0;        // end of the data received from the UE
  Offset acked = 0;       // highest cumulative ACK of the source
  Offset edge = 0;        // highest right edge (ACK plus window) advertised by the source; 0: none was read
};

// Consecutive unacceptable segments of one end: they cannot belong to the connection as it is known.
struct UnacceptableRun {
  Time since{};                // arrival of the first
  std::uint32_t position = 0;  // in the source's stream that the last one refers to: each is near the
                               // one before
  std::uint8_t count = 0;
};

// Members read for a segment in order come first, in as few cache lines as possible: up to the first words of
// `sacked`.
struct alignas(kCacheLine) Flow {
  FlowKey key{};
  std::uint32_t index = 0;  // its index in the table, used by the stages for their own state
  // True once one end has acknowledged, by more than a SYN-ACK, data of the other's that passed here.
  bool established = false;
  bool asymmetric = false;  // ACKs acknowledge data that never came this way: the stages ignore the flow
  bool anchored = false;    // `space` is valid
  bool heard = false;       // `acked` was received from the UE, or is 0, the SYN; otherwise it is a guess
  Time last_seen{};
  SeqSpace space{};                               // sequence space of the source
  std::array<SynWords, 2> syn{};                  // by direction: the source's, the UE's
  bool in_doubt = false;                          // segments passed unseen, and none came since
  std::array<bool, 2> finished{};                 // by direction: a FIN was seen
  std::array<bool, 2> reset{};                    // by direction: a RST was seen that its peer accepts
  std::uint16_t window = 0;                       // the UE's last window field; those of SYNs do not count
  bool ack_forwarded = false;                     // an ACK was forwarded since `space` became valid
  std::array<UnacceptableRun, 2> unacceptable{};  // by direction; a segment of the connection ends both runs
  Offset arrived = 0;                             // end of the data received from the source
  Offset dequeued = 0;                            // end of the data whose transmission to the UE has started
  Offset acked = 0;                               // highest cumulative ACK of the UE, at most `arrived`
  UeStream ue;
  Offset forwarded_ack = 0;  // highest cumulative ACK forwarded to the source
  // Highest right edge (ACK plus window) of forwarded ACKs that the source accepts.
  Offset advertised_edge = 0;
  CoreTrip core;     // round trip to the source: from a forwarded uplink segment to its effect
  RoundTrip radio;   // round trip to the UE: from the arrival of data here to its ACK, queueing included
  Offset timed = 0;  // end of the data by which `radio` is being measured, 0 if none
  Time timed_at{};
  SackedRanges sacked;           // ranges above `acked`
  std::uint32_t duplicates = 0;  // duplicate ACKs since the last advance
  std::uint32_t held = 0;        // number of ACKs held by stages
  // If stages keep segments: the number kept now, the number sent again from here, and radio losses that the
  // source was not notified of.
  std::uint32_t kept = 0;
  std::uint32_t resent = 0;
  std::uint32_t hidden = 0;
  std::array<Offset, 2> fin_end{};  // by direction: position after the FIN
  Time first_seen{};
  // A SYN during a live connection, until a SYN-ACK confirms a new incarnation.
  SynWords new_incarnation{};
  Direction new_incarnation_from{};

  static constexpr std::size_t kHotBytes = 5 * kCacheLine;
  [[gnu::always_inline]] void prefetch() const noexcept { fetch_lines<kHotBytes>(this); }

  // True if both SYNs were seen, so that the UE's windows can be read and rewritten.
  bool scale_known() const noexcept { return syn[0].seen && syn[1].seen; }
  // RFC 7323 section 2.2: shift count of the UE's windows: 0 unless both ends offered the option.
  std::uint8_t shift() const noexcept {
    const std::uint8_t shift = syn[0].scale && syn[1].scale ? *syn[1].scale : std::uint8_t{0};
    DP_EXPECT(shift <= 14);
    return shift;
  }
  // RFC 3168: true if both ends react to ECE.
  bool ecn() const noexcept { return syn[0].ecn && syn[1].ecn; }
  // True if the source uses SACK blocks (RFC 2018) instead of counting duplicate ACKs.
  bool sack() const noexcept { return syn[0].sack && syn[1].sack; }
  // True if its ACKs carry other information, or are signed: Multipath TCP (RFC 8684), TCP-AO (RFC 5925), the
  // MD5 signature (RFC 2385) and Accurate ECN (RFC 9768). Stages that drop or create ACKs ignore such a flow.
  bool sealed() const noexcept { return syn[0].sealed || syn[1].sealed; }
  // The UE's windows have units of 2^shift bytes (RFC 7323 section 2): the bytes of a field, and the smallest
  // field for a number of bytes.
  std::uint32_t window_of(std::uint16_t field) const noexcept { return std::uint32_t{field} << shift(); }
  Offset units_up(Offset bytes) const noexcept {
    const std::uint8_t s = shift();
    return (std::max<Offset>(bytes, 0) + (Offset{1} << s) - 1) >> s;
  }
  // Maximum payload of the source's segments.
  std::uint32_t mss() const noexcept { return syn[1].seen ? syn[1].mss : 1460; }

  // Bytes in the wireless pipe: sent to the UE and neither acknowledged nor SACKed (001 section 4, Y). Data
  // that a UE acknowledges before it was sent is not counted.
  Offset pipe() const noexcept { return pipe_beyond(acked); }
  // pipe() as if `number` were acknowledged.
  Offset pipe_beyond(Offset number) const noexcept {
    return std::max<Offset>(0, dequeued - number - sacked.bytes());
  }
  // Bytes received from the source and not acknowledged: waiting, dropped, or in the pipe.
  Offset outstanding() const noexcept { return std::max<Offset>(0, arrived - acked); }
  // True after a RST, or once the FINs of both ends are acknowledged.
  bool over() const noexcept {
    if (reset[0] || reset[1]) return true;
    return finished[0] && finished[1] && acked >= fin_end[0] && ue.acked >= fin_end[1];
  }
  // True if both ends have sent through here, so that a contradicting segment is suspect.
  bool proved() const noexcept { return established || scale_known(); }
  // This many consecutive ones over a time without an acceptable segment are no accident.
  static constexpr std::uint8_t kLongRun = 4;
  static constexpr Duration kSilence = std::chrono::seconds(1);
  bool goes_on(const UnacceptableRun& run, Time now) const noexcept {
    return run.count >= kLongRun && now - run.since >= kSilence;
  }
  // True if the flow has lost track, so that it restarts at the next unacceptable segment. If it is proved,
  // both ends must have moved to one position: neither end alone, and no one off the path, can do that.
  bool lost(std::size_t direction, Time now) const noexcept {
    if (!proved()) return unacceptable[direction].count > 0;
    return goes_on(unacceptable[0], now) && goes_on(unacceptable[1], now) &&
           near(unacceptable[0].position, unacceptable[1].position);
  }
  // The maximum that `direction` sends without an ACK: the largest window that its peer can offer (RFC 7323
  // section 2.3). Segments farther away do not belong to this connection.
  Offset reach(Direction direction) const noexcept {
    if (!scale_known()) return Offset{1} << 30;
    const auto& peer = syn[direction == Direction::downlink ? 1 : 0].scale;
    return Offset{0xffff} << (syn[0].scale && syn[1].scale ? *peer : 0);
  }
  // True if both positions of the source's stream can be in flight at once.
  bool near(std::uint32_t a, std::uint32_t b) const noexcept {
    const Offset apart = static_cast<std::int32_t>(a - b);
    return std::max(apart, -apart) <= reach(Direction::downlink);
  }
};

}  // namespace dp
