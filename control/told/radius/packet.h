// RADIUS packets (RFC 2865 section 3, RFC 2866 section 3): views that read a datagram and own nothing, and a
// writer of answers.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "dataplane/packet/bytes.h"

namespace control::told::radius {

// RFC 2866 section 3, RFC 5176 section 2.3.
enum class Code : std::uint8_t {
  accounting_request = 4,
  accounting_response = 5,
  disconnect_request = 40,
  disconnect_ack = 41,
  disconnect_nak = 42,
  coa_request = 43,
  coa_ack = 44,
  coa_nak = 45,
};

using Authenticator = std::array<std::byte, 16>;

struct Attribute {
  std::uint8_t type = 0;
  dp::Bytes value;  // at most 253 octets
  std::string_view text() const noexcept {
    return {reinterpret_cast<const char*>(value.data()), value.size()};
  }
  // None unless the value has four octets.
  std::optional<std::uint32_t> integer() const noexcept {
    if (value.size() != 4) return std::nullopt;
    return dp::load32(value.data());
  }
};

// Attributes one after another: type, length, value. Also those within a vendor-specific attribute, where a
// vendor has the same form. At most bytes.size() / 2 steps.
class AttributeReader {
 public:
  explicit AttributeReader(dp::Bytes bytes) noexcept : rest_(bytes) {}
  // None at the end, and where the length of an attribute is not right, which intact() then says.
  std::optional<Attribute> next() noexcept;
  bool intact() const noexcept { return intact_; }

 private:
  dp::Bytes rest_;
  bool intact_ = true;
};

inline constexpr std::uint8_t kVendorSpecific = 26;  // RFC 2865 section 5.26

// The content of a vendor-specific attribute; none if it is too short to name a vendor.
struct VendorAttributes {
  std::uint32_t vendor = 0;  // an enterprise number
  dp::Bytes attributes;
  static std::optional<VendorAttributes> of(const Attribute& attribute) noexcept;
};

class PacketView {
 public:
  static constexpr std::size_t kHeader = 20;
  static constexpr std::size_t kMost = 4096;  // octets (RFC 2865 section 3)

  // None unless the length is right and the attributes fill it exactly. Octets behind the length are padding.
  static std::optional<PacketView> at(dp::Bytes datagram) noexcept;

  Code code() const noexcept { return static_cast<Code>(dp::load8(bytes_.data())); }
  std::uint8_t identifier() const noexcept { return dp::load8(bytes_.data() + 1); }
  Authenticator authenticator() const noexcept;
  dp::Bytes attributes() const noexcept { return bytes_.subspan(kHeader); }
  dp::Bytes bytes() const noexcept { return bytes_; }  // without padding

 private:
  explicit PacketView(dp::Bytes bytes) noexcept : bytes_(bytes) {}
  dp::Bytes bytes_;
};

// A packet that is being written; finish() of an answer is in authenticator.h. What would exceed
// PacketView::kMost octets is left out, and whole() is then false.
class PacketWriter {
 public:
  PacketWriter(Code code, std::uint8_t identifier);
  void add(std::uint8_t type, dp::Bytes value);
  void add_integer(std::uint8_t type, std::uint32_t value);
  // Valid until the next change. The length is that of what was added.
  std::span<std::byte> bytes();
  bool whole() const noexcept { return whole_; }

 private:
  std::vector<std::byte> bytes_;
  bool whole_ = true;
};

}  // namespace control::told::radius
