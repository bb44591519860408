// View of a UDP header. It owns nothing: it points into the frame.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>

#include "dataplane/packet/bytes.h"

namespace dp {

// RFC 768.
struct UdpView {
  static constexpr std::size_t kSize = 8;

  // The length field may exceed `bytes`: a first fragment holds less than the datagram.
  static std::optional<UdpView> at(Bytes bytes) noexcept {
    if (bytes.size() < kSize || load16(bytes.data() + 4) < kSize) return std::nullopt;
    return UdpView{bytes.data()};
  }

  std::uint16_t source_port() const noexcept { return load16(p); }
  std::uint16_t destination_port() const noexcept { return load16(p + 2); }
  std::uint16_t length() const noexcept { return load16(p + 4); }
  std::uint16_t checksum() const noexcept { return load16(p + 6); }

  const std::byte* p;
};

// Bidirectional forwarding detection: RFC 5881 section 4 (control, echo), RFC 5883 section 5 (multihop),
// RFC 7130 section 2.2 (aggregated links), RFC 7881 section 3 (seamless).
constexpr bool is_bfd_port(std::uint16_t destination_port) noexcept {
  switch (destination_port) {
    case 3784:
    case 3785:
    case 4784:
    case 6784:
    case 7784:
      return true;
    default:
      return false;
  }
}

}  // namespace dp
