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
  } else if (want.downlink_teid.value_or(record->downlink_teid) != record->downlink_teid) {
    plan.replace.push_back(std::move(want));
  } else if (record->settings != want.settings || record->cell != want.cell) {
    plan.change.push_back(std::move(want));
  } else if (record->origin != want.origin || want.claim) {
    plan.adopt.push_back(std::move(want));
  } else {
    ++plan.unchanged;
  }
}

bool is_by_qfi(const dp::UeAddress& ue) { return ue.dedicated == dp::Dedicated::by_qfi; }

// Adds the told tunnel for its bearer, and if that is a default one for its UE's bearers by QFI, too: these
// share the tunnel of the PDU session. `made`: the bearers by QFI that the plan makes.
void add_told(const BearerRegistry& running, const std::set<dp::UeAddress>& made,
              const std::set<dp::UeAddress>& removed, const ToldTunnel& told, Plan& plan) {
  plan.tunnels.push_back(told);
  if (told.ue.dedicated != dp::Dedicated::no) return;
  const auto add_for = [&](const dp::UeAddress& bearer) {
    ToldTunnel& shared = plan.tunnels.emplace_back(told);
    shared.ue = bearer;
    shared.qfi = static_cast<std::uint8_t>(bearer.id);
  };
  const auto of_ue = [&](const dp::UeAddress& bearer) {
    return is_by_qfi(bearer) && dp::same_ue(bearer, told.ue);
  };
  for (auto at = running.after(told.ue); at != running.all().end() && of_ue(at->first); ++at) {
    if (!removed.contains(at->first)) add_for(at->first);
  }
  for (auto at = made.upper_bound(told.ue); at != made.end() && of_ue(*at); ++at) add_for(*at);
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
  std::set<dp::UeAddress> made;
  for (; !last.empty(); last.erase(last.begin())) {
    const dp::UeAddress& ue = last.begin()->first;
    if (is_by_qfi(ue) && running.find(ue) == nullptr) made.insert(ue);
    add(running, std::move(last.begin()->second), plan);
    co_await Slices::Pause{};
  }
  for (; !wish.tunnels.empty(); wish.tunnels.pop_front()) {
    add_told(running, made, remove, wish.tunnels.front(), plan);
    co_await Slices::Pause{};
  }
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
