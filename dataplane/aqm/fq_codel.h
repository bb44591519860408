// Flow queue CoDel (RFC 8290): one queue a flow, served by deficit round robin, new flows first. CoDel
// manages each queue separately, except that its exemption for a backlog of at most an MTU counts the bytes
// of all queues, as in Linux, so that a drop cannot make the link idle. The queues are aqm/flow_queues.h,
// which control allocates (dataplane/decisions/037).
// Tests: tests/unit/buffer/sfp_buffer_test.cc
#pragma once
#include "dataplane/aqm/codel.h"
#include "dataplane/aqm/fq_codel_config.h"
#include "dataplane/base/expect.h"

namespace dp {

class FqCodel : public FqCodelSpec, public IdlePolicy {
 public:
  FqCodel(const Config& config, Rng) noexcept : config_(config) {}

  Verdict on_dequeue(const Sdu& sdu, const QueueView& queue, Time now) noexcept {
    DP_EXPECT(queue.backlog >= sdu.ip_len);
    if (queue.flow == nullptr) return Verdict::pass;
    return queue.flow->decide(config_, sdu, queue.backlog - sdu.ip_len, now);
  }
  void reconfigure(const Config& config, const QueueView&, Time) noexcept { config_ = config; }
  const Config& config() const noexcept { return config_; }

 private:
  Config config_;
};

}  // namespace dp
