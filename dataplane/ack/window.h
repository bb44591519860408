// The window that an ACK carries to the source: written in bytes, as the UE's scale allows, and never so that
// the source is given more than the UE has, or loses what it was given.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>

#include "dataplane/ack/stage.h"
#include "dataplane/packet/checksum.h"

namespace dp {

// Windows are told in units of 2^shift bytes (RFC 7323 section 2); coarse: of a segment and more.
inline Offset units_up(const Flow& flow, Offset bytes) noexcept {
  const std::uint8_t shift = flow.shift();
  return (std::max<Offset>(bytes, 0) + (Offset{1} << shift) - 1) >> shift;
}
inline bool coarse(const Flow& flow) noexcept { return Offset{1} << flow.shift() >= flow.mss(); }

// What the field says so that the source may have `window` bytes outstanding from `number` on. `edge` is how
// far it was allowed to go before, `own` what the UE wrote, which the answer never exceeds. Rounded down
// loses up to a scale's unit; that is most of a packet when the unit is near the MSS, so smaller units round
// up. A window that the UE holds open is not closed: an ACK must move its right edge to open it again.
inline std::uint16_t window_field(const Flow& flow, Offset number, Offset window, Offset edge,
                                  std::uint16_t own) noexcept {
  const Offset wanted = coarse(flow) ? std::max<Offset>(window, 0) >> flow.shift() : units_up(flow, window);
  const Offset least = std::max<Offset>(1, units_up(flow, edge - number));
  return static_cast<std::uint16_t>(std::min<Offset>(own, std::max(wanted, least)));
}

// False when it stands there already. RFC 1624: the checksum follows, as right or wrong as it was.
inline bool write_window(const Ack& ack, std::uint16_t field) noexcept {
  const std::uint16_t before = ack.segment.tcp.window();
  if (field == before) return false;
  std::byte* const tcp = ack.sdu.data + ack.sdu.l4_offset;
  store16(tcp + 14, field);
  store16(tcp + 16, checksum_update16(load16(tcp + 16), before, field));
  return true;
}

// What a stage that writes windows has told a flow's source by them.
struct ToldWindow {
  bool met = false;
  Offset number = 0;        // of the last ACK
  std::uint16_t field = 0;  // of the same
  Offset edge = 0;          // the highest right edge

  // What was told before the stage came.
  void meet(const Flow& flow) noexcept {
    if (met) return;
    *this = {true, flow.told, 0, flow.told_edge};
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
    const Offset over = (units_up(ack.flow, reached_of(ack) - ack.number) << ack.flow.shift()) - window;
    return coarse(ack.flow) && over > 0 && over < window;
  }

  // The field for an ACK that would offer `window`.
  std::uint16_t field_for(const Ack& ack, Offset window) const noexcept {
    const std::uint16_t own = ack.segment.tcp.window();
    const Offset reached = reached_of(ack);
    if (late(ack)) {
      return static_cast<std::uint16_t>(std::min<Offset>(own, (reached - ack.number) >> ack.flow.shift()));
    }
    if (repeats(ack)) return std::min(own, field);
    return window_field(ack.flow, ack.number, window, reached, own);
  }

  // It leaves. True when it was changed.
  bool tell(const Ack& ack, Offset window) noexcept {
    const std::uint16_t now = field_for(ack, window);
    if (!late(ack)) {
      number = ack.number;
      field = now;
    }
    edge = std::max(edge, ack.number + Offset{ack.flow.window_of(now)});
    return write_window(ack, now);
  }
};

}  // namespace dp
