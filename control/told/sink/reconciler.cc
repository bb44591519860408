#include "control/told/sink/reconciler.h"

#include <algorithm>
#include <utility>

#include "control/told/after.h"

namespace control::told {

Reconciler::Reconciler(SessionTable& table, const ClassMap& classes, ReconcilerSettings settings,
                       dp::Time now)
    : table_(table),
      classes_(classes),
      settings_(std::move(settings)),
      generation_(settings_.generation),
      inherit_until_(after(now, settings_.inherit)) {}

void Reconciler::connected(dp::Time now) {
  connected_ = true;
  failures_ = 0;
  pause_until_ = now;
  pass_.next = now;
}

void Reconciler::disconnected(dp::Time now) {
  connected_ = false;
  ++generation_;  // a call that rncd still works on must not come after those of the next connection
  fail_all(now);
  pass_.phase = Phase::idle;
}

std::size_t Reconciler::drift() const noexcept {
  if (!connected_) return known_.size() + table_.changes();
  return known_.count(BearerState::waiting) + known_.count(BearerState::refused) + strays_ + table_.changes();
}

void Reconciler::note_changes(dp::Time now) {
  if (const auto lost = table_.take_lost_changes()) pass_.next = std::min(pass_.next, now);
  if (!changes_due_ && table_.has_changes()) changes_due_ = after(now, settings_.debounce);
}

std::optional<RncdCall> Reconciler::next(dp::Time now) {
  note_changes(now);
  if (!connected_ || asked_ || now < pause_until_) return std::nullopt;
  if (work_.empty()) refill(now);
  if (work_.empty()) return std::nullopt;
  asked_ = true;
  return call_of(work_.front(), {static_cast<std::uint64_t>(settings_.ttl.count()), generation_});
}

dp::Time Reconciler::due() const {
  if (!connected_ || asked_) return dp::kNever;
  dp::Time due = std::min(changes_due_.value_or(dp::kNever), pass_.next);
  if (!work_.empty() || pass_.phase != Phase::idle) due = dp::Time::min();
  return std::max(due, pause_until_);
}

// Changes and the steps of a full pass take turns, so that neither waits for the other's end.
void Reconciler::refill(dp::Time now) {
  refusals_ = 0;
  const bool pass = pass_.phase != Phase::idle || pass_.next <= now;
  if (changes_due_ && *changes_due_ <= now && (changes_first_ || !pass)) {
    changes_first_ = false;
    take_changes(now);
    if (!work_.empty()) return;
  }
  if (!pass) return;
  changes_first_ = true;
  advance_pass(now);
}

void Reconciler::take_changes(dp::Time now) {
  WorkPlan changes;
  while (changes.has_room()) {
    const auto change = table_.take_changes(1);
    if (change.empty()) break;
    plan(change.front(), changes, now);
  }
  changes_due_.reset();
  if (table_.has_changes()) changes_due_ = now;
  changes.move_to(work_);
}

void Reconciler::plan(const SessionTable::Change& change, WorkPlan& into, dp::Time now) {
  const SessionTable::Entry* const entry = table_.holder_of(change.ue);
  std::vector<WantedBearer> wanted;
  if (entry != nullptr) wanted = bearers_of(change.ue, entry->session, classes_, settings_.sink);
  plan_removals(change.ue, entry, wanted, into);
  for (WantedBearer& one : wanted) {
    KnownBearer& known = known_.make(one.bearer, entry->source, now);
    if (known.inherited) --inherited_;
    known.inherited.reset();
    known.owner = entry->source;
    known_.set_state(known, BearerState::waiting, now);
    into.set(known.owner, {std::move(one), change.told, true});
  }
}

// Plans what becomes of the UE's known bearers that are not, or no longer by their owner, wanted.
void Reconciler::plan_removals(const dp::UeAddress& ue, const SessionTable::Entry* entry,
                               const std::vector<WantedBearer>& wanted, WorkPlan& into) {
  for (const dp::UeAddress& bearer : known_.bearers_of(ue)) {
    const KnownBearer& known = *known_.find(bearer);
    if (entry == nullptr && known.inherited) {
      into.set(known.owner, {*known.inherited, {}, true});
      continue;
    }
    const bool stays = std::ranges::find(wanted, bearer, &WantedBearer::bearer) != wanted.end();
    if (stays && known.owner == entry->source) continue;
    into.remove(known.owner, bearer);
  }
}

std::optional<WantedBearer> Reconciler::wanted(const dp::UeAddress& bearer, std::string_view owner) const {
  const dp::UeAddress ue = dp::default_bearer_of(bearer);
  const SessionTable::Entry* const entry = table_.holder_of(ue);
  if (entry == nullptr) {
    const KnownBearer* const known = known_.find(bearer);
    return known != nullptr && known->owner == owner ? known->inherited : std::nullopt;
  }
  if (entry->source != owner) return std::nullopt;
  auto all = bearers_of(ue, entry->session, classes_, settings_.sink);
  const auto found = std::ranges::find(all, bearer, &WantedBearer::bearer);
  return found == all.end() ? std::nullopt : std::optional(std::move(*found));
}

bool Reconciler::is_wanted(const dp::UeAddress& bearer) const {
  const KnownBearer* const known = known_.find(bearer);
  return known != nullptr && wanted(bearer, known->owner).has_value();
}

}  // namespace control::told
