// A channel without errors.
#pragma once
#include "dataplane/link/channel/channel.h"

namespace dp {

class NoErrors {
 public:
  static constexpr std::string_view kName = "none";
  static constexpr std::string_view kDoc = "no frame is lost";
  using Config = ChannelSettings;
  static constexpr std::tuple<> kSettings{};

  NoErrors(const ChannelSettings&, Rng) noexcept {}
  bool lost(std::uint64_t) noexcept { return false; }
};

}  // namespace dp
