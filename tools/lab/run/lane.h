// One direction of a wire in a simulation: the frames in transit, in the order in which they come out, and a
// timer for the first. Owned by the simulation.
#pragma once
#include "dataplane/packet/sdu_list.h"
#include "tools/lab/run/event_heap.h"
#include "tools/lab/run/line.h"

namespace lab {

class Simulation;
using LabTimer = EventTimer<Simulation>;

class Lane : public LabTimer {
 public:
  // The destination of its frames: the worker's core or radio port, the servers, a UE, or another lane.
  enum class End : std::uint8_t { core, radio, servers, ue };
  Lane(const Wire& wire, End end, const dp::Rng& rng, Lane* next = nullptr);

  // Takes ownership of the frame.
  void enter(dp::Sdu& sdu, Simulation& simulation);
  std::size_t travelling() const noexcept { return frames_.size(); }

 private:
  static void fire(LabTimer& timer, dp::Time deadline, Simulation& simulation);

  void let_out(dp::Sdu& sdu, Simulation& simulation);

  Line line_;
  End end_;
  Lane* next_;  // null: none
  const std::string& name_;
  dp::SduList frames_;  // Sdu::arrival: time at which it comes out
};

}  // namespace lab
