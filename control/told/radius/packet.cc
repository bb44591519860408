#include "control/told/radius/packet.h"

#include <algorithm>

namespace control::told::radius {
namespace {

constexpr std::size_t kAttributeHeader = 2;
constexpr std::size_t kMostOfValue = 253;

}  // namespace

std::optional<Attribute> AttributeReader::next() noexcept {
  if (rest_.empty()) return std::nullopt;
  const std::size_t length = rest_.size() < kAttributeHeader ? 0 : dp::load8(rest_.data() + 1);
  if (length < kAttributeHeader || length > rest_.size()) {
    intact_ = false;
    rest_ = {};
    return std::nullopt;
  }
  const Attribute attribute{dp::load8(rest_.data()),
                            rest_.subspan(kAttributeHeader, length - kAttributeHeader)};
  rest_ = rest_.subspan(length);
  return attribute;
}

std::optional<VendorAttributes> VendorAttributes::of(const Attribute& attribute) noexcept {
  constexpr std::size_t kVendorSize = 4;
  if (attribute.type != kVendorSpecific || attribute.value.size() < kVendorSize) return std::nullopt;
  return VendorAttributes{dp::load32(attribute.value.data()), attribute.value.subspan(kVendorSize)};
}

std::optional<PacketView> PacketView::at(dp::Bytes datagram) noexcept {
  if (datagram.size() < kHeader) return std::nullopt;
  const std::size_t length = dp::load16(datagram.data() + 2);
  if (length < kHeader || length > kMost || length > datagram.size()) return std::nullopt;
  AttributeReader reader(datagram.subspan(kHeader, length - kHeader));
  while (reader.next()) {
  }
  if (!reader.intact()) return std::nullopt;
  return PacketView(datagram.first(length));
}

Authenticator PacketView::authenticator() const noexcept {
  Authenticator authenticator;
  std::copy_n(bytes_.begin() + 4, authenticator.size(), authenticator.begin());
  return authenticator;
}

PacketWriter::PacketWriter(Code code, std::uint8_t identifier) : bytes_(PacketView::kHeader) {
  bytes_[0] = static_cast<std::byte>(code);
  bytes_[1] = static_cast<std::byte>(identifier);
}

void PacketWriter::add(std::uint8_t type, dp::Bytes value) {
  const std::size_t length = kAttributeHeader + value.size();
  if (value.size() > kMostOfValue || bytes_.size() + length > PacketView::kMost) {
    whole_ = false;
    return;
  }
  bytes_.push_back(static_cast<std::byte>(type));
  bytes_.push_back(static_cast<std::byte>(length));
  bytes_.insert(bytes_.end(), value.begin(), value.end());
}

void PacketWriter::add_integer(std::uint8_t type, std::uint32_t value) {
  std::array<std::byte, 4> octets;
  dp::store32(octets.data(), value);
  add(type, octets);
}

std::span<std::byte> PacketWriter::bytes() {
  dp::store16(bytes_.data() + 2, static_cast<std::uint16_t>(bytes_.size()));
  return bytes_;
}

}  // namespace control::told::radius
