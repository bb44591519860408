// Errors from a measurement, again from the start when the trace ends.
#pragma once
#include "dataplane/link/channel/channel.h"
#include "dataplane/link/channel/registry.h"

namespace dp {

class Trace : public TraceSpec {
 public:
  Trace(const ChannelSettings& settings, Rng) noexcept : trace_(settings.trace) {}

  bool lost(std::uint64_t frame) noexcept {
    return trace_ && !trace_->lost.empty() && trace_->lost[frame % trace_->lost.size()];
  }

 private:
  std::shared_ptr<const ErrorTrace> trace_;
};

}  // namespace dp
