// RADIUS requests as clients send them, put together attribute by attribute.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "control/told/radius/attributes.h"
#include "control/told/radius/authenticator.h"
#include "control/told/radius/packet.h"
#include "tests/support/told/memory_sink.h"

namespace control::told::test {

inline constexpr std::string_view kSecret = "testing123";

class RadiusRequest {
 public:
  explicit RadiusRequest(radius::Code code, std::uint8_t identifier = 1) : writer_(code, identifier) {}
  static RadiusRequest accounting(radius::Status status, std::string_view acct_session_id,
                                  std::uint8_t identifier = 1) {
    RadiusRequest request(radius::Code::accounting_request, identifier);
    request.integer(radius::attribute::kAcctStatusType, static_cast<std::uint32_t>(status));
    if (!acct_session_id.empty()) request.text(radius::attribute::kAcctSessionId, acct_session_id);
    return request;
  }

  RadiusRequest& octets(std::uint8_t type, dp::Bytes value) {
    writer_.add(type, value);
    return *this;
  }
  RadiusRequest& text(std::uint8_t type, std::string_view value) {
    return octets(type, std::as_bytes(std::span(value.data(), value.size())));
  }
  RadiusRequest& integer(std::uint8_t type, std::uint32_t value) {
    writer_.add_integer(type, value);
    return *this;
  }
  RadiusRequest& nas(std::string_view ipv4) {
    return integer(radius::attribute::kNasIpAddress, static_cast<std::uint32_t>(ue(ipv4).lo));
  }
  RadiusRequest& framed(std::string_view ipv4) {
    return integer(radius::attribute::kFramedIpAddress, static_cast<std::uint32_t>(ue(ipv4).lo));
  }
  RadiusRequest& user(std::string_view name) { return text(radius::attribute::kUserName, name); }
  // An attribute of a vendor's.
  RadiusRequest& vendor(std::uint32_t vendor, std::uint8_t type, std::string_view value) {
    std::string content(4, '\0');
    dp::store32(reinterpret_cast<std::byte*>(content.data()), vendor);
    content += static_cast<char>(type);
    content += static_cast<char>(value.size() + 2);
    return text(radius::kVendorSpecific, content += value);
  }
  RadiusRequest& vendor_integer(std::uint32_t number, std::uint8_t type, std::uint32_t value) {
    std::string octets(4, '\0');
    dp::store32(reinterpret_cast<std::byte*>(octets.data()), value);
    return vendor(number, type, octets);
  }
  RadiusRequest& message_authenticator(std::string_view secret = kSecret) {
    radius::add_message_authenticator(writer_, secret);
    return *this;
  }

  std::vector<std::byte> unsigned_bytes() {
    const auto bytes = writer_.bytes();
    return {bytes.begin(), bytes.end()};
  }
  std::vector<std::byte> sign(std::string_view secret = kSecret) {
    radius::sign_request(writer_, secret);
    return unsigned_bytes();
  }

 private:
  radius::PacketWriter writer_;
};

}  // namespace control::told::test
