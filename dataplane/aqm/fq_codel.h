// Flow queue CoDel (RFC 8290): a queue for each flow, served in turns by their bytes, those of new flows
// first; CoDel judges each queue alone, but that no packet is dropped while no more than an MTU stands behind
// it means behind it in all of them, as in Linux: a link on which others wait does not run empty by a drop.
// The queues are aqm/flow_queues.h, which control allocates (dataplane/decisions/037).
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
    return queue.flow->judge(config_, sdu, queue.backlog - sdu.ip_len, now);
  }
  void reconfigure(const Config& config, const QueueView&, Time) noexcept { config_ = config; }
  const Config& config() const noexcept { return config_; }

 private:
  Config config_;
};

}  // namespace dp
