#include "dataplane/base/address.h"

#include <array>
#include <charconv>
#include <optional>

#include <arpa/inet.h>

namespace dp {
namespace {

struct Address {
  bool ipv6;
  std::uint64_t hi, lo;
};

std::uint64_t load64(const unsigned char* p) {
  std::uint64_t v = 0;
  for (int i = 0; i < 8; ++i) v = v << 8 | p[i];
  return v;
}

std::optional<Address> parse_address(std::string_view text) {
  const std::string copy(text);
  std::array<unsigned char, 16> raw{};
  if (inet_pton(AF_INET, copy.c_str(), raw.data()) == 1) {
    return Address{false, 0, load64(raw.data()) >> 32};
  }
  if (inet_pton(AF_INET6, copy.c_str(), raw.data()) == 1) {
    return Address{true, load64(raw.data()), load64(raw.data() + 8)};
  }
  return std::nullopt;
}

std::string hexadecimal(std::uint32_t value) {
  std::array<char, 8> digits{};
  const char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), value, 16).ptr;
  return "0x" + std::string(digits.data(), static_cast<std::size_t>(end - digits.data()));
}

struct Split {
  std::string_view address;
  std::optional<unsigned> length;  // no value: no slash
  bool good;
};

Split split(std::string_view text) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return {text, std::nullopt, true};
  const auto digits = text.substr(slash + 1);
  unsigned length = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), length);
  const bool good = code == std::errc{} && end == digits.data() + digits.size() && !digits.empty();
  return {text.substr(0, slash), length, good};
}

// Addresses that no packet to or from a UE may have: no router may forward them, or they belong to no host.
struct Impossible {
  bool ipv6;
  unsigned length;
  std::uint64_t hi, lo;
  std::string_view why;
};
constexpr std::array kImpossible{
    Impossible{false, 8, 0, 0,
               "of this network, which is a source at start alone (RFC 1122 section 3.2.1.3)"},
    Impossible{false, 8, 0, 0x7f000000, "a loopback address (RFC 1122 section 3.2.1.3)"},
    Impossible{false, 16, 0, 0xa9fe0000, "link-local, which no router forwards (RFC 3927 section 2.7)"},
    Impossible{false, 4, 0, 0xe0000000, "a multicast address (RFC 5771)"},
    Impossible{false, 32, 0, 0xffffffff, "the limited broadcast address (RFC 919)"},
    Impossible{false, 4, 0, 0xf0000000, "reserved (RFC 1112 section 4)"},
    Impossible{true, 128, 0, 0, "the unspecified address (RFC 4291 section 2.5.2)"},
    Impossible{true, 128, 0, 1, "the loopback address (RFC 4291 section 2.5.3)"},
    Impossible{true, 96, 0, 0xffff00000000,
               "an IPv4 address in IPv6 notation (RFC 4291 section 2.5.5.2); write "
               "that address"},
    Impossible{true, 96, 0, 0, "an IPv4-compatible address, which is deprecated (RFC 4291 section 2.5.5.1)"},
    Impossible{true, 64, 0, 0,
               "where the unspecified, the loopback and IPv4-mapped addresses are (RFC 4291 "
               "section 2.5)"},
    Impossible{true, 10, 0xfe80000000000000, 0,
               "link-local, which no router forwards (RFC 4291 section 2.5.6)"},
    Impossible{true, 8, 0xff00000000000000, 0, "a multicast address (RFC 4291 section 2.7)"},
};

// The reason why no host can have an address of the range; empty if a host can.
std::string_view impossible(const Prefix& range) noexcept {
  for (const Impossible& one : kImpossible) {
    const Prefix wide{one.ipv6, static_cast<std::uint8_t>(one.length), one.hi, one.lo};
    const bool within = one.ipv6 ? wide.contains_ipv6(range.hi, range.lo)
                                 : wide.contains_ipv4(static_cast<std::uint32_t>(range.lo));
    if (range.ipv6 == one.ipv6 && range.length >= one.length && within) return one.why;
  }
  return {};
}

Error bad(std::string_view text, std::string_view expected) {
  return {"found '" + std::string(text) + "', expected " + std::string(expected)};
}

}  // namespace

Prefix prefix_of(const UeAddress& ue) noexcept {
  const unsigned length = ue.kind == UeKind::ipv4 ? 32 : ue.kind == UeKind::ipv6_64 ? 64 : 128;
  return {ue.kind != UeKind::ipv4, static_cast<std::uint8_t>(length), ue.hi, ue.lo};
}

bool overlap(const Prefix& a, const Prefix& b) noexcept {
  const Prefix& wide = a.length <= b.length ? a : b;
  const Prefix& narrow = a.length <= b.length ? b : a;
  return wide.ipv6 == narrow.ipv6 &&
         (narrow.ipv6 ? wide.contains_ipv6(narrow.hi, narrow.lo)
                      : wide.contains_ipv4(static_cast<std::uint32_t>(narrow.lo)));
}

bool can_be_ue(const UeAddress& ue) noexcept { return impossible(prefix_of(ue)).empty(); }

std::string address_text(bool ipv6, std::uint64_t hi, std::uint64_t lo) {
  std::array<unsigned char, 16> raw{};
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (!ipv6) lo <<= 32;
  for (unsigned i = 0; i < 8; ++i) {
    raw[i] = static_cast<unsigned char>((ipv6 ? hi : lo) >> (56 - 8 * i));
    raw[8 + i] = static_cast<unsigned char>(lo >> (56 - 8 * i));
  }
  inet_ntop(ipv6 ? AF_INET6 : AF_INET, raw.data(), text.data(), text.size());
  return text.data();
}

std::string to_string(const UeAddress& ue) {
  std::string text = address_text(ue.kind != UeKind::ipv4, ue.hi, ue.lo);
  if (ue.kind != UeKind::ipv4) text += ue.kind == UeKind::ipv6_64 ? "/64" : "/128";
  if (ue.dedicated == Dedicated::by_qfi) text += " qfi " + std::to_string(ue.id);
  if (ue.dedicated == Dedicated::by_teid) text += " teid " + hexadecimal(ue.id);
  return text;
}

namespace {

Result<UeAddress> read_ue(std::string_view text) {
  constexpr std::string_view kExpected = "a UE: an IPv4 address, an IPv6 /64 or an IPv6 /128";
  const Split parts = split(text);
  const auto address = parse_address(parts.address);
  if (!address || !parts.good) return bad(text, kExpected);
  if (!address->ipv6) {
    if (parts.length.value_or(32) != 32) return bad(text, kExpected);
    return ue_ipv4(static_cast<std::uint32_t>(address->lo));
  }
  if (parts.length.value_or(128) == 128) return ue_ipv6_128(address->hi, address->lo);
  if (parts.length != 64u) return bad(text, kExpected);
  if (address->lo != 0) {
    return bad(text, "an IPv6 /64 without host bits; write " + address_text(true, address->hi, 0) + "/64");
  }
  return ue_ipv6_64(address->hi);
}

Error of_nobody(std::string_view text, std::string_view why) {
  return {"found '" + std::string(text) + "', expected an address that a UE can have; this is " +
          std::string(why)};
}

}  // namespace

Result<UeAddress> parse_ue(std::string_view text) {
  const Result<UeAddress> ue = read_ue(text);
  if (!ue) return ue;
  if (const auto why = impossible(prefix_of(*ue)); !why.empty()) return of_nobody(text, why);
  return ue;
}

std::string to_string(const Prefix& prefix) {
  return address_text(prefix.ipv6, prefix.hi, prefix.lo) + "/" + std::to_string(prefix.length);
}

Result<Prefix> parse_prefix(std::string_view text) {
  const Split parts = split(text);
  const auto address = parse_address(parts.address);
  const unsigned width = address && address->ipv6 ? 128 : 32;
  if (!address || !parts.good || !parts.length || *parts.length > width) {
    return bad(text, "a prefix such as 10.45.0.0/16 or 2001:db8::/48");
  }
  Prefix prefix{address->ipv6, static_cast<std::uint8_t>(*parts.length), address->hi, address->lo};
  auto keep = [](std::uint64_t v, unsigned bits) {
    return bits == 0 ? 0 : bits >= 64 ? v : v & ~std::uint64_t{0} << (64 - bits);
  };
  const unsigned n = *parts.length;
  if (prefix.ipv6) {
    prefix.hi = keep(prefix.hi, n);
    prefix.lo = keep(prefix.lo, n > 64 ? n - 64 : 0);
  } else {
    prefix.lo = keep(prefix.lo << 32, n) >> 32;
  }
  if (prefix.hi != address->hi || prefix.lo != address->lo) {
    return bad(text, "a prefix without host bits; write " + to_string(prefix));
  }
  if (const auto why = impossible(prefix); !why.empty()) return of_nobody(text, why);
  return prefix;
}

}  // namespace dp
