// The interface of a channel model, which decides the frames of an air interface that are lost. A model lives
// inside its link, draws from a generator of its own and knows frames by their numbers only; equal settings
// and seeds lose the same frames.
#pragma once
#include <concepts>
#include <cstdint>
#include <string_view>

#include "dataplane/base/rng.h"
#include "dataplane/link/channel/settings.h"

namespace dp {

// lost(frame) is called in ascending order of frames; frames left out have simply passed. A second call for
// one frame returns the same.
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
