// The congestion controls. A new one is a file beside this and its name in the list: configuration, help,
// reference table and contract tests follow from it.
// Tests: tests/unit/tcp/congestion_test.cc
#pragma once
#include <variant>

#include "dataplane/base/typelist.h"
#include "dataplane/tcp/control.h"
#include "dataplane/tcp/cubic.h"
#include "dataplane/tcp/newreno.h"
#include "dataplane/tcp/reno.h"
#include "dataplane/tcp/sack_reno.h"
#include "dataplane/tcp/tahoe.h"
#include "dataplane/tcp/westwood_nr.h"

namespace dp {

using CongestionList = TypeList<Tahoe, Reno, NewReno, SackReno, WestwoodNr, Cubic>;

using AnyCongestion = CongestionList::Variant;
using CongestionConfig = CongestionList::Configs;

inline Recovery recovery_of(const AnyCongestion& control) {
  return std::visit([](const auto& c) { return c.kRecovery; }, control);
}

template <CongestionControl... Cs>
constexpr bool all_are_controls(TypeList<Cs...>) {
  return true;
}
static_assert(all_are_controls(CongestionList{}));

}  // namespace dp
