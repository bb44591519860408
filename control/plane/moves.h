// Moves bearers from one worker to another: by request, and when the loads of the workers are far apart
// (balancer.h). Owns the balancer, and the counts of all moves. Belongs to the control thread.
#pragma once
#include <cstdint>
#include <functional>

#include "control/loop/client.h"
#include "control/loop/slices.h"
#include "control/plane/balancer.h"
#include "control/plane/moved.h"
#include "control/plane/running.h"

namespace control {

class Moves {
 public:
  // Called once, from Jobs::poll() or from the call itself; receives the worker before.
  using OnMoved = std::function<void(Ended<unsigned>)>;

  explicit Moves(Running& running) : running_(running), balancer_(running.registry, running.sender) {}

  // Moves the UE's bearer to that worker, with everything it holds; nothing of it is lost or overtaken. The
  // bearer is there when this ends. Refused for a bearer in a cell, which stays on the cell's worker.
  void move(const dp::UeAddress& ue, unsigned worker, OnMoved done, Client client = Client());
  // To be called once a second with the load of the workers. Moves bearers when loads are far apart.
  void see_load(const BusyRatios& busy) { balancer_.tick(busy, running_.config.dataplane.rebalance); }
  // Works on rebalancing until the time has come.
  void poll(Slices::Clock::time_point until);
  // Work waits for the next poll().
  bool ready() const { return balancer_.ready(); }

  // Counts moves that others have made.
  void count(MovedFor why, std::uint64_t bearers) { counts_[dp::index(why)] += bearers; }
  const MovedCounts& counts() const { return counts_; }
  // The worker that has the UE's bearer, or would have it.
  unsigned worker_of(const dp::UeAddress& ue) const { return running_.sender.worker_of(ue); }

 private:
  void move_for(MovedFor why, const dp::UeAddress& ue, unsigned worker, OnMoved done, Client client);
  void rebalance(const Rebalancing& found);
  void admit(const dp::UeAddress& ue, const dp::Bearer& bearer, unsigned worker) const;
  void admit_frames(const dp::UeAddress& ue, const dp::Bearer& bearer, unsigned worker) const;

  Running& running_;
  Balancer balancer_;
  MovedCounts counts_{};
};

}  // namespace control
