// The outcomes of the calls that the reconciler makes.
#include <algorithm>
#include <iterator>
#include <utility>

#include "control/told/after.h"
#include "control/told/sink/reconciler.h"

namespace control::told {
namespace {

constexpr std::string_view kKeptByOthers =
    "an operator, the configuration or another program has this bearer";

std::uint64_t number_in(const Json& result, const char* name) {
  if (!result.is_object()) return 0;
  const auto at = result.find(name);
  return at != result.end() && at->is_number_unsigned() ? at->get<std::uint64_t>() : 0;
}

}  // namespace

void Reconciler::answered(dp::Time now, const Json& result) {
  if (!asked_) return;
  asked_ = false;
  failures_ = 0;
  problem_.clear();
  const Work work = std::move(work_.front());
  work_.pop_front();
  switch (work.kind) {
    case Work::Kind::set:
      return set_done(work, result, now);
    case Work::Kind::remove:
      return removed(work);
    case Work::Kind::list:
      return listed(work, result, now);
  }
}

// If rncd kept some of the bearers of a call, those of the last listing are not among them.
BearerState Reconciler::state_after(const KnownBearer& known, std::uint64_t kept, std::size_t of) const {
  if (kept == 0) return BearerState::applied;
  if (kept >= of) return BearerState::kept;
  if (known.seen != 0 && known.seen >= pass_.listed) return BearerState::applied;
  return known.state == BearerState::kept ? BearerState::kept : BearerState::unsure;
}

void Reconciler::set_done(const Work& work, const Json& result, dp::Time now) {
  const std::uint64_t kept = number_in(result, "kept");
  for (const WorkItem& item : work.items) {
    KnownBearer* const known = known_.find(item.wanted.bearer);
    if (known == nullptr) continue;
    const BearerState state = state_after(*known, kept, work.items.size());
    known_.set_state(*known, state, now, state == BearerState::kept ? kKeptByOthers : "");
    if (state == BearerState::unsure) pass_.next = std::min(pass_.next, after(now, std::chrono::seconds(1)));
    if (item.told) times_.add(now - *item.told);
    if (state != BearerState::applied) continue;
    // The rates of a class are those that the next listing shows.
    if (item.told || item.wanted.downlink) known->downlink = item.wanted.downlink;
    if (item.told || item.wanted.uplink) known->uplink = item.wanted.uplink;
    known->tunnel = known->tunnel || item.with_tunnel || !item.wanted.has_tunnel();
  }
}

void Reconciler::removed(const Work& work) {
  for (const WorkItem& item : work.items) {
    if (!is_wanted(item.wanted.bearer)) known_.erase(item.wanted.bearer);
  }
  strays_ -= std::min(strays_, work.items.size());
}

void Reconciler::refused(dp::Time now, const RncdRefusal& refusal) {
  if (!asked_) return;
  asked_ = false;
  ++refused_calls_;
  const Work& work = work_.front();
  const bool whole = work.kind == Work::Kind::list || comes_too_late(refusal);
  if (!whole && ++refusals_ > kMostRefusals) return give_up_rest(refusal.message, now);
  const auto entry = refused_entry(refusal, work.kind == Work::Kind::set ? "bearers" : "ues");
  if (!whole && entry && entry->index < work.items.size()) return leave_out(*entry, now);
  if (!whole && lacks_room(refusal)) return make_smaller(refusal, now);
  problem_ = refusal.message.substr(0, 300);
  fail_all(now);
  const dp::Duration pause = settings_.least_pause * (std::int64_t{1} << std::min(failures_++, 20));
  pause_until_ = after(now, std::min(pause, settings_.most_pause));
}

// Leaves out an entry, and those with the value that was refused. An entry to remove is one that is not
// there.
void Reconciler::leave_out(const RefusedEntry& entry, dp::Time now) {
  Work& work = work_.front();
  if (work.kind == Work::Kind::remove) {
    removed({work.kind, work.owner, {work.items[entry.index]}});
    work.items.erase(work.items.begin() + static_cast<std::ptrdiff_t>(entry.index));
    return drop_empty();
  }
  const auto json_of = [](const WorkItem& item) { return params_of(item.wanted, item.with_tunnel); };
  const Json bad = json_of(work.items[entry.index]);
  const dp::UeAddress named = work.items[entry.index].wanted.bearer;
  std::erase_if(work.items, [&](const WorkItem& item) {
    const bool out = item.wanted.bearer == named || shares_fault(bad, json_of(item), entry.path);
    if (KnownBearer* const known = out ? known_.find(item.wanted.bearer) : nullptr) {
      known_.set_state(*known, BearerState::refused, now, entry.why);
    }
    return out;
  });
  drop_empty();
}

// Halves a call for which rncd has no room; an entry alone is refused.
void Reconciler::make_smaller(const RncdRefusal& refusal, dp::Time now) {
  Work& work = work_.front();
  if (work.items.size() < 2) return leave_out({0, "", refusal.message.substr(0, 300)}, now);
  const auto middle = work.items.begin() + static_cast<std::ptrdiff_t>(work.items.size() / 2);
  Work rest{
      work.kind, work.owner, {std::make_move_iterator(middle), std::make_move_iterator(work.items.end())}};
  work.items.erase(middle, work.items.end());
  work_.insert(work_.begin() + 1, std::move(rest));
}

// Leaves the rest of the plan to the next full pass.
void Reconciler::give_up_rest(std::string_view why, dp::Time now) {
  const std::string text =
      "waits for the next full pass, since others were refused: " + std::string(why.substr(0, 300));
  for (const Work& work : work_) {
    for (const WorkItem& item : work.items) {
      KnownBearer* const known = work.kind == Work::Kind::set ? known_.find(item.wanted.bearer) : nullptr;
      if (known != nullptr && known->state != BearerState::refused)
        known_.set_state(*known, BearerState::waiting, now, text);
    }
  }
  work_.clear();
  strays_ = 0;
}

// Marks again every change whose call got no answer, or was refused as a whole.
void Reconciler::fail_all(dp::Time now) {
  asked_ = false;
  for (const Work& work : work_) {
    for (const WorkItem& item : work.items) {
      table_.mark(dp::default_bearer_of(item.wanted.bearer), item.told.value_or(now));
      KnownBearer* const known = work.kind == Work::Kind::set ? known_.find(item.wanted.bearer) : nullptr;
      if (known != nullptr) known_.set_state(*known, BearerState::unanswered, now, problem_);
    }
  }
  work_.clear();
  strays_ = 0;
}

void Reconciler::drop_empty() {
  if (work_.front().items.empty()) work_.pop_front();
}

}  // namespace control::told
