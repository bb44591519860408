// The AQM policies as configuration and control know them: their names, texts and settings. aqm/engines.h
// lists their implementations. A new policy is a file of its settings, a file of the policy, and its name in
// both lists: configuration, help, metrics labels, reference table and contract tests follow.
// Tests: tests/contract/aqm_contract_test.cc, tests/contract/toy/toy_test.cc
#pragma once
#include <cstdint>
#include <variant>

#include "dataplane/aqm/codel_config.h"
#include "dataplane/aqm/drop_tail_config.h"
#include "dataplane/aqm/fq_codel_config.h"
#include "dataplane/aqm/pdpc_config.h"
#include "dataplane/aqm/pie_config.h"
#include "dataplane/aqm/red_config.h"
#include "dataplane/aqm/sbd_config.h"
#include "dataplane/base/typelist.h"

namespace dp {

using AqmList = TypeList<DropTailSpec, RedSpec, PdpcSpec, SbdSpec, CodelSpec, PieSpec, FqCodelSpec>;
using AqmConfig = AqmList::Configs;

// The structure of the queue: this many flow queues, or with 0 one FIFO.
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
