#include "control/bearers/dedicated.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/core.h>

#include "config/dedicated.h"
#include "config/notation/words.h"
#include "control/bearers/refusal.h"
#include "dataplane/base/expect.h"
#include "dataplane/packet/gtp_u.h"

namespace control {
namespace {

using Downlinks = std::map<dp::UeAddress, std::uint32_t>;  // the downlink TEID of each dedicated bearer

bool is_dedicated(const dp::UeAddress& ue) { return ue.dedicated != dp::Dedicated::no; }

[[noreturn]] void refuse_plan(const std::string& why) { throw Refusal(Refusal::Why::bad_bearer, why); }

// The dedicated bearers of UEs after a plan.
class Afterwards {
 public:
  Afterwards(const Plan& plan, const BearerRegistry& registry)
      : registry_(registry), removed_(plan.remove.begin(), plan.remove.end()) {
    for (const std::deque<Want>* wants : {&plan.create, &plan.replace}) {
      for (const Want& want : *wants) {
        if (is_dedicated(want.ue)) of(want.ue)[want.ue] = want.downlink_teid.value_or(0);
      }
    }
    for (const ToldTunnel& told : plan.tunnels) {
      const bool names = told.ue.dedicated == dp::Dedicated::by_teid;
      if (names && told.direction == dp::Direction::downlink) of(told.ue)[told.ue] = told.tunnel.teid;
    }
  }

  // By UE: those whose bearers the plan concerns.
  const std::map<dp::UeAddress, Downlinks>& all() const { return ues_; }
  bool exists(const dp::UeAddress& bearer) {
    const auto at = ues_.find(dp::default_bearer_of(bearer));
    if (at != ues_.end() && at->second.contains(bearer)) return true;
    return registry_.find(bearer) != nullptr && !removed_.contains(bearer);
  }

 private:
  Downlinks& of(const dp::UeAddress& bearer) {
    const auto [at, fresh] = ues_.try_emplace(dp::default_bearer_of(bearer));
    if (!fresh) return at->second;
    for (const dp::UeAddress& one : dedicated_of(registry_, bearer)) {
      if (!removed_.contains(one)) at->second[one] = registry_.find(one)->downlink_teid;
    }
    return at->second;
  }

  const BearerRegistry& registry_;
  std::map<dp::UeAddress, Downlinks> ues_;
  std::set<dp::UeAddress> removed_;
};

void check_downlinks(const dp::UeAddress& ue, const Downlinks& downlinks, const BearerRegistry& registry) {
  std::map<std::uint32_t, dp::UeAddress> by_teid;
  for (const auto& [bearer, teid] : downlinks) {
    if (teid == 0) continue;
    const auto [at, fresh] = by_teid.emplace(teid, bearer);
    if (fresh) continue;
    refuse_plan(fmt::format("two bearers of {} would have the downlink TEID {}, {} and {}; give each its own",
                            registry.text_of(ue), config::teid_text(teid), config::selector_text(at->second),
                            config::selector_text(bearer)));
  }
}

}  // namespace

std::vector<dp::UeAddress> dedicated_of(const BearerRegistry& registry, const dp::UeAddress& ue) {
  std::vector<dp::UeAddress> found;
  const auto end = registry.all().end();
  for (auto at = registry.after(dp::default_bearer_of(ue)); at != end && dp::same_ue(at->first, ue); ++at) {
    found.push_back(at->first);
  }
  return found;
}

std::string no_bearer(const BearerRegistry& registry, const dp::UeAddress& ue) {
  DP_EXPECT(registry.find(ue) == nullptr);
  std::vector<std::string> names;
  for (const dp::UeAddress& one : dedicated_of(registry, ue)) names.push_back(config::selector_text(one));
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::string none = "no bearer " + registry.text_of(ue);
  if (!is_dedicated(ue)) {
    return names.empty() ? none : none + "; it has dedicated bearers alone: " + config::one_of(views);
  }
  const std::string whose = registry.text_of(dp::default_bearer_of(ue));
  if (names.empty()) return fmt::format("{}; {} has no dedicated bearer", none, whose);
  return fmt::format("{}; the dedicated bearers of {} are {}", none, whose, config::one_of(views));
}

void admit_dedicated(const Plan& plan, const BearerRegistry& registry) {
  Afterwards afterwards(plan, registry);
  for (const auto& [ue, downlinks] : afterwards.all()) {
    if (downlinks.size() > dp::kMostDedicatedBearers) {
      refuse_plan(
          fmt::format("{} would have {} dedicated bearers, at most {} are possible; remove some first",
                      registry.text_of(ue), downlinks.size(), dp::kMostDedicatedBearers));
    }
    check_downlinks(ue, downlinks, registry);
  }
  for (const ToldTunnel& told : plan.tunnels) {
    if (is_dedicated(told.ue) || told.qfi == dp::GtpUChain::kNoQfi) continue;
    const dp::UeAddress with_qfi = dp::dedicated_by_qfi(told.ue, told.qfi);
    if (!afterwards.exists(with_qfi)) continue;
    refuse_plan(
        fmt::format("the tunnel of {} has the QFI {}, which is that of its dedicated bearer {}; leave "
                    "it out, or give the QFI of the packets of its default bearer",
                    registry.text_of(told.ue), told.qfi, registry.text_of(with_qfi)));
  }
}

}  // namespace control
