// How the SDUs of a leg may wait, as configuration and control know it: names, texts and settings. This is
// apart from who judges them (aqm/registry.h), but for AQMs that bring queues of their own.
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

// What has to stand beside a leg for its SDUs to wait in: at most one of the two.
struct QueuesWanted {
  QueueShape flows{};                    // of flow queues; none with 0 flows
  const SfpSpec::Config* sfp = nullptr;  // within the configuration that was asked about
  std::uint32_t records() const noexcept { return sfp != nullptr ? sfp->flows : flows.flows; }
};

// An AQM that has queues of its own goes before `queue`.
inline QueuesWanted queues_wanted(const AqmConfig& aqm, const QueueConfig& queue) noexcept {
  const QueueShape flows = queue_shape(aqm);
  return {flows, flows.flows != 0 ? nullptr : std::get_if<SfpSpec::Config>(&queue)};
}

}  // namespace dp
