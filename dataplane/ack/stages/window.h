// Editing the window of an ACK: given in bytes, converted to the UE's scale, never larger than the UE's own,
// and never moving the right edge back.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>

#include "dataplane/ack/stage.h"
#include "dataplane/base/expect.h"
#include "dataplane/packet/checksum.h"

namespace dp {

// True if the unit of windows is at least a segment.
inline bool coarse(const Flow& flow) noexcept { return Offset{1} << flow.shift() >= flow.mss(); }

// The field's value that allows the source `window` bytes outstanding from `number` on. `edge`: the right
// edge advertised before; `own`: the UE's field, which the result never exceeds. Rounding down loses up to
// one unit of the scale, most of a packet if the unit is near the MSS, so smaller units round up. A window
// that the UE holds open is not closed, since an ACK would have to move its right edge to open it again. Only
// a UE that acknowledges more than it can have stops its source.
inline std::uint16_t window_field(const Flow& flow, Offset number, Offset window, Offset edge,
                                  std::uint16_t own) noexcept {
  const Offset wanted = coarse(flow) ? std::max<Offset>(window, 0) >> flow.shift() : flow.units_up(window);
  const Offset open = window <= 0 && number > flow.dequeued ? 0 : 1;
  const Offset least = std::max(open, flow.units_up(edge - number));
  return static_cast<std::uint16_t>(std::min<Offset>(own, std::max(wanted, least)));
}

// Writes the field; false if it is unchanged. The checksum is updated and stays as right or wrong as it was
// (RFC 1624). Requires: the segment is the frame's.
inline bool write_window(const Ack& ack, std::uint16_t field) noexcept {
  const std::uint16_t before = ack.segment.tcp.window();
  if (field == before) return false;
  std::byte* const tcp = ack.sdu.data + ack.sdu.l4_offset;
  DP_EXPECT(tcp == ack.segment.tcp.p);
  store16(tcp + 14, field);
  store16(tcp + 16, checksum_update16(load16(tcp + 16), before, field));
  return true;
}

// The windows that a stage has advertised to a flow's source.
struct AdvertisedWindow {
  bool met = false;
  Offset number = 0;        // number of the last plausible ACK
  std::uint16_t field = 0;  // window field of that ACK
  Offset edge = 0;          // the highest right edge
  Offset rounded = 0;       // bytes by which ACKs that open no window have moved the edge, until there is
                            // room

  // Initialises the state from windows advertised before the stage existed.
  void meet(const Flow& flow) noexcept {
    if (met) return;
    *this = {true, flow.forwarded_ack, 0, flow.advertised_edge, 0};
    field = static_cast<std::uint16_t>(
        std::clamp<Offset>((edge - number) >> flow.shift(), 0, std::numeric_limits<std::uint16_t>::max()));
  }

  // True for an ACK that is out of order, which opens no window.
  bool late(const Ack& ack) const noexcept { return ack.number < number; }
  // True if the ACK, with its window unchanged, is a duplicate for the source (RFC 5681 section 2).
  bool repeats(const Ack& ack) const noexcept {
    return ack.number == number && (ack.kind == AckKind::duplicate || ack.kind == AckKind::sack);
  }

  Offset reached_of(const Ack& ack) const noexcept { return std::max(edge, ack.flow.advertised_edge); }

  // True if the right edge, which must not move back, exceeds `window` only through rounding to units of a
  // segment or more; not by as much as another window, which was advertised before the stage existed.
  bool rounds_beyond(const Ack& ack, Offset window) const noexcept {
    const Offset over = (ack.flow.units_up(reached_of(ack) - ack.number) << ack.flow.shift()) - window;
    return coarse(ack.flow) && over > 0 && over < window;
  }

  // The field for an ACK that is to offer `window`.
  std::uint16_t field_for(const Ack& ack, Offset window) const noexcept {
    const std::uint16_t own = ack.segment.tcp.window();
    const Offset reached = reached_of(ack);
    if (late(ack)) return not_heeded(ack, reached);
    if (repeats(ack)) {
      return static_cast<std::uint16_t>(std::min<Offset>(own, std::max<Offset>(field, again(ack, reached))));
    }
    return window_field(ack.flow, ack.number, window, reached, own);
  }

  // Edits an ACK that leaves. True if it was changed.
  bool advertise(const Ack& ack, Offset window) noexcept {
    const std::uint16_t now = field_for(ack, window);
    const bool opens = !late(ack) && !repeats(ack) && !ack.ahead();
    if (!ack.ahead() && ack.number + window >= reached_of(ack)) rounded = 0;
    if (!late(ack) && !ack.ahead()) {
      number = ack.number;
      field = now;
    }
    if (!late(ack)) note(ack, now, opens, ack.ahead() ? window : 0);
    return write_window(ack, now);
  }

  // Edits a RST, or a segment that cannot belong to the connection, which opens no window. True if it was
  // changed.
  bool limit(const Ack& ack) noexcept {
    const Offset reached = ack.flow.held > 0 ? ack.flow.advertised_edge : reached_of(ack);
    if (ack.number > reached) return false;  // acknowledges data that the source has not sent
    return write_window(ack, not_heeded(ack, reached));
  }

 private:
  // The field of a segment whose window the source ignores, because it is older than the source's last one,
  // or outside the window (RFC 9293 section 3.10.7.4). It repeats `reached`, rounded up, since rounding down
  // would move it back. It is not noted, so that old ACKs in any number do not move the edge.
  static std::uint16_t not_heeded(const Ack& ack, Offset reached) noexcept {
    const Offset field = ack.flow.units_up(std::max<Offset>(0, reached - ack.number));
    return static_cast<std::uint16_t>(std::min<Offset>(ack.segment.tcp.window(), field));
  }
  // The field that repeats `reached` in an ACK that the source accepts. An edge is whole units of 2^shift
  // beyond a number, so that successive numbers cannot all express the same edge, and rounding up moves it
  // each time. The sum is limited to two units, or two segments, until there is room; then it is rounded
  // down, to the edge before those ACKs.
  Offset again(const Ack& ack, Offset reached) const noexcept {
    const Offset left = std::max<Offset>(0, reached - ack.number), unit = Offset{1} << ack.flow.shift();
    const Offset up = ack.flow.units_up(left);
    return rounded + (up * unit - left) <= 2 * std::max<Offset>(unit, ack.flow.mss()) ? up : left / unit;
  }
  // `space`: bytes that it may open, if it is not limited otherwise.
  void note(const Ack& ack, std::uint16_t now, bool opens, Offset space) noexcept {
    const Offset reached = reached_of(ack);
    if (!opens && ack.number > reached) return;  // acknowledges data that the source has not sent
    const Offset new_edge = ack.number + Offset{ack.flow.window_of(now)};
    if (!opens) rounded += std::max<Offset>(0, new_edge - std::max(reached, ack.number + space));
    edge = std::max(edge, new_edge);
  }
};

}  // namespace dp
