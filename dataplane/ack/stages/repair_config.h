// The settings of the stages that keep segments and repair what the radio loses: `snoop` and `new-snoop`.
// Tests: tests/unit/ack/stages/local_repair_test.cc
#pragma once
#include <array>
#include <chrono>
#include <cstdint>
#include <string_view>

#include "dataplane/base/fields.h"
#include "dataplane/base/time.h"

namespace dp {

enum class Blocks : std::uint8_t { strip, pass };
inline constexpr std::array<std::string_view, 2> kBlocksNames{"strip", "pass"};
enum class Holes : std::uint8_t { all, first };
inline constexpr std::array<std::string_view, 2> kHolesNames{"all", "first"};
enum class Awaited : std::uint8_t { always, limit };
inline constexpr std::array<std::string_view, 2> kAwaitedNames{"always", "limit"};
enum class Repeats : std::uint8_t { tell, hide };
inline constexpr std::array<std::string_view, 2> kRepeatsNames{"tell", "hide"};
enum class Places : std::uint8_t { apart, buffer };
inline constexpr std::array<std::string_view, 2> kPlacesNames{"apart", "buffer"};

// The common part of both specifications.
struct RepairSpec {
  static constexpr std::string_view kBypass =
      "safe: what is kept is let go, and the source sees the losses itself";
  static constexpr std::string_view kAsymmetric =
      "flows whose data come another way are left alone, and so are those of Multipath TCP, TCP-AO, MD5 and "
      "Accurate ECN";
};

// `kTries`: default number of local retransmissions of one segment, 0 for no limit.
template <std::uint32_t kTries>
struct RepairConfig {
  std::uint32_t cache = 128;
  std::uint32_t tries = kTries;
  Duration rtt{0};
  Duration give_up{30'000'000'000};
  Blocks sack = Blocks::strip;
  Holes repair = Holes::all;
  Awaited awaited = Awaited::always;
  Places places = Places::apart;
  Repeats repeats = Repeats::tell;

  std::uint32_t kept_segments() const noexcept { return cache; }
  bool in_buffer() const noexcept { return places == Places::buffer; }
  friend bool operator==(const RepairConfig&, const RepairConfig&) = default;

  // clang-format off
  static constexpr FieldTable kFields{
      Field{"cache", &RepairConfig::cache, Unit::count, 8u, 4096u,
            "segments that a bearer keeps until the UE has acknowledged them; each takes a frame of the pool. A flow "
            "has its part of them, and 8 in any case; what is beyond that is sent on without", "004 section 3.3"},
      Field{"places", &RepairConfig::places, kPlacesNames,
            "apart: what was sent and is kept leaves the buffer, and takes no room from what arrives; buffer: it stays "
            "in the buffer's occupancy, as in the paper, where the AQM and fda see it and arrivals find less room",
            "004 section 3.3"},
      Field{"tries", &RepairConfig::tries, Unit::count, 0u, 250u,
            "how often a segment is sent again from here before that is left to its source; 0: until the UE has it, "
            "or is given up", "Snoop of ns-2: 10"},
      Field{"rtt", &RepairConfig::rtt, Unit::duration, Duration{0}, Duration{10'000'000'000},
            "round trip of the radio, as long as none was measured: a third of the first timeout. 0: the least that "
            "the bearer's other flows have shown, and no timeout before that", "004 section 4"},
      Field{"give_up", &RepairConfig::give_up, Unit::duration, Duration{0}, Duration{86'400'000'000'000},
            "when the UE has acknowledged nothing for so long, what is kept of the flow is let go; 0: never, so that "
            "a buffer full of it may stay full", "004 says nothing of it"},
      Field{"sack", &RepairConfig::sack, kBlocksNames,
            "what becomes of SACK blocks on ACKs that go on to a source while its loss is repaired here: taken out, "
            "so that it does not repair it too, or left", "RFC 2018"},
      Field{"repair", &RepairConfig::repair, kHolesNames,
            "with SACK from the UE: send again all that it lacks at once, and keep nothing that it has; or the first, "
            "as the paper does", "004 section 2.3"},
      Field{"awaited", &RepairConfig::awaited, kAwaitedNames,
            "limit: the segment that the UE waits for is taken into a full buffer; always: and so is whatever the "
            "source repeats that is not kept, also when the AQM would drop it", "004 section 2.3"},
      Field{"repeats", &RepairConfig::repeats, kRepeatsNames,
            "what the source hears while the UE waits for a segment that the source has sent twice: tell: duplicate "
            "ACKs with their SACK blocks, which its recovery goes by; hide: nothing, as New Snoop in the paper",
            "004 section 2.3"},
  };
  // clang-format on
};

}  // namespace dp
