#include "tools/lab/lane.h"

#include "tools/lab/simulation.h"

namespace lab {

Lane::Lane(const Wire& wire, End end, const dp::Rng& rng)
    : LabTimer(&Lane::fire), line_(wire, rng), end_(end), name_(wire.name) {}

void Lane::enter(dp::Sdu& sdu, Simulation& simulation) {
  const Line::Passage passage = line_.pass(simulation.now(), sdu.ip_len);
  if (passage.fate != Line::Fate::through) return simulation.lost(sdu, name_);
  sdu.arrival = passage.out;
  const bool first = frames_.empty();
  frames_.push(sdu);
  if (first) simulation.arm(*this, passage.out);
}

void Lane::fire(LabTimer& timer, dp::Time deadline, Simulation& simulation) {
  auto& lane = static_cast<Lane&>(timer);
  while (!lane.frames_.empty() && lane.frames_.front()->arrival <= deadline) {
    dp::Sdu& sdu = lane.frames_.pop();
    simulation.come_out(sdu, lane.end_);
  }
  if (!lane.frames_.empty()) simulation.arm(lane, lane.frames_.front()->arrival);
}

}  // namespace lab
