// The settings of a chain of ACK stages, as plain values.
// Tests: tests/unit/config/ack_test.cc
#pragma once
#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <variant>

#include "dataplane/ack/registry.h"
#include "dataplane/flow/limits.h"

namespace dp {

struct AckSettings {
  static constexpr std::size_t kMaxStages = 4;

  std::uint32_t stages = 0;  // 0: no chain; uplink segments pass unchanged
  std::array<AckConfig, kMaxStages> stage{};
  FlowLimits flows{};
  std::uint32_t max_held = 256;  // maximum number of ACKs held by all stages together; the oldest leave
                                 // beyond it
  friend bool operator==(const AckSettings&, const AckSettings&) = default;
};

// A stage that keeps segments gives their number (store/segment_store.h), and whether sent ones stay in the
// occupancy of the buffer.
template <class Config>
concept KeepsSegments = requires(const Config& config) {
  { config.kept_segments() } -> std::same_as<std::uint32_t>;
  { config.in_buffer() } -> std::same_as<bool>;
};

// Number of segments that the stages may keep together; 0 if none of them keeps any.
inline std::uint32_t kept_segments(const AckSettings& settings) noexcept {
  std::uint32_t most = 0;
  for (std::uint32_t k = 0; k < settings.stages; ++k) {
    std::visit(
        [&]<class Config>(const Config& config) {
          if constexpr (KeepsSegments<Config>) most = std::max(most, config.kept_segments());
        },
        settings.stage[k]);
  }
  return most;
}

// True if at least one stage requires that sent segments stay in the buffer's occupancy.
inline bool keeps_in_buffer(const AckSettings& settings) noexcept {
  return std::any_of(settings.stage.begin(), settings.stage.begin() + settings.stages,
                     [](const AckConfig& stage) {
                       return std::visit(
                           []<class Config>(const Config& config) {
                             if constexpr (KeepsSegments<Config>) return config.in_buffer();
                             return false;
                           },
                           stage);
                     });
}

// True if a chain with settings `a` can be changed to `b` in place.
inline bool same_chain(const AckSettings& a, const AckSettings& b) noexcept {
  const auto alike = [](const AckConfig& x, const AckConfig& y) { return x.index() == y.index(); };
  return a.stages == b.stages && a.flows.flows == b.flows.flows && kept_segments(a) == kept_segments(b) &&
         std::equal(a.stage.begin(), a.stage.begin() + a.stages, b.stage.begin(), alike);
}

}  // namespace dp
