#include "control/ports/port_state.h"

namespace control {

PortState judge(const dp::PortBinding& binding, const SeenLinks& seen) {
  const std::uint32_t ours = binding.xdp_program;
  const auto foreign = [&](const Link& link) {
    return ours != 0 && link.xdp_program != 0 && link.xdp_program != ours;
  };
  if (!binding.attached) {
    if (seen.named.index == 0) return PortState::gone;
    return foreign(seen.named) ? PortState::program_foreign : PortState::unbound;
  }
  if (seen.bound.index == 0) return binding.still_there ? PortState::up : PortState::gone;
  if (foreign(seen.bound)) return PortState::program_foreign;
  if (ours != 0 && seen.bound.xdp_program == 0) return PortState::program_lost;
  return seen.bound.up && seen.bound.carrier ? PortState::up : PortState::no_carrier;
}

PortStep next_step(PortState state, const dp::PortBinding& binding, const SeenLinks& seen, Gate gate) {
  if (!binding.attached) {
    return seen.named.index != 0 || binding.makes_interface ? PortStep::attach : PortStep::stay;
  }
  switch (state) {
    case PortState::up:
      return gate == Gate::open ? PortStep::stay : PortStep::open;
    // Another user's program stays where it is: closing the device would take it off.
    case PortState::no_carrier:
    case PortState::program_foreign:
      return gate == Gate::muted ? PortStep::stay : PortStep::mute;
    default:
      return gate == Gate::closed ? PortStep::detach : PortStep::let_go;
  }
}

PortState state_of(const PortView& view, bool carrier_up) {
  if (view.watched) return view.state;
  return carrier_up ? PortState::up : PortState::no_carrier;
}

}  // namespace control
