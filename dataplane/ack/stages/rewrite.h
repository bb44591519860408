// Edits of a TCP header that passes ACK stages: options removed, flags set. The checksum is updated and stays
// as right or wrong as it was (RFC 1624).
#pragma once
#include <cstddef>
#include <cstdint>

#include "dataplane/base/expect.h"
#include "dataplane/packet/bytes.h"
#include "dataplane/packet/checksum.h"
#include "dataplane/packet/sdu.h"
#include "dataplane/packet/tcp.h"

namespace dp {

// Requires, for all functions: the TCP header of `sdu` was found (flow_segment), and the frame is not shared.

// Writes one byte of the header at offset `at`.
inline void rewrite_tcp_byte(Sdu& sdu, std::size_t at, std::uint8_t value) noexcept {
  DP_EXPECT(sdu.l4_offset != 0 && sdu.l4_offset + at < sdu.head_len);
  std::byte* const tcp = sdu.data + sdu.l4_offset;
  const std::size_t word = at & ~std::size_t{1};
  const std::uint16_t before = load16(tcp + word);
  tcp[at] = std::byte{value};
  store16(tcp + 16, checksum_update16(load16(tcp + 16), before, load16(tcp + word)));
}

// Overwrites each option for which out(option) is true by NOPs. True if there was any.
template <class Out>
bool take_out_options(Sdu& sdu, const TcpView& tcp, Out&& out) noexcept {
  bool any = false;
  for (const TcpOption option : tcp.options()) {
    if (!out(option)) continue;
    any = true;
    const auto from = static_cast<std::size_t>(option.data.data() - 2 - tcp.p);
    for (std::size_t i = 0; i < option.data.size() + 2; ++i) rewrite_tcp_byte(sdu, from + i, TcpOption::kNop);
  }
  return any;
}

inline void set_tcp_flags(Sdu& sdu, const TcpView& tcp, std::uint8_t flags) noexcept {
  rewrite_tcp_byte(sdu, 13, static_cast<std::uint8_t>(tcp.flags() | flags));
}

}  // namespace dp
