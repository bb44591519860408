// The window that an ACK carries to the source: written in bytes, as the UE's scale allows, and never so that
// the source is given more than the UE has, or loses what it was given.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>

#include "dataplane/ack/stage.h"
#include "dataplane/base/expect.h"
#include "dataplane/packet/checksum.h"

namespace dp {

// Windows are told in units of a segment and more.
inline bool coarse(const Flow& flow) noexcept { return Offset{1} << flow.shift() >= flow.mss(); }

// What the field says so that the source may have `window` bytes outstanding from `number` on. `edge` is how
// far it was allowed to go before, `own` what the UE wrote, which the answer never exceeds. Rounded down
// loses up to a scale's unit; that is most of a packet when the unit is near the MSS, so smaller units round
// up. A window that the UE holds open is not closed: an ACK must move its right edge to open it again. Only a
// UE that has acknowledged more than it can have finds its source stopped.
inline std::uint16_t window_field(const Flow& flow, Offset number, Offset window, Offset edge,
                                  std::uint16_t own) noexcept {
  const Offset wanted = coarse(flow) ? std::max<Offset>(window, 0) >> flow.shift() : flow.units_up(window);
  const Offset open = window <= 0 && number > flow.dequeued ? 0 : 1;
  const Offset least = std::max(open, flow.units_up(edge - number));
  return static_cast<std::uint16_t>(std::min<Offset>(own, std::max(wanted, least)));
}

// False when it stands there already. RFC 1624: the checksum follows, as right or wrong as it was. Requires:
// the segment is the frame's.
inline bool write_window(const Ack& ack, std::uint16_t field) noexcept {
  const std::uint16_t before = ack.segment.tcp.window();
  if (field == before) return false;
  std::byte* const tcp = ack.sdu.data + ack.sdu.l4_offset;
  DP_EXPECT(tcp == ack.segment.tcp.p);
  store16(tcp + 14, field);
  store16(tcp + 16, checksum_update16(load16(tcp + 16), before, field));
  return true;
}

// What a stage that writes windows has told a flow's source by them.
struct ToldWindow {
  bool met = false;
  Offset number = 0;        // of the last ACK that could be believed
  std::uint16_t field = 0;  // of the same
  Offset edge = 0;          // the highest right edge
  Offset rounded = 0;       // what ACKs that open nothing have moved it by, until the room catches up

  // What was told before the stage came.
  void meet(const Flow& flow) noexcept {
    if (met) return;
    *this = {true, flow.told, 0, flow.told_edge, 0};
    field = static_cast<std::uint16_t>(
        std::clamp<Offset>((edge - number) >> flow.shift(), 0, std::numeric_limits<std::uint16_t>::max()));
  }

  // One that comes late opens nothing.
  bool late(const Ack& ack) const noexcept { return ack.number < number; }
  // With another window an ACK is no duplicate to the source (RFC 5681 section 2).
  bool repeats(const Ack& ack) const noexcept {
    return ack.number == number && (ack.kind == AckKind::duplicate || ack.kind == AckKind::sack);
  }

  Offset reached_of(const Ack& ack) const noexcept { return std::max(edge, ack.flow.told_edge); }

  // Whether the right edge, which must not go back, goes beyond `window` because windows are told in units of
  // a segment and more. Not by as much as the window again: that was told before there was a stage.
  bool rounds_beyond(const Ack& ack, Offset window) const noexcept {
    const Offset over = (ack.flow.units_up(reached_of(ack) - ack.number) << ack.flow.shift()) - window;
    return coarse(ack.flow) && over > 0 && over < window;
  }

  // The field for an ACK that would offer `window`.
  std::uint16_t field_for(const Ack& ack, Offset window) const noexcept {
    const std::uint16_t own = ack.segment.tcp.window();
    const Offset reached = reached_of(ack);
    if (late(ack)) return not_heeded(ack, reached);
    if (repeats(ack)) {
      return static_cast<std::uint16_t>(std::min<Offset>(own, std::max<Offset>(field, again(ack, reached))));
    }
    return window_field(ack.flow, ack.number, window, reached, own);
  }

  // It leaves. True when it was changed.
  bool tell(const Ack& ack, Offset window) noexcept {
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

  // A RST, or a segment that cannot be of the connection, leaves: it opens nothing. True when it was changed.
  bool limit(const Ack& ack) noexcept {
    const Offset reached = ack.flow.held > 0 ? ack.flow.told_edge : reached_of(ack);
    if (ack.number > reached) return false;  // of what the source has not sent
    return write_window(ack, not_heeded(ack, reached));
  }

 private:
  // The field of a segment whose window the source does not heed, because it is older than one that the
  // source has, or because it lies out of the window (RFC 9293 section 3.10.7.4). It tells `reached` again,
  // rounded up: down, it would take back. It is not noted, so that old ACKs, however many, do not move the
  // edge on.
  static std::uint16_t not_heeded(const Ack& ack, Offset reached) noexcept {
    const Offset field = ack.flow.units_up(std::max<Offset>(0, reached - ack.number));
    return static_cast<std::uint16_t>(std::min<Offset>(ack.segment.tcp.window(), field));
  }
  // The field that tells `reached` again in an ACK that the source heeds. An edge lies whole units of 2^shift
  // beyond a number, so that numbers in turn cannot all tell the same one, and rounding up moves it on each
  // time. Two units, or two segments, are enough until the room catches up; then it is rounded down, to where
  // the source stood before those ACKs.
  Offset again(const Ack& ack, Offset reached) const noexcept {
    const Offset left = std::max<Offset>(0, reached - ack.number), unit = Offset{1} << ack.flow.shift();
    const Offset up = ack.flow.units_up(left);
    return rounded + (up * unit - left) <= 2 * std::max<Offset>(unit, ack.flow.mss()) ? up : left / unit;
  }
  // `room`: what it may open, when it is not gone by otherwise.
  void note(const Ack& ack, std::uint16_t now, bool opens, Offset room) noexcept {
    const Offset reached = reached_of(ack);
    if (!opens && ack.number > reached) return;  // of what the source has not sent
    const Offset told = ack.number + Offset{ack.flow.window_of(now)};
    if (!opens) rounded += std::max<Offset>(0, told - std::max(reached, ack.number + room));
    edge = std::max(edge, told);
  }
};

}  // namespace dp
