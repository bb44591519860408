// Small types for common terms: sides of the wire, directions, bearers, classes.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dp {

// The two ports of the bump in the wire. A frame received on one leaves on the other.
enum class Side : std::uint8_t { core, radio };
inline constexpr std::array kSides{Side::core, Side::radio};
constexpr Side opposite(Side s) { return s == Side::core ? Side::radio : Side::core; }
constexpr std::string_view name(Side s) { return s == Side::core ? "core" : "radio"; }

enum class Direction : std::uint8_t { downlink, uplink };
inline constexpr std::array kDirections{Direction::downlink, Direction::uplink};
constexpr Direction direction_from(Side received) {
  return received == Side::core ? Direction::downlink : Direction::uplink;
}
constexpr Side exit_of(Direction d) { return d == Direction::downlink ? Side::radio : Side::core; }
constexpr std::string_view name(Direction d) { return d == Direction::downlink ? "downlink" : "uplink"; }

template <class E>
constexpr std::size_t index(E e) {
  return static_cast<std::size_t>(e);
}

// Index of a bearer in its worker's table; dense, reused after removal.
enum class BearerId : std::uint32_t {};
inline constexpr BearerId kNoBearer{0xffffffffu};

// Index of a class (configuration template) in the order of the configuration.
using ClassId = std::uint16_t;

// A network of the configuration, to which VLAN ids are bound: UEs of different networks may have the same
// address. From 1 to kMaxNetworks.
using NetworkId = std::uint8_t;
inline constexpr NetworkId kNoNetwork = 0;
inline constexpr std::size_t kMaxNetworks = 255;

// The treatment of all frames (design: Modes).
enum class Mode : std::uint8_t { inline_, tap, bypass, block };
inline constexpr std::array<std::string_view, 4> kModeNames{"inline", "tap", "bypass", "block"};
constexpr std::string_view name(Mode m) { return kModeNames[index(m)]; }

// The treatment of frames without a bearer.
enum class Unknown : std::uint8_t { pass, drop };
inline constexpr std::array<std::string_view, 2> kUnknownNames{"pass", "drop"};
constexpr std::string_view name(Unknown u) { return kUnknownNames[index(u)]; }

// The packets from which a UE is learnt: its own, or also those sent to it. Any host in the core's network
// can send to an address behind which there is no UE.
enum class LearnFrom : std::uint8_t { uplink, both };
inline constexpr std::array<std::string_view, 2> kLearnFromNames{"uplink", "both"};
constexpr std::string_view name(LearnFrom f) { return kLearnFromNames[index(f)]; }

}  // namespace dp
