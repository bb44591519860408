// The kinds of queues for a leg's SDUs, as configuration and control know them: names, texts and settings.
// They are independent of the AQM (aqm/registry.h), except for AQMs that bring queues of their own.
// Tests: tests/contract/queue_contract_test.cc
#pragma once
#include <cstdint>
#include <variant>

#include "dataplane/aqm/registry.h"
#include "dataplane/base/typelist.h"
#include "dataplane/queue/fifo_config.h"
#include "dataplane/queue/sfp_config.h"

namespace dp {

using QueueList = TypeList<FifoSpec, SfpSpec>;
using QueueConfig = QueueList::Configs;

// The queues to make beside a leg for its SDUs: at most one of the two.
struct QueuesWanted {
  QueueShape flows{};                    // flow queues; none with 0 flows
  const SfpSpec::Config* sfp = nullptr;  // within the configuration passed
  std::uint32_t records() const noexcept { return sfp != nullptr ? sfp->flows : flows.flows; }
};

// The queues of an AQM that has its own take precedence over `queue`.
inline QueuesWanted queues_wanted(const AqmConfig& aqm, const QueueConfig& queue) noexcept {
  const QueueShape flows = queue_shape(aqm);
  return {flows, flows.flows != 0 ? nullptr : std::get_if<SfpSpec::Config>(&queue)};
}

}  // namespace dp
