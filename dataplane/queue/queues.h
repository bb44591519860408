// The queues beside a leg in which its SDUs wait, as one pointer: flow queues, short-flow priority's, or
// none, so that they wait in the leg's own FIFO. It owns nothing: the queues are control's.
// Tests: tests/unit/buffer/sfp_buffer_test.cc
#pragma once
#include <cstdint>

#include "dataplane/base/expect.h"

namespace dp {

class FlowQueues;
class SfpQueues;

class Queues {
 public:
  Queues() = default;
  Queues(FlowQueues* flows) noexcept : bits_(reinterpret_cast<std::uintptr_t>(flows)) {
    DP_EXPECT((bits_ & kSfp) == 0);
  }
  Queues(SfpQueues* sfp) noexcept : bits_(reinterpret_cast<std::uintptr_t>(sfp)) {
    DP_EXPECT((bits_ & kSfp) == 0);
    if (sfp != nullptr) bits_ |= kSfp;
  }

  bool none() const noexcept { return bits_ == 0; }
  // Null for queues of another kind.
  FlowQueues* flows() const noexcept {
    return (bits_ & kSfp) != 0 ? nullptr : reinterpret_cast<FlowQueues*>(bits_);
  }
  SfpQueues* sfp() const noexcept {
    return (bits_ & kSfp) == 0 ? nullptr : reinterpret_cast<SfpQueues*>(bits_ - kSfp);
  }

  friend bool operator==(const Queues&, const Queues&) = default;

 private:
  static constexpr std::uintptr_t kSfp = 1;  // never set in the address of either
  std::uintptr_t bits_ = 0;
};

}  // namespace dp
