// What a chain of ACK stages is made of, as plain values.
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

  std::uint32_t stages = 0;  // 0: no chain, uplink segments pass
  std::array<AckConfig, kMaxStages> stage{};
  FlowLimits flows{};
  std::uint32_t max_held = 256;  // ACKs that all stages together may hold; beyond that the oldest leave
  friend bool operator==(const AckSettings&, const AckSettings&) = default;
};

// A stage that keeps segments says how many (store/segment_store.h), and whether those that were sent stay in
// the occupancy of the buffer.
template <class Config>
concept KeepsSegments = requires(const Config& config) {
  { config.kept_segments() } -> std::same_as<std::uint32_t>;
  { config.in_buffer() } -> std::same_as<bool>;
};

// How many segments the stages keep together; 0 when none of them keeps any.
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

// Whether those that were sent stay in the occupancy of the buffer: one stage that says so decides.
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

// A chain of the one can go on under the other, in place.
inline bool same_chain(const AckSettings& a, const AckSettings& b) noexcept {
  const auto alike = [](const AckConfig& x, const AckConfig& y) { return x.index() == y.index(); };
  return a.stages == b.stages && a.flows.flows == b.flows.flows && kept_segments(a) == kept_segments(b) &&
         std::equal(a.stage.begin(), a.stage.begin() + a.stages, b.stage.begin(), alike);
}

}  // namespace dp
