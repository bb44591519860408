// A UE that answers data by ACKs without progress, up to a full burst: the patterns, and the bearer under
// them. Plain: no rte_ names.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dp::yardstick {

enum class HostileAcks : std::uint8_t { duplicates, turns, sacks, old, ahead, window };
struct HostileText {
  std::string_view name;
  std::string_view text;
};
inline constexpr std::array kHostileAcks{
    HostileText{"duplicates", "the same number again and again"},
    HostileText{"turns", "the same, of two connections in turn"},
    HostileText{"sacks", "the same, with a SACK block inside another segment each time"},
    HostileText{"old", "numbers below the first"},
    HostileText{"ahead", "numbers beyond all that was sent"},
    HostileText{"window", "the same number, with a window that opens and shuts"},
};
// Segments that a stage or proxy keeps, or ACKs that it holds, of two subjects measured side by side:
// the default of the stages' caches, and the most that they can have.
inline constexpr std::uint32_t kFewKept = 128, kManyKept = 4096;

constexpr std::size_t hostile_index(std::string_view name) {
  std::size_t i = 0;
  while (i + 1 < kHostileAcks.size() && kHostileAcks[i].name != name) ++i;
  return i;
}

}  // namespace dp::yardstick
