// The octets before the IP header of the frames of one direction: addresses and tags. What was kept or is
// made leaves behind that of the last frame that came, since the next hop may be another by now.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "dataplane/packet/network_of.h"
#include "dataplane/packet/sdu.h"

namespace dp {

struct LinkHeader {
  static constexpr std::size_t kMost = 32;
  static constexpr std::size_t kAddress = 6;

  std::array<std::byte, kMost> bytes{};
  std::uint8_t size = 0;  // 0: no frame has come

  // False when it is longer than can be kept.
  bool copy_from(const Sdu& sdu) noexcept {
    if (sdu.l3_offset > kMost) return false;
    size = static_cast<std::uint8_t>(sdu.l3_offset);
    // A copy of known length is cheaper; what it has of the IP header is of no use.
    sdu.head_len >= kMost ? std::memcpy(bytes.data(), sdu.data, kMost)
                          : std::memcpy(bytes.data(), sdu.data, size);
    return true;
  }
  // The header as the other end would send it: its addresses change places.
  LinkHeader turned() const noexcept {
    LinkHeader other = *this;
    if (size >= 2 * kAddress) {
      std::swap_ranges(other.bytes.begin(), other.bytes.begin() + kAddress, other.bytes.begin() + kAddress);
    }
    return other;
  }

  // False too while no frame has come.
  bool is_of_other_network(NetworkId network, const NetworkMap* map) const noexcept {
    return size != 0 && network_of({bytes.data(), size}, map) != network;
  }

  // True if a frame has room for it: its own is as long.
  bool fits(const Sdu& sdu) const noexcept { return size == sdu.l3_offset; }
  // The frame's own stays where this does not fit. Requires: the frame is nobody else's.
  void write_to(Sdu& sdu) const noexcept {
    if (fits(sdu)) std::memcpy(sdu.data, bytes.data(), size);
  }
};

}  // namespace dp
