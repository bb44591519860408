// Sequence numbers of RLC AM. Inside the entities a PDU is known by its count, HFN and SN together (TS 25.322
// 9.4, TS 33.102 6.6.4.1: COUNT-C = HFN || SN): counts only grow, so windows need no modulo and the HFN comes
// for free. On the air there is the SN alone.
// Tests: tests/unit/rlc/am_count_set_test.cc, tests/unit/rlc/am_tshark_test.cc
#pragma once
#include <cstdint>

namespace dp {

using Sn = std::uint16_t;
using AmCount = std::uint32_t;

inline constexpr unsigned kSnBits = 12;
inline constexpr AmCount kSnMask = (1u << kSnBits) - 1;
inline constexpr AmCount kHfnMask = 0xfffff;

constexpr Sn sn_of(AmCount count) { return static_cast<Sn>(count & kSnMask); }
constexpr std::uint32_t hfn_of(AmCount count) { return count >> kSnBits; }

// The distance from `base` to `sn`, 0 to 4095.
constexpr AmCount sn_ahead(AmCount base, Sn sn) { return (sn - base) & kSnMask; }
constexpr AmCount count_from(AmCount base, Sn sn) { return base + sn_ahead(base, sn); }

constexpr bool before(AmCount a, AmCount b) { return static_cast<std::int32_t>(a - b) < 0; }

// The first SN under the HFN that follows `hfn`: where both sides begin after a RESET.
constexpr AmCount after_hfn(std::uint32_t hfn) { return ((hfn + 1) & kHfnMask) << kSnBits; }

}  // namespace dp
