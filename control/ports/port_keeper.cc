#include "control/ports/port_keeper.h"

#include <algorithm>
#include <exception>
#include <utility>

#include <fmt/core.h>

#include "control/loop/log.h"

namespace control {
namespace {

using dp::Side;

// An attempt that fails in the driver may cost memory: attempts become rarer.
constexpr unsigned kMostDoublings = 5;

}  // namespace

PortKeeper::PortKeeper(EventLoop& loop, DataPlane& plane, TakenLink taken, Check check, Check unfit,
                       std::function<void()> changed)
    : plane_(plane),
      check_(std::move(check)),
      unfit_(std::move(unfit)),
      changed_(std::move(changed)),
      links_(loop, [this](const std::vector<unsigned>& deleted) { on_change(deleted); }),
      taken_(std::move(taken)),
      binder_(std::make_unique<PortBinder>(loop)) {
  for (const Side side : dp::kSides)
    port(side).view.watched = !plane_.runtime().binding(side).interface.empty();
  tick();
}

void PortKeeper::tick() {
  look_at_both();
  judge_bound();
}

void PortKeeper::look_at_both() {
  for (const Side side : dp::kSides) look(side);
  propagate();
}

// An offload, another channel or a larger MTU may come while the port is bound. The kernel notifies of a
// change, to the interface or to a veth's peer, but does not name it.
void PortKeeper::judge_bound() {
  for (const Side side : dp::kSides) {
    Port& p = port(side);
    if (!p.unsure || binder_ == nullptr || binder_->busy()) continue;
    if (!p.view.watched || p.view.state != PortState::up || p.gate != Gate::open) continue;
    p.unsure = false;
    binder_->start(
        [this, side] {
          try {
            judgement_ = unfit_(side);
          } catch (const std::exception& e) {
            judgement_ = e.what();
          }
        },
        [this, side] { note_judgement(side); });
  }
}

void PortKeeper::note_judgement(Side side) {
  PortView& view = port(side).view;
  if (std::exchange(view.unfit, judgement_) != judgement_) {
    if (view.unfit.empty()) {
      log::info(Event::port_fit, {{"port", dp::name(side)}});
    } else {
      log::warning(Event::port_unfit, {{"port", dp::name(side)}, {"problem", view.unfit}});
    }
    changed_();
  }
  look_at_both();
}

void PortKeeper::stop() {
  binder_.reset();
  propagate_again_ = Clock::time_point::max();
  if (taken_.index() == 0) return;
  const auto done = taken_.give_back();
  if (!done) return log::error(Event::link_not_propagated, {{"error", done.error().message}});
  if (propagation_.taken()) note_propagated(*propagation_.taken(), false, "rncd ends");
}

void PortKeeper::on_change(const std::vector<unsigned>& deleted) {
  for (const Side side : dp::kSides) {
    const unsigned index = plane_.runtime().binding(side).index;
    if (std::find(deleted.begin(), deleted.end(), index) != deleted.end()) port(side).deleted = true;
    port(side).unsure = true;
  }
  look_at_both();
}

void PortKeeper::look(Side side) {
  Port& p = port(side);
  // While its device is being closed or opened, its state is not known.
  if (!p.view.watched || (binder_ != nullptr && binder_->busy() && outcome_.side == side)) return;
  const dp::PortBinding binding = plane_.runtime().binding(side);
  auto bound = links_.by_index(binding.index);
  auto named = links_.by_name(binding.interface);
  if (!bound || !named) return;
  if (p.deleted) *bound = Link{};
  SeenLinks seen{std::move(*bound), std::move(*named)};
  if (seen != p.seen) p.next_try = {};
  const SeenLinks was = std::exchange(p.seen, std::move(seen));
  if (binding.attached) note_changes(side, was.bound, p.seen.bound);
  if (!binding.attached) p.view.unfit.clear();
  p.view.link = binding.attached ? p.seen.bound : p.seen.named;
  note_state(side, judge(binding, p.seen));
  step(side);
}

void PortKeeper::step(Side side) {
  Port& p = port(side);
  if (p.waiting || binder_ == nullptr) return;
  const dp::PortBinding binding = plane_.runtime().binding(side);
  switch (next_step(p.view.state, binding, p.seen, p.gate)) {
    case PortStep::stay:
      return;
    case PortStep::open:
      return tell(side, Gate::open, {side, true, binding.limit});
    case PortStep::mute:
      return tell(side, Gate::muted, {side, true, dp::kPortDown});
    case PortStep::let_go:
      return tell(side, Gate::closed, {side, false, dp::kPortDown});
    case PortStep::detach:
      return bind(side, false);
    case PortStep::attach:
      if (Clock::now() >= p.next_try) bind(side, true);
  }
}

void PortKeeper::tell(Side side, Gate gate, const dp::SetPort& command) {
  port(side).waiting = true;
  plane_.set_port(command, [this, side, gate] {
    port(side).waiting = false;
    port(side).gate = gate;
    look(side);
  });
}

// The other port's turn comes when this one's job is done.
void PortKeeper::bind(Side side, bool attach) {
  if (binder_->busy()) return;
  outcome_ = {side, attach, {}, false};
  binder_->start(
      [this] { outcome_.attach ? this->attach(outcome_) : plane_.runtime().detach(outcome_.side); },
      [this] { on_bound(); });
}

// Runs on the binder's thread.
void PortKeeper::attach(Outcome& outcome) {
  try {
    outcome.complaint = check_(outcome.side);
  } catch (const std::exception& e) {
    outcome.complaint = e.what();
  }
  if (!outcome.complaint.empty()) return;
  outcome.tried = true;
  if (const auto done = plane_.runtime().attach(outcome.side); !done)
    outcome.complaint = done.error().message;
}

void PortKeeper::on_bound() {
  const Outcome outcome = std::exchange(outcome_, {});
  Port& p = port(outcome.side);
  const dp::PortBinding binding = plane_.runtime().binding(outcome.side);
  if (!outcome.complaint.empty()) {
    note_refusal(p, outcome);
  } else if (outcome.attach) {
    ++p.view.rebinds;
    p.view.reason.clear();
    p.failures = 0;
    p.gate = Gate::closed;
    p.deleted = false;
    log::info(Event::port_bound, {{"port", dp::name(outcome.side)},
                                  {"device", plane_.runtime().port(outcome.side).device},
                                  {"index", binding.index},
                                  {"xdp_program", binding.xdp_program},
                                  {"description", plane_.runtime().port(outcome.side).description}});
  }
  changed_();
  look_at_both();
}

void PortKeeper::note_refusal(Port& p, const Outcome& outcome) {
  if (outcome.tried) p.failures = std::min(p.failures + 1, kMostDoublings);
  p.next_try = Clock::now() + std::chrono::milliseconds(900) * (1u << p.failures);
  if (std::exchange(p.view.reason, outcome.complaint) == outcome.complaint) return;
  log::warning(Event::port_not_bound, {{"port", dp::name(outcome.side)}, {"reason", outcome.complaint}});
}

void PortKeeper::note_state(Side side, PortState state) {
  Port& p = port(side);
  const PortState was = std::exchange(p.view.state, state);
  if (was == state) return;
  log::write(state == PortState::up ? log::Level::info : log::Level::warning, Event::port_state,
             {{"port", dp::name(side)},
              {"device", plane_.runtime().port(side).device},
              {"state", name(state)},
              {"was", name(was)},
              {"meaning", kPortStateTexts[dp::index(state)]},
              {"index", p.view.link.index},
              {"xdp_program", p.view.link.xdp_program}});
  changed_();
}

// The reasons to take an interface down are examined while no other work is done on it.
void PortKeeper::propagate() {
  propagate_again_ = Clock::time_point::max();
  if (binder_ == nullptr || binder_->busy()) return;
  const LinkPropagation::Ends ends{link_end(ports_[0].view), link_end(ports_[1].view)};
  const auto now = Clock::now();
  propagation_.see(ends, now);
  const LinkStep step = propagation_.next(plane_.config().dataplane.link_propagation, ends, now);
  propagate_again_ = step.again;
  if (step.what == LinkStep::Do::nothing) return;
  const bool down = step.what == LinkStep::Do::take_down;
  const unsigned index = ends[dp::index(step.side)].index;
  binder_->start([this, down, index] { propagated_ = down ? taken_.take(index) : taken_.give_back(); },
                 [this, step, index] { on_propagated(step, index); });
}

void PortKeeper::on_propagated(const LinkStep& step, unsigned index) {
  const bool down = step.what == LinkStep::Do::take_down;
  if (!propagated_) {
    propagation_.tried(step.side, Clock::now());
    const std::string& error = propagated_.error().message;
    if (std::exchange(not_propagated_, error) != error) {
      log::warning(Event::link_not_propagated, {{"port", dp::name(step.side)}, {"error", error}});
    }
  } else {
    not_propagated_.clear();
    down ? propagation_.took(step.side, index, Clock::now()) : propagation_.gave_back(Clock::now());
    note_propagated(step.side, down, step.why);
  }
  look_at_both();
}

void PortKeeper::note_propagated(Side side, bool down, std::string_view why) {
  Port& p = port(side);
  p.view.taken_down.clear();
  if (down) {
    p.view.taken_down = fmt::format(
        "port {}: rncd has taken its interface down, since {} (port {}); rncd brings it up when that is back "
        "(dataplane.link_propagation)",
        dp::name(side), why, dp::name(opposite(side)));
  }
  log::write(down ? log::Level::warning : log::Level::info, Event::link_propagated,
             {{"port", dp::name(side)},
              {"device", plane_.runtime().port(side).device},
              {"change", down ? "down" : "up"},
              {"why", why},
              {"other", dp::name(opposite(side))},
              {"other_state", name(port(opposite(side)).view.state)}});
  changed_();
}

// Logs changes of the same interface: a new name does no harm, another MTU or address may.
void PortKeeper::note_changes(Side side, const Link& was, const Link& is) {
  if (was.index == 0 || was.index != is.index) return;
  if (was.name == is.name && was.mtu == is.mtu && was.address == is.address) return;
  log::info(Event::port_changed, {{"port", dp::name(side)},
                                  {"interface", is.name},
                                  {"mtu", is.mtu},
                                  {"address", is.address},
                                  {"was_interface", was.name},
                                  {"was_mtu", was.mtu},
                                  {"was_address", was.address}});
}

}  // namespace control
