// Addresses of the configuration: networks of clients, and where to listen.
#include <array>
#include <charconv>
#include <optional>

#include <arpa/inet.h>
#include <fmt/core.h>

#include "control/told/daemon/settings.h"

namespace control::told {
namespace {

constexpr std::string_view kNetworkForm = "a network such as 192.0.2.0/24, 127.0.0.1 or 2001:db8::/32";
constexpr std::string_view kEndpointForm = "ADDRESS:PORT such as 0.0.0.0:1813 or [::]:1813";

struct HostAddress {
  bool ipv6;
  std::uint64_t hi, lo;
};

std::uint64_t big_endian(const std::uint8_t* bytes, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count; ++i) value = value << 8 | bytes[i];
  return value;
}

std::optional<HostAddress> parse_address(std::string_view text) {
  const std::string name(text);
  std::array<std::uint8_t, 16> bytes{};
  if (::inet_pton(AF_INET, name.c_str(), bytes.data()) == 1)
    return HostAddress{false, 0, big_endian(bytes.data(), 4)};
  if (::inet_pton(AF_INET6, name.c_str(), bytes.data()) != 1) return std::nullopt;
  return HostAddress{true, big_endian(bytes.data(), 8), big_endian(bytes.data() + 8, 8)};
}

template <class T>
std::optional<T> parse_number(std::string_view text) {
  T value{};
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::uint64_t first_bits_of(std::uint64_t value, unsigned bits) {
  return bits == 0 ? 0 : bits >= 64 ? value : value & ~std::uint64_t{0} << (64 - bits);
}

}  // namespace

dp::Result<dp::Prefix> parse_network(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto address = parse_address(text.substr(0, slash));
  if (!address) return dp::Error{std::string(kNetworkForm)};
  const unsigned bits = address->ipv6 ? 128 : 32;
  const auto length =
      slash == text.npos ? bits : parse_number<unsigned>(text.substr(slash + 1)).value_or(bits + 1);
  if (length > bits) return dp::Error{std::string(kNetworkForm)};
  const unsigned of_hi = length > 64 ? 64 : length, of_lo = length > 64 ? length - 64 : 0;
  dp::Prefix prefix{address->ipv6, static_cast<std::uint8_t>(length), 0, 0};
  prefix.hi = address->ipv6 ? first_bits_of(address->hi, of_hi) : 0;
  prefix.lo =
      address->ipv6 ? first_bits_of(address->lo, of_lo) : first_bits_of(address->lo << 32, length) >> 32;
  if (prefix.hi != address->hi || prefix.lo != address->lo) {
    return dp::Error{fmt::format("a network without bits beyond its length, such as {}/{}",
                                 dp::address_text(prefix.ipv6, prefix.hi, prefix.lo), length)};
  }
  return prefix;
}

dp::Result<Endpoint> parse_endpoint(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == text.npos) return dp::Error{std::string(kEndpointForm)};
  std::string_view host = text.substr(0, colon);
  const bool brackets = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (brackets) host = host.substr(1, host.size() - 2);
  const auto address = parse_address(host);
  const auto port = parse_number<std::uint16_t>(text.substr(colon + 1));
  if (!address || !port || *port == 0 || address->ipv6 != brackets)
    return dp::Error{std::string(kEndpointForm)};
  return Endpoint{address->hi, address->lo, *port, address->ipv6};
}

std::string to_string(const Endpoint& endpoint) {
  const std::string address = dp::address_text(endpoint.ipv6, endpoint.hi, endpoint.lo);
  return endpoint.ipv6 ? fmt::format("[{}]:{}", address, endpoint.port)
                       : fmt::format("{}:{}", address, endpoint.port);
}

}  // namespace control::told
