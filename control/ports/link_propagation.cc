#include "control/ports/link_propagation.h"

#include <algorithm>

#include "dataplane/base/expect.h"

namespace control {
namespace {

using dp::Side;
using Do = LinkStep::Do;

LinkStep due_at(LinkPropagation::Time due, LinkPropagation::Time now, LinkStep step) {
  if (now >= due) return step;
  return {Do::nothing, {}, {}, due};
}

}  // namespace

// A tap in another network namespace is up, although its interface cannot be seen.
LinkEnd link_end(const PortView& view) {
  LinkEnd end;
  end.watched = view.watched;
  end.passes = view.state == PortState::up;
  end.up = view.link.up;
  end.carrier = end.passes || (view.link.index != 0 && view.link.up && view.link.carrier);
  end.index = view.link.index;
  return end;
}

LinkPropagation::LinkPropagation(Time now) {
  for (Past& one : past_) one.began = one.since = now;
}

void LinkPropagation::see(const Ends& ends, Time now) {
  for (const Side side : dp::kSides) {
    const bool carrier = ends[dp::index(side)].carrier;
    Past& one = past(side);
    if (one.carrier != carrier) one.since = now;
    one.carrier = carrier;
    one.settled = one.settled || carrier;
  }
}

LinkStep LinkPropagation::next(bool wanted, const Ends& ends, Time now) const {
  if (taken_) return next_taken(wanted, ends, now);
  LinkStep later;
  if (!wanted || !ends[0].watched || !ends[1].watched) return later;
  for (const Side cause : dp::kSides) {
    const Side victim = opposite(cause);
    const LinkEnd& other = ends[dp::index(victim)];
    if (ends[dp::index(cause)].carrier || !other.passes || other.index == 0) continue;
    const Time settled = past(cause).settled ? Time{} : past(cause).began + kSettle;
    const Time due = std::max(settled, past(victim).changed + kHold);
    const LinkStep step = due_at(
        due, now, {Do::take_down, victim, "the other port's interface is down, has no carrier or is gone"});
    if (step.what != Do::nothing) return step;
    later.again = std::min(later.again, step.again);
  }
  return later;
}

LinkStep LinkPropagation::next_taken(bool wanted, const Ends& ends, Time now) const {
  const LinkEnd& own = ends[dp::index(*taken_)];
  const Past& cause = past(opposite(*taken_));
  const Time held = past(*taken_).changed + kHold;
  const auto bring_up = [&](Time due, std::string_view why) {
    return due_at(due, now, {Do::bring_up, *taken_, why});
  };
  if (!wanted) return bring_up(held, "dataplane.link_propagation is off");
  if (own.index != index_) return bring_up(held, "it is gone");
  if (own.up) return bring_up(held, "somebody else has brought it up");
  if (cause.carrier) return bring_up(std::max(held, cause.since + kHold), "the other port's is back");
  return {};
}

void LinkPropagation::took(Side side, unsigned index, Time now) {
  DP_EXPECT(!taken_);
  taken_ = side;
  index_ = index;
  past(side).changed = now;
}

void LinkPropagation::gave_back(Time now) {
  DP_EXPECT(taken_);
  Past& one = past(*taken_);
  one.changed = one.began = now;
  one.settled = false;
  taken_.reset();
}

}  // namespace control
