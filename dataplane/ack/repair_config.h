// The settings of the stages that keep segments and repair what the radio loses: `snoop` and `new-snoop`.
#pragma once
#include <array>
#include <chrono>
#include <cstdint>
#include <string_view>
#include <tuple>

#include "dataplane/base/fields.h"
#include "dataplane/base/time.h"

namespace dp {

enum class Blocks : std::uint8_t { strip, pass };
inline constexpr std::array<std::string_view, 2> kBlocksNames{"strip", "pass"};
enum class Holes : std::uint8_t { all, first };
inline constexpr std::array<std::string_view, 2> kHolesNames{"all", "first"};
enum class Awaited : std::uint8_t { always, limit };
inline constexpr std::array<std::string_view, 2> kAwaitedNames{"always", "limit"};

// What both say of themselves.
struct RepairSpec {
  static constexpr std::string_view kBypass =
      "safe: what is kept is let go, and the source sees the losses itself";
  static constexpr std::string_view kAsymmetric =
      "flows whose data come another way are left alone, and so are those of Multipath TCP, TCP-AO, MD5 and "
      "Accurate ECN";
};

// `kTries`: of how many local retransmissions of one segment, 0 for any number, the defaults are.
template <std::uint32_t kTries>
struct RepairConfig {
  std::uint32_t cache = 128;
  std::uint32_t tries = kTries;
  Duration rtt{0};
  Blocks sack = Blocks::strip;
  Holes repair = Holes::all;
  Awaited awaited = Awaited::always;

  std::uint32_t kept_segments() const noexcept { return cache; }
  friend bool operator==(const RepairConfig&, const RepairConfig&) = default;

  // clang-format off
  static constexpr std::tuple kFields{
      Field{"cache", &RepairConfig::cache, Unit::count, 8u, 4096u,
            "segments that a bearer keeps until the UE has acknowledged them; each takes a frame of the pool and a "
            "place in the buffer. A flow has its part of them, and 8 in any case; what is beyond that is sent on "
            "without", "004 section 3.3"},
      Field{"tries", &RepairConfig::tries, Unit::count, 0u, 250u,
            "how often a segment is sent again from here before that is left to its source; 0: until the UE has it, "
            "or says nothing for 30 s", "Snoop of ns-2: 10"},
      Field{"rtt", &RepairConfig::rtt, Unit::duration, Duration{0}, Duration{10'000'000'000},
            "round trip of the radio, as long as none was measured: a third of the first timeout. 0: the least that "
            "the bearer's other flows have shown, and no timeout before that", "004 section 4"},
      Field{"sack", &RepairConfig::sack, kBlocksNames,
            "what becomes of SACK blocks on ACKs that go on to a source while its loss is repaired here: taken out, "
            "so that it does not repair it too, or left", "RFC 2018"},
      Field{"repair", &RepairConfig::repair, kHolesNames,
            "with SACK from the UE: send again all that it lacks at once, and keep nothing that it has; or the first, "
            "as the paper does", "004 section 2.3"},
      Field{"awaited", &RepairConfig::awaited, kAwaitedNames,
            "limit: the segment that the UE waits for is taken into a full buffer; always: and so is whatever the "
            "source repeats that is not kept, also when the AQM would drop it", "004 section 2.3"},
  };
  // clang-format on
};

}  // namespace dp
