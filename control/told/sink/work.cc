#include "control/told/sink/work.h"

#include "dataplane/base/address.h"

namespace control::told {
namespace {

Json members_shown() {
  return {"owner",       "class",           "downlink.rate", "uplink.rate",        "downlink.gate",
          "uplink.gate", "downlink.tunnel", "uplink.tunnel", "uplink.idle_seconds"};
}

}  // namespace

RncdCall call_of(const Work& work, const SetTerms& terms) {
  Json params{{"owner", work.owner}};
  if (work.kind == Work::Kind::list) {
    params["members"] = members_shown();
    params["limit"] = WorkPlan::kMostOfPass;
    if (!work.cursor.empty()) params["cursor"] = work.cursor;
    return {"bearer.list", std::move(params)};
  }
  Json entries = Json::array();
  if (work.kind == Work::Kind::remove) {
    for (const WorkItem& item : work.items) entries.push_back(name_json(item.wanted.bearer));
    params["ues"] = std::move(entries);
    return {"bearer.remove", std::move(params)};
  }
  for (const WorkItem& item : work.items) entries.push_back(params_of(item.wanted, item.with_tunnel));
  params["bearers"] = std::move(entries);
  params["ttl"] = terms.ttl_s;
  params["generation"] = terms.generation;
  return {"bearer.set", std::move(params)};
}

// A UE may move from one owner to another: its bearers are then removed and set.
bool WorkPlan::has_room() const noexcept {
  return entries_ + 2 * (1 + std::size_t{dp::kMostDedicatedBearers}) <= most_;
}

void WorkPlan::move_to(std::deque<Work>& queue) {
  for (auto& [owner, items] : removals_) queue.push_back({Work::Kind::remove, owner, std::move(items)});
  for (auto& [owner, items] : sets_) queue.push_back({Work::Kind::set, owner, std::move(items)});
  removals_.clear();
  sets_.clear();
  entries_ = 0;
}

}  // namespace control::told
