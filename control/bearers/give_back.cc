#include "control/bearers/give_back.h"

#include "control/bearers/admission.h"
#include "control/bearers/cell_records.h"

namespace control {
namespace {

void leave_to_a_program(const dp::UeAddress& ue, const Record& record, Claim::Clock::time_point now,
                        Wish& wish) {
  const Claim free{.keeper = Keeper::nobody, .until = now + kUntilTaken, .made = true};
  wish.set.push_back({ue, record.settings, record.origin, record.cell, std::nullopt, free});
}

// The bearer keeps its settings if those of its class want a cell, and it is in none.
void return_to_class(const dp::UeAddress& ue, const Record& record, const SharedSettings& of_class,
                     Wish& wish) {
  CellRecord* const cell = dp::uses_cell(*of_class) ? record.cell : nullptr;
  const SharedSettings& settings = fits(*of_class, cell) ? of_class : record.settings;
  wish.set.push_back(
      {ue, settings, record.origin, settings == of_class ? cell : record.cell, std::nullopt, Claim{}});
}

}  // namespace

const char* give_back(const BearerRegistry& registry, const dp::UeAddress& ue, const SharedSettings& of_class,
                      Claim::Clock::time_point now, Wish& wish) {
  const Record* const record = registry.find(ue);
  if (record == nullptr) return nullptr;
  const Claim* const claim = registry.claims().find(ue);
  if (claim == nullptr && record->origin != Origin::socket) return nullptr;
  if (claim != nullptr && !claim->made) {
    return_to_class(ue, *record, of_class, wish);
    return "returned to its class";
  }
  if (claim == nullptr || claim->keeper == Keeper::by_hand) {
    leave_to_a_program(ue, *record, now, wish);
    return "left to a program";
  }
  wish.remove.push_back(ue);
  return "removed";
}

}  // namespace control
