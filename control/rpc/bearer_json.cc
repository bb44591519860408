#include "control/rpc/bearer_json.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "config/notation/words.h"
#include "config/print.h"
#include "control/rpc/methods/keeping.h"
#include "control/rpc/params.h"

namespace control::rpc {
namespace {

// The members of a bearer beside its legs are made from this.
struct BearerView {
  const dp::UeAddress& ue;
  const Record& record;
  const DataPlane& plane;
  dp::Time now;
  Detail detail;
};

// The membership of the bearer in its cell; null if it is in none. `report` is the time since the last
// report; null when there was none.
Json cell_json(const Record& record, dp::Time now) {
  const auto* const own = record.part<dp::MemberKind>();
  if (record.cell == nullptr || own == nullptr) return nullptr;
  const dp::CellMember& member = *own;
  Json report = nullptr;
  if (const std::uint64_t at = member.reported_at(); at != 0) {
    const dp::Duration age = now - dp::Time{dp::Duration{static_cast<std::int64_t>(at)}};
    report = static_cast<double>(std::max(age, dp::Duration{0}).count()) / 1e9;
  }
  return {{"name", record.cell->name},
          {"mean_rate", member.mean()},
          {"slots", member.slots()},
          {"report_seconds", report}};
}

// The time until its keeper gives it up; null if it has none, or no time.
Json kept_seconds(const BearerView& view) {
  const Claim* const claim = view.plane.registry().claims().find(view.ue);
  if (claim == nullptr || claim->until == Claim::kNever) return nullptr;
  return std::max(std::chrono::duration<double>(claim->until - Claim::Clock::now()).count(), 0.0);
}

using BearerMember = Member<BearerView>;

constexpr std::array kBearerMembers{
    BearerMember{
        "class",
        [](const BearerView& v) -> Json { return v.plane.config().classes[v.record.settings->cls].name; }},
    BearerMember{"learnt", [](const BearerView& v) -> Json { return v.record.origin == Origin::learnt; }},
    BearerMember{"answered", [](const BearerView& v) -> Json { return v.record.bearer->answered(); }},
    BearerMember{"worker", [](const BearerView& v) -> Json { return v.plane.moves().worker_of(v.ue); }},
    BearerMember{"owner",
                 [](const BearerView& v) -> Json {
                   const auto owner = owner_of(v.plane.registry(), v.ue, v.record);
                   return owner ? Json(*owner) : Json(nullptr);
                 }},
    BearerMember{"kept_seconds", [](const BearerView& v) { return kept_seconds(v); }},
    BearerMember{"generation",
                 [](const BearerView& v) -> Json {
                   const Claim* const claim = v.plane.registry().claims().find(v.ue);
                   return claim == nullptr || claim->keeper != Keeper::program ? absent()
                                                                               : Json(claim->generation);
                 }},
    BearerMember{"cell", [](const BearerView& v) { return cell_json(v.record, v.now); }},
    BearerMember{"downlink_teid",
                 [](const BearerView& v) -> Json {
                   if (v.ue.dedicated != dp::Dedicated::by_teid) return absent();
                   return v.record.downlink_teid == 0 ? Json(nullptr) : Json(v.record.downlink_teid);
                 }},
    BearerMember{
        "proxy",
        [](const BearerView& v) { return v.record.settings->proxy ? Json("split") : Json(nullptr); }},
    BearerMember{"proxy_settings",
                 [](const BearerView& v) {
                   const bool full = v.detail == Detail::full;
                   return full ? settings_of(config::to_json(v.record.settings->proxy)) : absent();
                 }},
};

std::span<const BearerMember> bearer_members() { return kBearerMembers; }

[[noreturn]] void refuse_member(const std::string& name, const std::string& path) {
  std::vector<std::string> all;
  for (const auto& member : bearer_members()) all.emplace_back(member.name);
  for (const dp::Direction direction : dp::kDirections) {
    const std::string_view leg = dp::name(direction);
    all.emplace_back(leg);
    for (const auto& member : leg_members()) all.push_back(fmt::format("{}.{}", leg, member.name));
  }
  const std::vector<std::string_view> known(all.begin(), all.end());
  throw Fault(kInvalidParams, fmt::format("{}: found \"{}\"{}, expected a member of a bearer, such as {}",
                                          path, config::shorten(name), config::did_you_mean(name, known),
                                          R"("class", "downlink" or "downlink.rate")"));
}

}  // namespace

Members Members::read(const Json& names, const std::string& path) {
  Members members;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string name = names[i].is_string() ? names[i].get<std::string>() : names[i].dump();
    if (!members.add(name)) refuse_member(name, fmt::format("{}[{}]", path, i));
  }
  return members;
}

bool Members::add(std::string_view name) {
  if (name == "ue") return true;
  for (const dp::Direction direction : dp::kDirections) {
    const std::string_view leg = dp::name(direction);
    if (!name.starts_with(leg)) continue;
    if (name.size() > leg.size() && name[leg.size()] != '.') continue;
    const MemberMask found = name == leg ? kAllMembers : bit_of(leg_members(), name.substr(leg.size() + 1));
    legs_[dp::index(direction)] |= found;
    return found != 0;
  }
  const MemberMask found = bit_of(bearer_members(), name);
  bearer_ |= found;
  return found != 0;
}

Json to_json(const dp::UeAddress& ue, const Record& record, const DataPlane& plane, Detail detail,
             const Members& members) {
  const dp::Time now = plane.runtime().now();
  Json json = Json::object();
  add_members(json, bearer_members(), members.bearer(), BearerView{ue, record, plane, now, detail});
  for (const dp::Direction direction : dp::kDirections) {
    if (members.leg(direction) == 0) continue;
    Json& leg = json[dp::name(direction)] = Json::object();
    add_members(leg, leg_members(), members.leg(direction), LegView(record, direction, now, detail));
  }
  add_name(json, "ue", ue, plane.config().networks);
  return json;
}

}  // namespace control::rpc
