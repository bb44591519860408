#include "control/plan.h"

#include <map>
#include <set>

namespace control {

Plan make_plan(const Registry& running, const Wish& wish) {
  std::map<dp::UeAddress, const Want*> last;
  for (const Want& want : wish.set) last[want.ue] = &want;

  Plan plan;
  for (const auto& [ue, want] : last) {
    const Record* record = running.find(ue);
    if (record == nullptr) {
      plan.create.push_back(*want);
    } else if (record->settings != want->settings) {
      plan.change.push_back(*want);
    } else if (record->origin != want->origin) {
      plan.adopt.push_back(*want);
    } else {
      ++plan.unchanged;
    }
  }
  const std::set<dp::UeAddress> remove(wish.remove.begin(), wish.remove.end());
  for (const dp::UeAddress& ue : remove) {
    if (running.find(ue) != nullptr && !last.contains(ue)) plan.remove.push_back(ue);
  }
  return plan;
}

}  // namespace control
