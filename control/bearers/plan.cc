#include "control/bearers/plan.h"

#include <map>
#include <set>
#include <utility>

#include "dataplane/base/expect.h"

namespace control {
namespace {

void add(const BearerRegistry& running, Want want, Plan& plan) {
  const Record* record = running.find(want.ue);
  if (record == nullptr) {
    plan.create.push_back(std::move(want));
  } else if (record->settings != want.settings || record->cell != want.cell) {
    plan.change.push_back(std::move(want));
  } else if (record->origin != want.origin) {
    plan.adopt.push_back(std::move(want));
  } else {
    ++plan.unchanged;
  }
}

}  // namespace

Slices make_plan(const BearerRegistry& running, Wish& wish, Plan& plan) {
  DP_EXPECT(plan.empty());
  std::map<dp::UeAddress, Want> last;
  for (; !wish.set.empty(); wish.set.pop_front()) {
    // Wishes mostly come in order.
    last.insert_or_assign(last.end(), wish.set.front().ue, std::move(wish.set.front()));
    co_await Slices::Pause{};
  }
  std::set<dp::UeAddress> remove;
  for (const dp::UeAddress& ue : wish.remove) {
    if (!last.contains(ue)) remove.insert(ue);
    co_await Slices::Pause{};
  }
  for (; !last.empty(); last.erase(last.begin())) {
    add(running, std::move(last.begin()->second), plan);
    co_await Slices::Pause{};
  }
  plan.tunnels = std::move(wish.tunnels);
  for (; !remove.empty(); remove.erase(remove.begin())) {
    if (running.find(*remove.begin()) != nullptr) plan.remove.push_back(*remove.begin());
    co_await Slices::Pause{};
  }
}

Plan make_plan(const BearerRegistry& running, Wish wish) {
  Plan plan;
  make_plan(running, wish, plan).finish();
  return plan;
}

}  // namespace control
