// The state that the parts of the data plane in control share: configuration, bearers, cells, and the way to
// the workers. DataPlane owns it; Bearers, Cells, Modes, Moves and Reloader change it, each at the turn of a
// job. Belongs to the control thread. Requires: it outlives the workers' last poll.
// Tests: tests/unit/control/plane/bearers_test.cc
#pragma once
#include <utility>
#include <vector>

#include "config/model.h"
#include "control/bearers/bearer_registry.h"
#include "control/bearers/cell_records.h"
#include "control/bearers/slab.h"
#include "control/plane/jobs.h"
#include "control/workers/command_sender.h"
#include "dataplane/worker/runtime.h"

namespace control {

struct Running {
  Running(dp::Runtime& workers, Jobs& turns, config::Config running, CommandSender::OnLearnt on_learnt)
      : runtime(workers),
        jobs(turns),
        config(std::move(running)),
        sender(mailboxes_of(workers), std::move(on_learnt)) {
    registry.name_by(config.networks);
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  dp::Mode mode() const { return config.dataplane.mode; }
  // The cell of that number in `config`; null for kNoCell.
  CellRecord* cell_at(config::CellId id) {
    return id == config::kNoCell ? nullptr : cells.find(config.cells[id].name);
  }

  dp::Runtime& runtime;
  Jobs& jobs;
  config::Config config;  // the mode, classes and cells follow live changes
  BearerRegistry registry;
  BearerSlab slab;  // the memory of all bearers
  CommandSender sender;
  CellRecords cells{sender};

 private:
  static std::vector<dp::Mailbox*> mailboxes_of(dp::Runtime& runtime) {
    std::vector<dp::Mailbox*> all;
    for (std::size_t w = 0; w < runtime.workers(); ++w) all.push_back(&runtime.shared(w).mailbox);
    return all;
  }
};

}  // namespace control
