// The octets before the IP header of the frames of one direction: addresses and tags. Kept and created frames
// leave with the header of the last received frame, since the next hop may have changed.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "dataplane/packet/network_of.h"
#include "dataplane/packet/sdu.h"

namespace dp {

struct OuterHeader {
  static constexpr std::size_t kMost = 32;
  static constexpr std::size_t kAddress = 6;

  std::array<std::byte, kMost> bytes{};
  std::uint8_t size = 0;  // 0: no frame received yet

  // False if it exceeds the storage.
  bool copy_from(const Sdu& sdu) noexcept {
    if (sdu.l3_offset > kMost) return false;
    size = static_cast<std::uint8_t>(sdu.l3_offset);
    // A copy of constant length is cheaper; the extra bytes of the IP header are ignored.
    sdu.head_len >= kMost ? std::memcpy(bytes.data(), sdu.data, kMost)
                          : std::memcpy(bytes.data(), sdu.data, size);
    return true;
  }
  // The header with its addresses swapped.
  OuterHeader turned() const noexcept {
    OuterHeader other = *this;
    if (size >= 2 * kAddress) {
      std::swap_ranges(other.bytes.begin(), other.bytes.begin() + kAddress, other.bytes.begin() + kAddress);
    }
    return other;
  }

  // False also before the first frame.
  bool is_of_other_network(NetworkId network, const NetworkMap* map) const noexcept {
    return size != 0 && network_of({bytes.data(), size}, map) != network;
  }

  // True if the frame's own header has this length.
  bool fits(const Sdu& sdu) const noexcept { return size == sdu.l3_offset; }
  // Keeps the frame's own header if this one does not fit. Requires: the frame is not shared.
  void write_to(Sdu& sdu) const noexcept {
    if (fits(sdu)) std::memcpy(sdu.data, bytes.data(), size);
  }
};

}  // namespace dp
