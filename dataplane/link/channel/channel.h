// What a channel model is: which frames of an air interface are lost. A model lives inside the link that asks
// it, draws from a generator of its own and knows frames by their numbers only; the same settings and seed
// lose the same frames.
#pragma once
#include <concepts>
#include <cstdint>
#include <string_view>

#include "dataplane/base/rng.h"
#include "dataplane/link/channel/settings.h"

namespace dp {

// lost(frame) is asked in ascending order of frames; those left out have simply passed. Asked again about the
// same frame it answers the same.
// clang-format off
template <class C>
concept ChannelModel =
    std::constructible_from<C, const ChannelSettings&, Rng> &&
    std::same_as<typename C::Config, ChannelSettings> &&
    requires(C& channel, std::uint64_t frame) {
      { C::kName } -> std::convertible_to<std::string_view>;
      { C::kDoc } -> std::convertible_to<std::string_view>;
      C::kSettings;  // the rows of kChannelFields that it uses
      { channel.lost(frame) } noexcept -> std::same_as<bool>;
    };
// clang-format on

}  // namespace dp
