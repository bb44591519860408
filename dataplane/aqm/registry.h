// The AQM policies. A new one is a file beside this and its name in the list: configuration, help, metrics
// labels, reference table and contract tests follow from it.
#pragma once
#include "dataplane/aqm/codel.h"
#include "dataplane/aqm/drop_tail.h"
#include "dataplane/aqm/fq_codel.h"
#include "dataplane/aqm/pdpc.h"
#include "dataplane/aqm/pie.h"
#include "dataplane/aqm/policy.h"
#include "dataplane/aqm/red.h"
#include "dataplane/aqm/sbd.h"
#include "dataplane/base/typelist.h"

namespace dp {

using AqmList = TypeList<DropTail, Red, Pdpc, Sbd, Codel, Pie, FqCodel>;

using AqmSlot = AqmList::Variant;
using AqmConfig = AqmList::Configs;

template <AqmPolicy... Ps>
constexpr bool all_are_policies(TypeList<Ps...>) {
  return true;
}
static_assert(all_are_policies(AqmList{}));

// How the waiting SDUs stand: in so many flow queues, or with 0 in one FIFO.
struct QueueShape {
  std::uint32_t flows = 0;
  std::uint32_t quantum = 0;
};

inline QueueShape queue_shape(const AqmConfig& aqm) noexcept {
  return std::visit(
      []<class Config>(const Config& config) {
        if constexpr (requires { config.flows, config.quantum; }) {
          return QueueShape{config.flows, config.quantum};
        } else {
          return QueueShape{};
        }
      },
      aqm);
}

}  // namespace dp
