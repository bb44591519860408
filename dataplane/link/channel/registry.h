// The channel models as configuration and control know them: their names, texts and settings.
// link/channel/engines.h is the same list for the air. A new one is a struct here, a file of the model, and
// its name in both.
#pragma once
#include <string_view>

#include "dataplane/base/fields.h"
#include "dataplane/base/typelist.h"
#include "dataplane/link/channel/settings.h"

namespace dp {

struct NoErrorsSpec {
  static constexpr std::string_view kName = "none";
  static constexpr std::string_view kDoc = "no frame is lost";
  using Config = ChannelSettings;
  static constexpr FieldTable<> kSettings{};
};

struct BernoulliSpec {
  static constexpr std::string_view kName = "bernoulli";
  static constexpr std::string_view kDoc = "each frame is lost with probability `fer`, whatever came before";
  using Config = ChannelSettings;
  static constexpr FieldTable kSettings{kFerField};
};

struct MarkovSpec {
  static constexpr std::string_view kName = "markov";
  static constexpr std::string_view kDoc =
      "losses in bursts as Rayleigh fading makes them: a share of `fer`, as long as `doppler` says";
  using Config = ChannelSettings;
  static constexpr FieldTable kSettings{kFerField, kDopplerField};
};

struct TraceSpec {
  static constexpr std::string_view kName = "trace";
  static constexpr std::string_view kDoc =
      "the losses of a trace file, one mark a frame, from the start again at its end";
  using Config = ChannelSettings;
  static constexpr FieldTable<> kSettings{};
};

using ChannelList = TypeList<NoErrorsSpec, BernoulliSpec, MarkovSpec, TraceSpec>;

}  // namespace dp
