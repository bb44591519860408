// No active management: an SDU is dropped only by the buffer's own limits. The papers' baseline.
// Tests: tests/unit/buffer/buffer_test.cc
#pragma once
#include "dataplane/aqm/drop_tail_config.h"
#include "dataplane/aqm/policy.h"

namespace dp {

class DropTail : public DropTailSpec, public IdlePolicy {
 public:
  static constexpr bool kActive = false;

  DropTail(const Config&, Rng) noexcept {}
  void reconfigure(const Config&, const QueueView&, Time) noexcept {}
  const Config& config() const noexcept { return kConfig; }

 private:
  static constexpr Config kConfig{};
};

}  // namespace dp
