// Refuses a plan for which the table of bearers or a cell has no room. Pure; throws Refusal.
#pragma once
#include <cstdint>

#include "control/bearers/bearer_registry.h"
#include "control/bearers/plan.h"

namespace control {

// `capacity`: bearers that the table holds. A plan that creates none is admitted.
void admit_to_table(const Plan& plan, const BearerRegistry& registry, std::uint32_t capacity);

// Counts the bearers that enter each cell less those that leave it. A plan may move bearers out of a cell and
// into it at once: then their order decides which bearers find a place.
void admit_to_cells(const Plan& plan, const BearerRegistry& registry);

}  // namespace control
