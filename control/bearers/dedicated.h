// A UE's dedicated bearers among the bearers that exist, and the rules for them that a plan must keep.
#pragma once
#include <string>
#include <vector>

#include "control/bearers/bearer_registry.h"
#include "control/bearers/plan.h"

namespace control {

// The dedicated bearers of the UE that one of its bearers names, in order.
std::vector<dp::UeAddress> dedicated_of(const BearerRegistry& registry, const dp::UeAddress& ue);

// "no bearer 10.45.0.2 qfi 2; the dedicated bearers of 10.45.0.2 are qfi 1 or teid 0x21". Requires: there is
// no such bearer.
std::string no_bearer(const BearerRegistry& registry, const dp::UeAddress& ue);

// Throws Refusal if the plan would give a UE more dedicated bearers than it may have, or two with the same
// downlink TEID, or if a default bearer's tunnel has the QFI of a dedicated bearer.
void admit_dedicated(const Plan& plan, const BearerRegistry& registry);

}  // namespace control
