// What the two directions of one TCP connection have shown the box. Lives in its bearer's FlowTable; touched
// by the bearer's worker only. Places in the source's stream (the core's side, whose data queue here) are
// Offsets: 0 is its SYN, or what was seen first when that was missed.
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

// What one end said in its SYN or SYN-ACK.
struct SynWords {
  bool seen = false;
  std::uint32_t initial = 0;  // sequence number
  std::optional<std::uint8_t> scale{};
  std::uint16_t window = 0;  // not scaled
  std::uint16_t mss = 536;   // RFC 9293 section 3.7.1: without the option
  bool sack = false;
  bool timestamps = false;
  bool ecn = false;     // RFC 3168 section 6.1.1: ECE and CWR in a SYN, ECE alone in its answer
  bool sealed = false;  // asks for what no box may answer for or change: see Flow::sealed()
};

// An uplink segment, by what it does to the source. Only the first six are pure ACKs.
enum class AckKind : std::uint8_t {
  advance,        // acknowledges new data
  duplicate,      // RFC 5681 section 2: the same number and window again while data is outstanding
  sack,           // carries SACK blocks, new number or not
  window_update,  // no news of data: another window, nothing outstanding, or a SYN or FIN acknowledged alone
  old,            // a number below one seen before
  ahead,          // acknowledges what has not come this way: nothing of the flow moves by it
  data,           // carries payload
  syn,
  fin,
  rst
};
constexpr bool is_pure(AckKind kind) { return kind <= AckKind::ahead; }

// The UE's own stream, as far as it tells whether a segment can be meant: 0 is its SYN, or what was seen
// first.
struct UeStream {
  SeqSpace space{};
  bool anchored = false;  // `space` stands
  Offset sent = 0;        // beyond the highest byte that came from the UE
  Offset acked = 0;       // the highest cumulative ACK of the source
  Offset edge = 0;        // the highest right edge, ACK and window, that it has offered; 0: none was read
};

// Segments in a row of one end that cannot be of the connection, as far as it is known.
struct StrayRow {
  Time since{};             // the first came
  std::uint32_t place = 0;  // in the source's stream, what the last was about: each is near the one before
  std::uint8_t count = 0;
};

// What a segment in order looks at stands in front, in as few cache lines as it takes: as far as the first
// words of `sacked`.
struct alignas(kCacheLine) Flow {
  FlowKey key{};
  std::uint32_t index = 0;  // its place in the table, by which the stages keep what they know of it
  // One end has acknowledged, by more than a SYN-ACK, what came through here of the other's.
  bool established = false;
  bool asymmetric = false;  // ACKs of data that never came this way: the stages leave the flow alone
  bool anchored = false;    // `space` stands
  bool heard = false;       // `acked` is the UE's word, or 0 the SYN; else a guess
  Time last_seen{};
  SeqSpace space{};                  // of the source
  std::array<SynWords, 2> syn{};     // by direction: of the source, of the UE
  std::array<bool, 2> finished{};    // by direction: a FIN was seen
  std::array<bool, 2> reset{};       // by direction: a RST was seen that its peer believes
  std::uint16_t window = 0;          // the UE's last, as its header has it; those of SYNs do not count
  bool told_once = false;            // an ACK was sent on since `space` stands
  std::array<StrayRow, 2> strays{};  // by direction; a segment of the connection ends both rows
  Offset arrived = 0;                // beyond the highest byte that came from the source
  Offset dequeued = 0;               // beyond the highest byte whose transmission to the UE has started
  Offset acked = 0;                  // the highest cumulative ACK of the UE, at most `arrived`
  UeStream ue;
  Offset told = 0;       // the highest cumulative ACK that was sent on to the source
  Offset told_edge = 0;  // and the highest right edge, ACK and window, of the ACKs that it heeds
  CoreTrip core;         // from an uplink segment sent on to what it has brought about
  RoundTrip radio;       // from the arrival of data here to its ACK, queueing included
  Offset timed = 0;      // the data of which `radio` is being measured, 0 when none
  Time timed_at{};
  SackedRanges sacked;           // above `acked`
  std::uint32_t duplicates = 0;  // duplicate ACKs since the last that advanced
  std::uint32_t held = 0;        // ACKs that stages hold
  // Where stages keep segments: those kept now, those that were sent again from here, and losses on the radio
  // that the source has heard nothing of.
  std::uint32_t kept = 0;
  std::uint32_t resent = 0;
  std::uint32_t hidden = 0;
  std::array<Offset, 2> fin_end{};  // by direction: beyond the FIN
  Time first_seen{};
  // A SYN amid a live connection, until a SYN-ACK confirms that it opens another.
  SynWords rival{};
  Direction rival_from{};

  static constexpr std::size_t kHotBytes = 5 * kCacheLine;
  [[gnu::always_inline]] void prefetch() const noexcept { fetch_lines<kHotBytes>(this); }

  // Both SYNs were seen, so that the UE's windows can be read and rewritten.
  bool scale_known() const noexcept { return syn[0].seen && syn[1].seen; }
  // RFC 7323 section 2.2: by how much the UE's windows are shifted: 0 unless both have offered it.
  std::uint8_t shift() const noexcept {
    const std::uint8_t shift = syn[0].scale && syn[1].scale ? *syn[1].scale : std::uint8_t{0};
    DP_EXPECT(shift <= 14);
    return shift;
  }
  // RFC 3168: both ends heed ECE.
  bool ecn() const noexcept { return syn[0].ecn && syn[1].ecn; }
  // Whether the source goes by SACK blocks (RFC 2018), and not by how many ACKs are alike.
  bool sack() const noexcept { return syn[0].sack && syn[1].sack; }
  // Its ACKs tell more than ACKs do, or are signed: Multipath TCP (RFC 8684), TCP-AO (RFC 5925), the MD5
  // signature (RFC 2385) and Accurate ECN (RFC 9768). Whoever drops or makes ACKs leaves it alone.
  bool sealed() const noexcept { return syn[0].sealed || syn[1].sealed; }
  // The UE's windows are told in units of 2^shift bytes (RFC 7323 section 2): what a field says, and the
  // fewest units that are so many bytes.
  std::uint32_t window_of(std::uint16_t field) const noexcept { return std::uint32_t{field} << shift(); }
  Offset units_up(Offset bytes) const noexcept {
    const std::uint8_t s = shift();
    return (std::max<Offset>(bytes, 0) + (Offset{1} << s) - 1) >> s;
  }
  // What the source's segments carry at most.
  std::uint32_t mss() const noexcept { return syn[1].seen ? syn[1].mss : 1460; }

  // Bytes in the wireless pipe: sent to the UE and neither acknowledged nor SACKed (001 section 4, Y). What a
  // UE acknowledges before it was sent is not in it.
  Offset pipe() const noexcept { return pipe_beyond(acked); }
  // The same, if `number` were acknowledged.
  Offset pipe_beyond(Offset number) const noexcept {
    return std::max<Offset>(0, dequeued - number - sacked.bytes());
  }
  // Bytes that came from the source and are not acknowledged: waiting, dropped, or in the pipe.
  Offset outstanding() const noexcept { return std::max<Offset>(0, arrived - acked); }
  // A RST, or the FINs of both ends acknowledged.
  bool over() const noexcept {
    if (reset[0] || reset[1]) return true;
    return finished[0] && finished[1] && acked >= fin_end[0] && ue.acked >= fin_end[1];
  }
  // Both ends have spoken through here, so that a segment at odds with that is the one in doubt.
  bool proved() const noexcept { return established || scale_known(); }
  // So many in a row, while nothing of the connection came for so long, are no accident.
  static constexpr std::uint8_t kStrays = 4;
  static constexpr Duration kSilence = std::chrono::seconds(1);
  bool goes_on(const StrayRow& row, Time now) const noexcept {
    return row.count >= kStrays && now - row.since >= kSilence;
  }
  // The flow has lost its place, and begins anew at the next stray. Of one that is proved both ends must have
  // strayed to the same place: neither end alone, and nobody who is not on the path, can do that.
  bool lost(std::size_t direction, Time now) const noexcept {
    if (!proved()) return strays[direction].count > 0;
    return goes_on(strays[0], now) && goes_on(strays[1], now) && near(strays[0].place, strays[1].place);
  }
  // What `direction` sends at most without an ACK: the largest window its peer can offer (RFC 7323 section
  // 2.3). What lies farther off is not of this connection.
  Offset reach(Direction direction) const noexcept {
    if (!scale_known()) return Offset{1} << 30;
    const auto& peer = syn[direction == Direction::downlink ? 1 : 0].scale;
    return Offset{0xffff} << (syn[0].scale && syn[1].scale ? *peer : 0);
  }
  // Two places of the source's stream that can both be under way.
  bool near(std::uint32_t a, std::uint32_t b) const noexcept {
    const Offset apart = static_cast<std::int32_t>(a - b);
    return std::max(apart, -apart) <= reach(Direction::downlink);
  }
};

}  // namespace dp
