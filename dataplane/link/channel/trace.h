// Errors as somebody measured them, again from the start when the trace ends.
#pragma once
#include "dataplane/link/channel/channel.h"

namespace dp {

class Trace {
 public:
  static constexpr std::string_view kName = "trace";
  static constexpr std::string_view kDoc =
      "the losses of a trace file, one mark a frame, from the start again at its end";
  using Config = ChannelSettings;
  static constexpr std::tuple<> kSettings{};

  Trace(const ChannelSettings& settings, Rng) noexcept : trace_(settings.trace) {}

  bool lost(std::uint64_t frame) noexcept {
    return trace_ && !trace_->lost.empty() && trace_->lost[frame % trace_->lost.size()];
  }

 private:
  std::shared_ptr<const ErrorTrace> trace_;
};

}  // namespace dp
