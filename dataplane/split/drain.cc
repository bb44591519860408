// Connections that are to be split no more: drained, let go, or reset.
#include "dataplane/base/expect.h"
#include "dataplane/flow/track.h"
#include "dataplane/split/proxy.h"

namespace dp {

void SplitProxy::start_drain(SplitFlow& s, bool for_good) noexcept {
  s.life.leaving = s.life.leaving || for_good;
  if (s.life.state == SplitState::drain) return;
  stats_->flows[index(s.life.state)].sub(1);
  s.life.state = SplitState::drain;
  stats_->flows[index(s.life.state)].add(1);
}

// True when it was let go. From there on the server hears from the UE alone, which need not say anything
// before the server has sent more: so the UE's window is advertised to the server now.
bool SplitProxy::drained(SplitFlow& s) noexcept {
  if (s.life.state != SplitState::drain || s.life.acknowledged > s.acked()) return false;
  const Offset edge = s.acked() + Offset{s.flow->window_of(window_field(s, s.acked()))};
  if (s.life.acknowledged < s.acked() || s.life.edge < edge) send_ack(s);
  let_go(s);
  return true;
}

void SplitProxy::drain(bool on, Context& context) noexcept {
  const Visit visit = begin_visit(context);
  draining_ = on;
  for (std::uint32_t i = 0; i < slots_; ++i) {
    SplitFlow& s = *splits_of_[i];
    if (s.flow == nullptr) continue;
    if (on) {
      start_drain(s, false);
      drained(s);
    } else if (s.life.state == SplitState::drain && !s.life.leaving) {
      stats_->flows[index(SplitState::drain)].sub(1);
      s.life.state = SplitState::split;
      stats_->flows[index(SplitState::split)].add(1);
    }
  }
}

void SplitProxy::let_go_or_reset(SplitFlow& s) noexcept {
  s.life.acknowledged > s.acked() ? reset(s, SplitReset::removed) : let_go(s);
}

void SplitProxy::let_all_go(Context& context) noexcept {
  const Visit visit = begin_visit(context);
  for (std::uint32_t i = 0; i < slots_; ++i) {
    if (splits_of_[i]->flow != nullptr) let_go_or_reset(*splits_of_[i]);
  }
}

void SplitProxy::let_go_of(const UeAddress& ue, Context& context) noexcept {
  const Visit visit = begin_visit(context);
  flows_.remove_all_of(ue, [&](Flow& flow) {
    if (SplitFlow* const s = per_flow_[flow.index].split) let_go_or_reset(*s);
    forget(flow);
  });
}

}  // namespace dp
