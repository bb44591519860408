// The state of a port, from the kernel's reports about interfaces.
#include "control/ports/port_state.h"

#include <gtest/gtest.h>

namespace control {
namespace {

dp::PortBinding bound(std::uint32_t program = 0) {
  dp::PortBinding binding;
  binding.interface = "d0";
  binding.attached = true;
  binding.index = 7;
  binding.xdp_program = program;
  return binding;
}
dp::PortBinding detached(std::uint32_t program = 0) {
  dp::PortBinding binding = bound(program);
  binding.attached = false;
  return binding;
}
Link link(std::uint32_t program = 0, unsigned index = 7) {
  Link one;
  one.index = index;
  one.name = "d0";
  one.up = one.carrier = true;
  one.xdp_program = program;
  return one;
}

TEST(PortState, ABoundInterfaceWithACarrierIsUp) {
  EXPECT_EQ(judge(bound(), {link(), link()}), PortState::up);
  EXPECT_EQ(judge(bound(5), {link(5), link(5)}), PortState::up);
}

TEST(PortState, OneThatIsDownOrHasNoCarrierPassesNothing) {
  Link down = link(), idle = link();
  down.up = false;
  idle.carrier = false;
  EXPECT_EQ(judge(bound(), {down, down}), PortState::no_carrier);
  EXPECT_EQ(judge(bound(), {idle, idle}), PortState::no_carrier);
}

TEST(PortState, AnInterfaceThatIsGoneIsGoneThoughAnotherHasItsName) {
  EXPECT_EQ(judge(bound(), {Link{}, Link{}}), PortState::gone);
  EXPECT_EQ(judge(bound(5), {Link{}, link(0, 8)}), PortState::gone);
}

TEST(PortState, AnInterfaceThatOnlyChangedItsNameIsUp) {
  Link renamed = link();
  renamed.name = "wan";
  EXPECT_EQ(judge(bound(), {renamed, Link{}}), PortState::up);
}

TEST(PortState, ATapThatLivesInAnotherNamespaceIsUp) {
  dp::PortBinding tap = bound();
  tap.makes_interface = tap.still_there = true;
  EXPECT_EQ(judge(tap, {Link{}, Link{}}), PortState::up);
  tap.still_there = false;
  EXPECT_EQ(judge(tap, {Link{}, Link{}}), PortState::gone);
}

TEST(PortState, ProgramsAreToldApartByTheirIds) {
  EXPECT_EQ(judge(bound(5), {link(0), link(0)}), PortState::program_lost);
  EXPECT_EQ(judge(bound(5), {link(6), link(6)}), PortState::program_foreign);
  EXPECT_EQ(judge(bound(), {link(6), link(6)}), PortState::up) << "a port that needs none";
}

TEST(PortState, WithoutADeviceTheInterfaceOfTheConfiguredNameCounts) {
  EXPECT_EQ(judge(detached(5), {Link{}, Link{}}), PortState::gone);
  EXPECT_EQ(judge(detached(5), {Link{}, link(0, 8)}), PortState::unbound);
  EXPECT_EQ(judge(detached(5), {Link{}, link(5, 8)}), PortState::unbound) << "ours came back with it";
  EXPECT_EQ(judge(detached(5), {Link{}, link(6, 8)}), PortState::program_foreign);
}

TEST(PortStep, TheWorkerIsToldOncePerState) {
  const SeenLinks seen{link(), link()};
  EXPECT_EQ(next_step(PortState::up, bound(), seen, Gate::open), PortStep::stay);
  EXPECT_EQ(next_step(PortState::up, bound(), seen, Gate::muted), PortStep::open);
  EXPECT_EQ(next_step(PortState::up, bound(), seen, Gate::closed), PortStep::open);
  EXPECT_EQ(next_step(PortState::no_carrier, bound(), seen, Gate::open), PortStep::mute);
  EXPECT_EQ(next_step(PortState::no_carrier, bound(), seen, Gate::muted), PortStep::stay);
}

TEST(PortStep, ADeadDeviceIsClosedWhenTheWorkerHasLetGo) {
  for (const PortState dead : {PortState::gone, PortState::program_lost}) {
    EXPECT_EQ(next_step(dead, bound(5), {}, Gate::open), PortStep::let_go);
    EXPECT_EQ(next_step(dead, bound(5), {}, Gate::muted), PortStep::let_go);
    EXPECT_EQ(next_step(dead, bound(5), {}, Gate::closed), PortStep::detach);
  }
}

TEST(PortStep, TheProgramOfSomebodyElseIsNotClosedUponButWaitedFor) {
  const SeenLinks seen{link(6), link(6)};
  EXPECT_EQ(next_step(PortState::program_foreign, bound(5), seen, Gate::open), PortStep::mute);
  EXPECT_EQ(next_step(PortState::program_foreign, bound(5), seen, Gate::muted), PortStep::stay);
}

TEST(PortStep, WhatIsBackIsBoundAgainAndATapIsMade) {
  EXPECT_EQ(next_step(PortState::gone, detached(), {}, Gate::closed), PortStep::stay);
  EXPECT_EQ(next_step(PortState::unbound, detached(), {Link{}, link(0, 8)}, Gate::closed), PortStep::attach);
  dp::PortBinding tap = detached();
  tap.makes_interface = true;
  EXPECT_EQ(next_step(PortState::gone, tap, {}, Gate::closed), PortStep::attach);
}

TEST(PortState, ADeviceWithoutAnInterfaceIsWhatItsDriverSays) {
  EXPECT_EQ(state_of({}, true), PortState::up);
  EXPECT_EQ(state_of({}, false), PortState::no_carrier);
  PortView gone;
  gone.watched = true;
  gone.state = PortState::gone;
  EXPECT_EQ(state_of(gone, true), PortState::gone);
}

}  // namespace
}  // namespace control
