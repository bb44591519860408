#include "control/told/daemon/session_rows.h"

#include <algorithm>
#include <optional>

#include "control/rpc/codec.h"
#include "control/told/daemon/session_log.h"
#include "dataplane/base/ids.h"

namespace control::told {
namespace {

constexpr std::uint64_t kMostRows = 1000, kUsualRows = 100;

Json rate_json(const std::optional<std::uint64_t>& rate) { return rate ? Json(*rate) : Json(nullptr); }

double seconds_since(dp::Time then, dp::Time now) {
  return static_cast<double>(std::max(now - then, dp::Duration{0}).count()) / 1e9;
}

// Why the bearer is not, or not in all, as it was told; null if it is.
Json why_not(const KnownBearer* known, const Session& session, const SessionsView& view) {
  std::string text;
  if (!view.reconciler.is_connected()) text = "no connection to rncd";
  if (text.empty() && known != nullptr) text = known->why;
  if (text.empty() && (known == nullptr || known->state != BearerState::applied))
    text = view.reconciler.problem();
  const std::string more = not_enforced(session, view.sink);
  if (!more.empty()) text += (text.empty() ? "" : "; ") + more;
  return text.empty() ? Json(nullptr) : Json(text);
}

Json row_of(const dp::UeAddress& ue, const SessionTable::Entry& entry, const SessionsView& view) {
  const Session& session = entry.session;
  const KnownBearer* const known = view.reconciler.find(ue);
  const bool applied = known != nullptr && known->state == BearerState::applied;
  Json row{{"ue", dp::to_string(ue)},
           {"source", entry.source},
           {"peer", session.peer},
           {"session", session.id},
           {"identity", session.identity},
           {"session_state", kSessionStateNames[static_cast<std::size_t>(session.state)]},
           {"class", view.classes.class_of(session)},
           {"flows", session.flows.size()},
           {"state", name(known == nullptr ? BearerState::waiting : known->state)},
           {"told_seconds", seconds_since(entry.told, view.now)},
           {"since_seconds", seconds_since(known == nullptr ? entry.told : known->since, view.now)},
           {"why", why_not(known, session, view)}};
  row["told"] = {{"downlink", rate_json(session.downlink.bit_per_s)},
                 {"uplink", rate_json(session.uplink.bit_per_s)},
                 {"downlink_gate", dp::kGateNames[dp::index(downlink_gate(session))]},
                 {"uplink_gate", dp::kGateNames[dp::index(uplink_gate(session))]}};
  row["applied"] = nullptr;
  if (applied)
    row["applied"] = {{"downlink", rate_json(known->downlink)}, {"uplink", rate_json(known->uplink)}};
  return row;
}

[[noreturn]] void refuse_parameter(const std::string& why) { throw rpc::Fault(rpc::kInvalidParams, why); }

}  // namespace

Json list_sessions(const Json& params, const SessionsView& view) {
  std::uint64_t limit = kUsualRows;
  std::optional<dp::UeAddress> after;
  for (const auto& [key, value] : params.items()) {
    if (key == "limit") {
      if (!value.is_number_unsigned() || value == 0 || value > kMostRows)
        refuse_parameter("limit: expected 1 to 1000");
      limit = value.get<std::uint64_t>();
    } else if (key == "cursor") {
      const auto ue = dp::parse_ue(value.is_string() ? value.get<std::string>() : "");
      if (!ue) refuse_parameter("cursor: expected `next` of the answer before");
      after = *ue;
    } else {
      refuse_parameter("found an unknown parameter, expected \"cursor\" or \"limit\"");
    }
  }
  Json items = Json::array(), next = nullptr;
  view.table.for_each_ue_after(after, [&](const dp::UeAddress& ue, const SessionTable::Entry& entry) {
    if (items.size() == limit) next = items.back()["ue"];
    if (items.size() == limit) return false;
    items.push_back(row_of(ue, entry, view));
    return true;
  });
  return {{"items", std::move(items)}, {"next", std::move(next)}};
}

}  // namespace control::told
