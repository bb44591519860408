#include "control/bearers/admission.h"

#include <deque>
#include <map>

#include <fmt/core.h>

#include "config/notation/words.h"
#include "control/bearers/cell_records.h"
#include "control/bearers/refusal.h"

namespace control {
namespace {

std::map<const CellRecord*, std::int64_t> balance_of_cells(const Plan& plan, const BearerRegistry& registry) {
  std::map<const CellRecord*, std::int64_t> sum;
  const auto leaves = [&](const dp::UeAddress& ue) {
    const Record* record = registry.find(ue);
    if (record != nullptr && record->cell != nullptr) --sum[record->cell];
  };
  for (const dp::UeAddress& ue : plan.remove) leaves(ue);
  for (const std::deque<Want>* wants : {&plan.create, &plan.change, &plan.replace}) {
    for (const Want& want : *wants) {
      leaves(want.ue);
      if (want.cell != nullptr) ++sum[want.cell];
    }
  }
  return sum;
}

}  // namespace

void admit_to_table(const Plan& plan, const BearerRegistry& registry, std::uint32_t capacity) {
  const std::size_t after = registry.size() + plan.create.size() - plan.remove.size();
  if (plan.create.empty() || after <= capacity) return;
  throw Refusal(Refusal::Why::table_full, fmt::format("{} bearers exist and {} would be added, the table "
                                                      "holds {}; raise dataplane.max_bearers and restart",
                                                      registry.size(), plan.create.size(), capacity));
}

void admit_to_cells(const Plan& plan, const BearerRegistry& registry) {
  for (const auto& [cell, more] : balance_of_cells(plan, registry)) {
    const std::int64_t taken = cell->cell->reserved(), capacity = cell->cell->capacity();
    if (more <= 0 || taken + more <= capacity) continue;
    throw Refusal(Refusal::Why::cell_full,
                  fmt::format("the cell {} has {}, {} taken, and {} more would be", cell->name,
                              config::counted(cell->cell->capacity(), "place"), taken, more));
  }
}

}  // namespace control
