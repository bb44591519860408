#include "tools/lab/run/lane.h"

#include "tools/lab/run/simulation.h"

namespace lab {

Lane::Lane(const Wire& wire, End end, const dp::Rng& rng, Lane* next)
    : LabTimer(&Lane::fire), line_(wire, rng), end_(end), next_(next), name_(wire.name) {}

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
    lane.let_out(lane.frames_.pop(), simulation);
  }
  if (!lane.frames_.empty()) simulation.arm(lane, lane.frames_.front()->arrival);
}

void Lane::let_out(dp::Sdu& sdu, Simulation& simulation) {
  if (next_ != nullptr) return next_->enter(sdu, simulation);
  switch (end_) {
    case End::core:
      return simulation.into_worker(dp::Side::core, sdu);
    case End::radio:
      return simulation.into_worker(dp::Side::radio, sdu);
    case End::servers:
      return simulation.to_server(sdu);
    case End::ue:
      return simulation.to_ue(sdu);
  }
}

}  // namespace lab
