// A full pass: the listing of our bearers, then all that are wanted are set again, which keeps them alive,
// then those that were refused before.
#include <algorithm>
#include <utility>

#include "control/told/after.h"
#include "control/told/sink/reconciler.h"

namespace control::told {
namespace {

bool is_alike(const WantedBearer& has, const WantedBearer& wanted) {
  return has.class_name == wanted.class_name && (!wanted.downlink || has.downlink == wanted.downlink) &&
         (!wanted.uplink || has.uplink == wanted.uplink) && has.downlink_gate == wanted.downlink_gate &&
         has.uplink_gate == wanted.uplink_gate;
}

// True if rncd has a tunnel where one is known. Another one is no fault: rncd learns tunnels from packets,
// and may know of a handover before the core tells it.
bool has_tunnels(const WantedBearer& has, const WantedBearer& wanted) {
  return (has.to_core || !wanted.to_core) && (has.to_radio || !wanted.to_radio);
}

}  // namespace

void Reconciler::begin_pass(dp::Time now) {
  pass_.phase = Phase::list;
  ++pass_.number;
  pass_.began = now;
  pass_.next = after(now, settings_.full_pass);
  pass_.owner = 0;
  pass_.cursor.clear();
  pass_.after.reset();
  pass_.refused.clear();
}

// Makes the next call of the pass, if one is left.
void Reconciler::advance_pass(dp::Time now) {
  if (pass_.phase == Phase::idle) begin_pass(now);
  if (pass_.phase == Phase::list) {
    if (pass_.owner < settings_.owners.size()) {
      work_.push_back({Work::Kind::list, settings_.owners[pass_.owner], {}, pass_.cursor});
      return;
    }
    note_unseen(now);
    pass_.phase = Phase::set;
  }
  if (pass_.phase == Phase::set) plan_sets(now);
  if (work_.empty() && pass_.phase == Phase::inherited) plan_inherited();
  if (work_.empty() && pass_.phase == Phase::retry) plan_retries();
  if (!work_.empty()) return;
  pass_.phase = Phase::idle;
  ++pass_.completed;
}

void Reconciler::plan_sets(dp::Time now) {
  WorkPlan sets(WorkPlan::kMostOfPass);
  bool more = false;
  table_.for_each_ue_after(pass_.after, [&](const dp::UeAddress& ue, const SessionTable::Entry& entry) {
    more = !sets.has_room();
    if (more) return false;
    for (WantedBearer& one : bearers_of(ue, entry.session, classes_, settings_.sink)) {
      KnownBearer& known = known_.make(one.bearer, entry.source, now);
      if (known.owner != entry.source) continue;  // its change is still marked
      if (known.state == BearerState::refused) {
        pass_.refused.push_back(one.bearer);
      } else {
        sets.set(known.owner, {std::move(one), {}, !known.tunnel});
      }
    }
    pass_.after = ue;
    return true;
  });
  sets.move_to(work_);
  if (more) return;
  pass_.phase = Phase::inherited;
  pass_.after.reset();
}

void Reconciler::plan_inherited() {
  WorkPlan sets(WorkPlan::kMostOfPass);
  auto at = pass_.after ? known_.all().upper_bound(*pass_.after) : known_.all().begin();
  for (; inherited_ != 0 && at != known_.all().end() && sets.has_room(); ++at) {
    pass_.after = at->first;
    if (at->second.inherited) sets.set(at->second.owner, {*at->second.inherited, {}, !at->second.tunnel});
  }
  if (inherited_ == 0 || at == known_.all().end()) pass_.phase = Phase::retry;
  sets.move_to(work_);
}

void Reconciler::plan_retries() {
  WorkPlan sets(WorkPlan::kMostOfPass);
  while (sets.has_room() && !pass_.refused.empty()) {
    const dp::UeAddress bearer = pass_.refused.back();
    pass_.refused.pop_back();
    const KnownBearer* const known = known_.find(bearer);
    if (known == nullptr) continue;
    if (auto one = wanted(bearer, known->owner)) sets.set(known->owner, {std::move(*one), {}, true});
  }
  sets.move_to(work_);
}

void Reconciler::listed(const Work& work, const Json& result, dp::Time now) {
  if (pass_.phase != Phase::list) return;
  WorkPlan removals;
  const Json rows = result.is_object() ? result.value("items", Json::array()) : Json::array();
  if (rows.is_array()) {
    for (const Json& row : rows) note_row(row, work.owner, removals, now);
  }
  strays_ += removals.entries();
  removals.move_to(work_);
  const Json next = result.is_object() ? result.value("next", Json()) : Json();
  const bool more = next.is_string() && next != work.cursor;
  pass_.cursor = more ? next.get<std::string>() : "";
  if (!more) ++pass_.owner;
}

// A UE that has sent since it was told idle is idle no longer: the message that said so did not reach the
// mirror. Its downlink would be held until the next one.
void Reconciler::wake_if_active(const dp::UeAddress& bearer, const std::string& owner, const Json& row,
                                dp::Time now) {
  constexpr dp::Duration kOnTheWay = std::chrono::seconds(2);  // packets of before may still come
  const SessionTable::Entry* const entry = table_.holder_of(dp::default_bearer_of(bearer));
  if (entry == nullptr || entry->source != owner || !entry->session.idle) return;
  const auto silence = uplink_silence(row);
  if (!silence || now - entry->told <= *silence + kOnTheWay) return;
  Session active = entry->session;
  active.idle = false;
  table_.sink_of(owner).put(active, now);
}

void Reconciler::note_row(const Json& row, const std::string& owner, WorkPlan& removals, dp::Time now) {
  const auto bearer = bearer_named(row);
  if (!bearer) return;
  wake_if_active(*bearer, owner, row, now);
  const auto wish = wanted(*bearer, owner);
  if (!wish) {
    if (!inherits(*bearer, owner, row, now)) removals.remove(owner, *bearer);
    return;
  }
  KnownBearer& known = known_.make(*bearer, owner, now);
  if (known.owner != owner) return;  // its change is still marked
  const WantedBearer has = wanted_of(row, *bearer);
  known.seen = pass_.number;
  known.downlink = has.downlink;
  known.uplink = has.uplink;
  known.tunnel = has_tunnels(has, *wish);
  if (is_alike(has, *wish)) {
    known_.set_state(known, BearerState::applied, now);
  } else if (known.state != BearerState::refused) {
    known_.set_state(known, BearerState::waiting, now);
  }
}

// The first listing of all takes over what an earlier rncd-told has made: its sessions are told again only
// with their next message.
bool Reconciler::inherits(const dp::UeAddress& bearer, const std::string& owner, const Json& row,
                          dp::Time now) {
  if (pass_.listed != 0 || has_lapsed(owner, now) || inherited_ >= settings_.max_inherited) return false;
  if (bearer.dedicated == dp::Dedicated::by_teid || known_.find(bearer) != nullptr) return false;
  if (table_.holder_of(dp::default_bearer_of(bearer)) != nullptr) return false;
  KnownBearer& known = known_.make(bearer, owner, now);
  known.inherited = wanted_of(row, bearer);
  known.downlink = known.inherited->downlink;
  known.uplink = known.inherited->uplink;
  known.seen = pass_.number;
  known.tunnel = true;
  ++inherited_;
  known_.set_state(known, BearerState::applied, now,
                   "from before the restart; its session was not told again yet");
  return true;
}

// True if an inherited bearer of the owner was not told again in time.
bool Reconciler::has_lapsed(const std::string& owner, dp::Time now) const {
  return now >= inherit_until_ && std::ranges::find(settings_.lasting, owner) == settings_.lasting.end();
}

// Notes the bearers that the listing did not have, and ends what was inherited for too long.
void Reconciler::note_unseen(dp::Time now) {
  pass_.listed = pass_.number;
  std::vector<dp::UeAddress> gone;
  for (const auto& [bearer, listed] : known_.all()) {
    KnownBearer& known = *known_.find(bearer);
    if (known.inherited && has_lapsed(known.owner, now)) {
      known.inherited.reset();
      --inherited_;
      table_.mark(dp::default_bearer_of(bearer), now);
    }
    if (known.seen == pass_.number) continue;
    known.tunnel = false;
    if (known.state == BearerState::unsure) {
      known_.set_state(known, BearerState::kept, now,
                       "an operator, the configuration or another program has this bearer");
    } else if (known.state == BearerState::applied) {
      known_.set_state(known, BearerState::waiting, now);
    }
    if (!is_wanted(bearer)) gone.push_back(bearer);
  }
  for (const dp::UeAddress& bearer : gone) known_.erase(bearer);
}

}  // namespace control::told
