#include "control/told/session_table.h"

#include <algorithm>
#include <array>

namespace control::told {
namespace {

bool within_bounds(const Session& session) {
  return session.ues.size() <= kMaxUes && session.flows.size() <= SessionTable::kMaxFlows &&
         std::ranges::all_of(std::array{session.id.size(), session.peer.size(), session.identity.size(),
                                        session.class_hint.size()},
                             [](std::size_t size) { return size <= SessionTable::kMaxText; });
}

}  // namespace

SessionSink& SessionTable::sink_of(std::string_view source) {
  const auto found = sinks_.find(source);
  if (found != sinks_.end()) return *found->second;
  std::string name(source);
  auto sink = std::make_unique<Sink>(*this, name);
  return *sinks_.emplace(std::move(name), std::move(sink)).first->second;
}

const SessionTable::Entry* SessionTable::find(std::string_view source, std::string_view id) const {
  const auto sink = sinks_.find(source);
  if (sink == sinks_.end()) return nullptr;
  const auto row = sink->second->rows.find(id);
  return row == sink->second->rows.end() ? nullptr : &row->second.entry;
}

const SessionTable::Row* SessionTable::row_of(const dp::UeAddress& ue) const {
  const auto first = claims_.lower_bound(Claim{.ue = ue, .told = dp::kNever, .serial = ~std::uint64_t{0}});
  return first == claims_.end() || first->ue != ue ? nullptr : first->row;
}

const SessionTable::Entry* SessionTable::holder_of(const dp::UeAddress& ue) const {
  const Row* const row = row_of(ue);
  return row == nullptr ? nullptr : &row->entry;
}

bool SessionTable::put(Sink& sink, const Session& session, dp::Time told) {
  const auto found = sink.rows.find(session.id);
  const bool fresh = found == sink.rows.end();
  if (!within_bounds(session) || (fresh && size_ >= max_sessions_)) return false;
  if (!fresh && found->second.entry.session == session) return true;
  Row& row = fresh ? sink.rows.emplace(session.id, Row{}).first->second : found->second;
  size_ += fresh;
  replace_claims(row, session, told);
  row.entry = {sink.name, session, told};
  return true;
}

void SessionTable::remove(Sink& sink, std::string_view id, dp::Time told) {
  const auto found = sink.rows.find(id);
  if (found == sink.rows.end()) return;
  replace_claims(found->second, Session{}, told);
  sink.rows.erase(found);
  --size_;
}

// Marks each UE that the row had before or has after.
void SessionTable::replace_claims(Row& row, const Session& session, dp::Time told) {
  const bool revived = session.state == SessionState::live && row.entry.session.state != SessionState::live;
  const std::vector<Claim> before = std::move(row.claims);
  row.claims.clear();
  for (const Claim& claim : before) {
    if (row_of(claim.ue) == &row) mark(claim.ue, told);
  }
  for (const Claim& claim : before) claims_.erase(claim);
  for (const dp::UeAddress& ue : session.ues) {
    const auto known = std::ranges::find(before, ue, &Claim::ue);
    Claim claim{.ue = ue, .waits = session.state != SessionState::live, .told = told, .row = &row};
    claim.serial = known == before.end() || revived ? ++serial_ : known->serial;
    if (known != before.end() && !revived) claim.told = known->told;
    if (!claims_.insert(claim).second) continue;  // the UE stands there twice
    row.claims.push_back(claim);
    if (row_of(ue) == &row) mark(ue, told);
  }
}

void SessionTable::mark(const dp::UeAddress& ue, dp::Time told) {
  const std::size_t most = kMaxUes * max_sessions_;
  if (changes_.size() >= most && !changes_.contains(ue)) {
    const dp::Time first = changes_.empty() ? told : changes_.at(change_order_.front());
    lost_ = std::min(lost_.value_or(first), first);
    changes_.clear();
    change_order_.clear();
    if (most == 0) return;
  }
  if (changes_.emplace(ue, told).second) change_order_.push_back(ue);
}

std::vector<SessionTable::Change> SessionTable::take_changes(std::size_t most) {
  std::vector<Change> taken;
  taken.reserve(std::min(most, change_order_.size()));
  while (taken.size() < most && !change_order_.empty()) {
    const auto found = changes_.find(change_order_.front());
    taken.push_back({found->first, found->second});
    changes_.erase(found);
    change_order_.pop_front();
  }
  return taken;
}

std::optional<dp::Time> SessionTable::take_lost_changes() { return std::exchange(lost_, std::nullopt); }

}  // namespace control::told
