// The key `channel` of a radio link: the name of a channel model, whose settings may stand in a map of its
// own as in every family, `channel: {markov: {fer: 10%}}`, or beside it in the link.
#pragma once
#include <array>
#include <optional>
#include <string>

#include "config/model_kind.h"
#include "config/notation/kinds.h"
#include "config/notation/table.h"
#include "config/traces/error_trace.h"
#include "dataplane/link/channel/registry.h"

namespace config {

// A trace's row reads a file, which rows of a field table cannot.
constexpr dp::FieldTable kTraceRows{Row{"trace", &dp::ChannelSettings::trace, ErrorTraceKind{},
                                        "what the channel `trace` loses, from the start again at its end; in "
                                        "requests the name of a file in `control.traces`"}};

// Settings that may be given beside `channel` instead of in its map.
inline constexpr std::array<std::string_view, 3> kChannelKeys{"fer", "doppler", "trace"};

struct ChannelFamily {
  using List = dp::ChannelList;
  using Settings = dp::ChannelSettings;
  static auto& choice(auto& link) { return link.channel; }
  template <class Model>
  static constexpr auto rows() {
    constexpr auto kRows =
        Model::kSettings.apply([](const auto&... f) { return dp::FieldTable{quantity_row(f)...}; });
    if constexpr (std::is_same_v<Model, dp::TraceSpec>) {
      return dp::joined(kRows, kTraceRows);
    } else {
      return kRows;
    }
  }
};
using ChannelKind = ModelKind<ChannelFamily>;

// The first key of the link that repeats one in the map of `channel`; none if `channel` is a name.
inline std::optional<Node> repeated_beside_channel(const Node& link) {
  const auto channel = link.find("channel");
  if (!channel || channel->kind() != NodeKind::map) return std::nullopt;
  for (std::size_t i = 0; i < link.size(); ++i) {
    const bool repeated =
        std::find(kChannelKeys.begin(), kChannelKeys.end(), link.key(i).text()) != kChannelKeys.end();
    if (repeated) return link.key(i);
  }
  return std::nullopt;
}

}  // namespace config
