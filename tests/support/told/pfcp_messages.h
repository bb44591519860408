// PFCP messages of tests, octet by octet as TS 29.244 says, and apart from the code that reads them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "dataplane/packet/bytes.h"

namespace control::test {

using Octets = std::vector<std::byte>;

inline Octets number(std::uint64_t value, unsigned octets) {
  Octets bytes;
  while (octets-- > 0)
    bytes.push_back(octets < 8 ? static_cast<std::byte>(value >> 8 * octets) : std::byte{});
  return bytes;
}
inline Octets joined(std::initializer_list<Octets> parts) {
  Octets whole;
  for (const Octets& part : parts) whole.insert(whole.end(), part.begin(), part.end());
  return whole;
}
inline Octets repeated(const Octets& part, unsigned times) {
  Octets whole;
  while (times-- > 0) whole.insert(whole.end(), part.begin(), part.end());
  return whole;
}
inline Octets text_octets(std::string_view text) {
  Octets bytes;
  for (const char c : text) bytes.push_back(static_cast<std::byte>(c));
  return bytes;
}

inline Octets ie(unsigned type, const Octets& value) {
  return joined({number(type, 2), number(value.size(), 2), value});
}
inline Octets ie(unsigned type, std::initializer_list<Octets> parts) { return ie(type, joined(parts)); }

inline Octets pdr_id(unsigned id) { return ie(56, number(id, 2)); }
inline Octets far_id(unsigned id) { return ie(108, number(id, 4)); }
inline Octets qer_id(unsigned id) { return ie(109, number(id, 4)); }
inline Octets precedence(unsigned value) { return ie(29, number(value, 4)); }
inline Octets source_interface(unsigned which) { return ie(20, number(which, 1)); }
inline Octets destination_interface(unsigned which) { return ie(42, number(which, 1)); }
inline Octets qfi(unsigned value) { return ie(124, number(value, 1)); }
inline Octets cause(unsigned value) { return ie(19, number(value, 1)); }
inline Octets recovery(std::uint32_t seconds) { return ie(96, number(seconds, 4)); }
inline Octets apply_action(unsigned flags) { return ie(44, number(flags, 1)); }
inline Octets gate_status(unsigned uplink, unsigned downlink) {
  return ie(25, number(uplink << 2 | downlink, 1));
}
inline Octets mbr(std::uint64_t uplink, std::uint64_t downlink) {
  return ie(26, {number(uplink, 5), number(downlink, 5)});
}
inline Octets node_id(std::uint32_t address) { return ie(60, {number(0, 1), number(address, 4)}); }
inline Octets f_seid(std::uint64_t seid, std::uint32_t address) {
  return ie(57, {number(2, 1), number(seid, 8), number(address, 4)});
}
inline Octets f_teid(std::uint32_t teid, std::uint32_t address) {
  return ie(21, {number(1, 1), number(teid, 4), number(address, 4)});
}
inline Octets f_teid_choose(std::optional<unsigned> id = {}) {
  return id ? ie(21, {number(4 | 1 | 8, 1), number(*id, 1)}) : ie(21, number(4 | 1, 1));
}
inline Octets ue_ipv4(std::uint32_t address, bool destination = true) {
  return ie(93, {number(destination ? 6 : 2, 1), number(address, 4)});
}
inline Octets ue_ipv6(std::uint64_t hi, std::uint64_t lo, std::optional<unsigned> length = {}) {
  const Octets head = joined({number(length ? 0x45 : 5, 1), number(hi, 8), number(lo, 8)});
  return ie(93, {head, length ? number(*length, 1) : Octets{}});
}
inline Octets outer_header(std::uint32_t teid, std::uint32_t address) {
  return ie(84, {number(0x100, 2), number(teid, 4), number(address, 4)});
}

// A message with a SEID, or, without one, of a node.
inline Octets message(unsigned type, std::optional<std::uint64_t> seid, std::uint32_t sequence,
                      const Octets& ies, bool follow_on = false) {
  const Octets body = joined({seid ? number(*seid, 8) : Octets{}, number(sequence, 3), number(0, 1), ies});
  return joined({number(0x20 | (follow_on ? 4 : 0) | (seid ? 1 : 0), 1), number(type, 1),
                 number(body.size(), 2), body});
}

}  // namespace control::test
