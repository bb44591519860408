// The frames of a split proxy: header edits of what passes or was stored, a part of a stored segment, two
// joined, and segments that nobody has sent. They own nothing; memory is the worker's (FrameSource).
// Tests: tests/unit/split/stream_test.cc
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "dataplane/base/ids.h"
#include "dataplane/flow/key.h"
#include "dataplane/packet/context.h"
#include "dataplane/packet/outer_header.h"
#include "dataplane/packet/tcp.h"

namespace dp {

// Changes of a TCP header. A field that is not set stays as it is.
struct HeaderEdit {
  std::optional<std::uint32_t> seq{}, ack{};
  std::optional<std::uint16_t> window{};
  std::uint8_t set_flags = 0, clear_flags = 0;
  std::optional<std::uint32_t> stamp{}, echo{};  // of RFC 7323, where the option is there
  bool strip_blocks = false;                     // SACK blocks become NOPs
};
// The checksum follows, as right or wrong as it was (RFC 1624). Requires: flow_segment() found the header,
// and the frame is nobody else's.
void edit_header(Sdu& sdu, const HeaderEdit& edit) noexcept;

// Leaves `length` octets of the payload, those from `from` on, and the FIN only with `fin`. Requires: the
// same, one mbuf, from + length <= the payload, nobody keeps it.
void cut_segment(Sdu& sdu, std::uint32_t from, std::uint32_t length, bool fin, FrameSource& frames) noexcept;

// Copies the packet behind another link header. Null when there is no memory for it.
// Requires: one mbuf.
Sdu* copy_behind(const OuterHeader& link, const Sdu& sdu, FrameSource& frames) noexcept;

// A frame with the octets of both, the header of the first, and what flags the second has of FIN and PSH.
// Null when there is no memory for it. Requires: the second goes on where the first ends; one mbuf each.
Sdu* join_segments(const Sdu& first, const Sdu& second, FrameSource& frames) noexcept;

// A segment without data.
struct BareSegment {
  std::uint8_t flags = TcpView::kAck;
  std::uint32_t seq = 0, ack = 0;
  std::uint16_t window = 0;
  std::optional<TcpOption::Timestamps> stamps{};
  std::span<const TcpOption::Block> blocks{};  // at most three beside timestamps, else four
};
// Writes it, from the server to the UE (downlink) or from the UE to the server. Null when there is no memory
// for it.
Sdu* write_bare_segment(const BareSegment& segment, const FlowKey& key, Direction direction,
                        const OuterHeader& link, FrameSource& frames) noexcept;

}  // namespace dp
