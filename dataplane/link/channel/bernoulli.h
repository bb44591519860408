// Errors without memory: each frame is lost with the same probability, whatever happened to others.
#pragma once
#include "dataplane/link/channel/channel.h"

namespace dp {

class Bernoulli {
 public:
  static constexpr std::string_view kName = "bernoulli";
  static constexpr std::string_view kDoc = "each frame is lost with probability `fer`, whatever came before";
  using Config = ChannelSettings;
  static constexpr std::tuple kSettings{kFerField};

  Bernoulli(const ChannelSettings& settings, Rng rng) noexcept : fer_(settings.fer), rng_(rng) {}

  // A generator a frame: the answer does not depend on which others were asked for.
  bool lost(std::uint64_t frame) noexcept { return rng_.fork(frame).chance(fer_); }

 private:
  double fer_;
  Rng rng_;
};

}  // namespace dp
