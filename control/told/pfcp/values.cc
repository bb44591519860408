#include "control/told/pfcp/values.h"

#include <algorithm>
#include <array>

namespace control::told::pfcp {
namespace {

using dp::Bytes;

// Reads from the front; zeros, and `good` is false, once the octets are too few.
class Cursor {
 public:
  explicit Cursor(Bytes bytes) : rest_(bytes) {}

  std::uint64_t uint(std::size_t octets) {
    std::uint64_t value = 0;
    for (const std::byte b : take(octets)) value = value << 8 | std::to_integer<std::uint64_t>(b);
    return value;
  }
  std::uint8_t u8() { return static_cast<std::uint8_t>(uint(1)); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(uint(4)); }
  Address ipv4() { return {0, uint(4), false}; }
  Address ipv6() {
    const std::uint64_t hi = uint(8);
    return {hi, uint(8), true};
  }
  Addresses addresses(bool has_ipv4, bool has_ipv6) {
    Addresses found;
    if (has_ipv4) found.ipv4 = ipv4();
    if (has_ipv6) found.ipv6 = ipv6();
    return found;
  }
  // Fewer than `octets` if there are no more; `good` is then false.
  Bytes take(std::size_t octets) {
    good = good && octets <= rest_.size();
    const Bytes taken = good ? rest_.first(octets) : Bytes{};
    rest_ = rest_.subspan(taken.size());
    return taken;
  }
  bool empty() const { return rest_.empty(); }

  bool good = true;

 private:
  Bytes rest_;
};

template <class T>
std::optional<T> if_good(const Cursor& in, const T& value) {
  return in.good ? std::optional(value) : std::nullopt;
}

constexpr std::size_t kMostText = 100;

// Text for people: a stranger's octets may not move their cursors.
std::string printable(std::string text) {
  const auto shown = [](char c) { return c > ' ' && c <= '~'; };
  if (text.size() > kMostText || !std::ranges::all_of(text, shown)) return {};
  return text;
}

std::string text_of(Bytes bytes) {
  std::string text;
  for (const std::byte b : bytes) text += static_cast<char>(b);
  return text;
}

// TS 29.274 clause 8.3: two digits an octet, the lower half first; 15 fills.
std::string digits_of(Bytes bytes) {
  std::string digits;
  for (const std::byte b : bytes) {
    const std::uint8_t octet = std::to_integer<std::uint8_t>(b);
    for (const unsigned digit : {octet % 16u, octet / 16u}) {
      if (digit > 9) return digits;
      digits += static_cast<char>('0' + digit);
    }
  }
  return digits;
}

}  // namespace

std::string to_string(const Address& address) {
  return dp::address_text(address.ipv6, address.hi, address.lo);
}

std::optional<std::uint8_t> read_u8(Bytes value) {
  Cursor in(value);
  const std::uint8_t v = in.u8();
  return if_good(in, v);
}

std::optional<std::uint16_t> read_u16(Bytes value) {
  Cursor in(value);
  const auto v = static_cast<std::uint16_t>(in.uint(2));
  return if_good(in, v);
}

std::optional<std::uint32_t> read_u32(Bytes value) {
  Cursor in(value);
  const std::uint32_t v = in.u32();
  return if_good(in, v);
}

std::optional<FSeid> read_f_seid(Bytes value) {
  Cursor in(value);
  const std::uint8_t flags = in.u8();
  FSeid f{in.uint(8), {}};
  f.at = in.addresses((flags & 2) != 0, (flags & 1) != 0);
  return if_good(in, f);
}

std::optional<FTeid> read_f_teid(Bytes value) {
  Cursor in(value);
  const std::uint8_t flags = in.u8();
  FTeid f;
  f.choose = (flags & 4) != 0;
  if (f.choose) {
    if ((flags & 8) != 0) f.choose_id = in.u8();
    return if_good(in, f);
  }
  f.teid = in.u32();
  f.at = in.addresses((flags & 1) != 0, (flags & 2) != 0);
  return if_good(in, f);
}

std::optional<UeIp> read_ue_ip(Bytes value) {
  Cursor in(value);
  const std::uint8_t flags = in.u8();
  const Addresses at = in.addresses((flags & 2) != 0, (flags & 1) != 0);
  if ((flags & 8) != 0) in.u8();  // IPv6D: the size of a delegated prefix, which is wider than a /64
  const unsigned length = (flags & 0x40) != 0 ? in.u8() : 64;
  UeIp found;
  if (at.ipv4) found.ipv4 = dp::ue_ipv4(static_cast<std::uint32_t>(at.ipv4->lo));
  if (at.ipv6) {
    found.ipv6 = length == 128 ? dp::ue_ipv6_128(at.ipv6->hi, at.ipv6->lo) : dp::ue_ipv6_64(at.ipv6->hi);
  }
  if (found.ipv4 && !dp::can_be_ue(*found.ipv4)) found.ipv4.reset();
  if (found.ipv6 && !dp::can_be_ue(*found.ipv6)) found.ipv6.reset();
  return if_good(in, found);
}

std::optional<Rates> read_rates(Bytes value) {
  Cursor in(value);
  const std::uint64_t uplink = in.uint(5);
  const Rates rates{uplink, in.uint(5)};
  return if_good(in, rates);
}

std::optional<Gates> read_gates(Bytes value) {
  Cursor in(value);
  const std::uint8_t gates = in.u8();
  return if_good(in, Gates{(gates >> 2 & 3) == 0, (gates & 3) == 0});
}

std::optional<OuterHeader> read_outer_header(Bytes value) {
  Cursor in(value);
  const auto description = static_cast<std::uint16_t>(in.uint(2));
  const bool ipv4 = (description & 0x100) != 0, ipv6 = (description & 0x200) != 0;
  if (!ipv4 && !ipv6) return std::nullopt;
  OuterHeader header{in.u32(), {}};
  header.at = in.addresses(ipv4, ipv6);
  return if_good(in, header);
}

std::vector<FqCsid> read_fq_csids(Bytes value) {
  Cursor in(value);
  const std::uint8_t head = in.u8();
  FqCsid one;
  one.node_type = head >> 4;
  one.node = one.node_type == 1 ? in.ipv6() : in.ipv4();
  std::vector<FqCsid> found;
  for (unsigned n = head & 15u; n > 0 && in.good; --n) {
    one.csid = static_cast<std::uint16_t>(in.uint(2));
    if (in.good) found.push_back(one);
  }
  return found;
}

std::string read_identity(Bytes value) {
  enum { imsi, imei, msisdn, nai, supi };
  Cursor in(value);
  const std::uint8_t flags = in.u8();
  std::array<Bytes, supi + 1> parts{};
  for (unsigned i = imsi; i <= supi; ++i) {
    if ((flags >> i & 1) != 0) parts[i] = in.take(in.u8());
  }
  if (!in.good) return {};
  if (const std::string digits = digits_of(parts[imsi]); !digits.empty()) return printable(digits);
  return printable(text_of(parts[supi]));
}

std::string read_dnn(Bytes value) {
  Cursor in(value);
  std::string name;
  while (!in.empty() && in.good) {
    const Bytes label = in.take(in.u8());
    if (!label.empty()) name += (name.empty() ? "" : ".") + text_of(label);
  }
  // Some cores send the text itself.
  return printable(in.good ? name : text_of(value));
}

}  // namespace control::told::pfcp
