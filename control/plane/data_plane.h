// The running data plane as control holds it, for those who poll it: owns what runs (running.h), its parts,
// each of which changes one thing, and the jobs, one after another, by which they do so. Belongs to the
// control thread. Requires: it outlives the workers' last poll.
#pragma once
#include <chrono>
#include <functional>

#include "config/traces/trace_source.h"
#include "control/capture/captures.h"
#include "control/host/host_facts.h"
#include "control/plane/bearers.h"
#include "control/plane/cells.h"
#include "control/plane/modes.h"
#include "control/plane/moves.h"
#include "control/plane/reloader.h"
#include "control/plane/running.h"

namespace control {

class DataPlane {
 public:
  // `capacity`: bearers that the workers' tables hold. `patience`: the silence of a worker after which jobs
  // are given up. `available`: bytes of memory that there are.
  DataPlane(dp::Runtime& runtime, config::Config config, std::uint32_t capacity,
            std::chrono::milliseconds patience = std::chrono::seconds{5},
            std::function<std::uint64_t()> available = memory_available);
  DataPlane(const DataPlane&) = delete;
  DataPlane& operator=(const DataPlane&) = delete;

  // To be called while rncd starts: Jobs::wait_for_workers().
  void wait_for_workers(Jobs::Told told) { jobs_.wait_for_workers(std::move(told)); }
  // Needs no turn: a port that is down waits for nobody.
  void set_port(const dp::SetPort& command, std::function<void()> done);
  // Exchanges messages with the workers and works on changes until the time has come. True when something
  // came.
  bool poll(Slices::Clock::time_point until = Slices::Clock::now() + 4 * kSlice);
  // Nothing is under way.
  bool idle() const { return running_.sender.idle() && jobs_.idle(); }
  // Work waits for the next poll(), and for nothing else.
  bool ready() const;

  Bearers& bearers() { return bearers_; }
  const Bearers& bearers() const { return bearers_; }
  Cells& cells() { return cells_; }
  const Cells& cells() const { return cells_; }
  Modes& modes() { return modes_; }
  const Modes& modes() const { return modes_; }
  Moves& moves() { return moves_; }
  const Moves& moves() const { return moves_; }
  Reloader& reloader() { return reloader_; }
  const Reloader& reloader() const { return reloader_; }
  Captures& captures() { return captures_; }

  dp::Runtime& runtime() const { return running_.runtime; }
  const config::Config& config() const { return running_.config; }
  const BearerRegistry& registry() const { return running_.registry; }
  // Samples the bearer's queue more often for a while. Requires: it has a seat in the registry's meter.
  void look_at(const Record& record) { running_.registry.meter().attend(record.seat); }
  // The error traces that requests may name.
  config::TraceFolder& traces() const;

 private:
  mutable config::TraceFolder traces_;
  Running running_;
  Moves moves_{running_};
  Modes modes_{running_};
  Bearers bearers_;
  Cells cells_{running_, bearers_};
  Reloader reloader_{running_, bearers_, cells_, modes_};
  bool sampling_ = false;  // the meter goes on at the next poll()
  Captures captures_;
  Jobs jobs_;  // last, since jobs under way refer to the parts
};

}  // namespace control
