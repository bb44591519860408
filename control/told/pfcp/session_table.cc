#include "control/told/pfcp/session_table.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "control/told/after.h"
#include "control/told/pfcp/describe.h"

namespace control::told::pfcp {
namespace {

std::string id_of(const Record& record, const std::vector<SeidKey>& cp_keys) {
  const std::uint64_t seid = cp_keys.empty() ? 0 : cp_keys.front().seid;
  return fmt::format("{}/{:#x}#{}", to_string(record.cp), seid, record.number);
}

}  // namespace

SessionTable::Established SessionTable::establish(const Facts& facts, const SessionEdit& edit,
                                                  const Answer* answer, dp::Time told) {
  free_up_keys(facts.up_keys, nullptr, told);
  if (live() >= settings_.sessions) return {Outcome::full};
  Record& record = index_.add(facts.cp, facts.up);
  record.asked = facts.asked;
  record.session.id = id_of(record, facts.cp_keys);
  record.session.peer = to_string(facts.cp);
  const Session before = record.session;
  const bool fits = apply_rules(record, edit, answer);
  if (!fits || is_superseded(record)) {
    remove(record, told);
    return {fits ? Outcome::superseded : Outcome::full};
  }
  index_.set_cp_keys(record, facts.cp_keys);
  index_.set_up_keys(record, facts.up_keys);
  const std::uint64_t number = record.number;
  const Outcome outcome = publish(record, before, told);
  return {outcome, index_.number(number)};
}

// An establishment whose response was lost counts a second later; a UP function has one session of a UE.
bool SessionTable::is_superseded(const Record& record) {
  return std::ranges::any_of(record.session.ues, [&](const dp::UeAddress& ue) {
    return std::ranges::any_of(index_.with_ue(ue), [&](const Record* other) {
      return other->session.state == SessionState::live && other->up == record.up &&
             other->asked > record.asked;
    });
  });
}

SessionTable::Outcome SessionTable::modify(Record& record, const SessionEdit& edit, const Answer* answer,
                                           dp::Time told) {
  const Session before = record.session;
  const bool fits = apply_rules(record, edit, answer);
  if (record.session.state != SessionState::live) {
    record.session.state = SessionState::live;
    index_.set_deadline(record, dp::kNever);
  }
  const Outcome outcome = publish(record, before, told);
  return fits ? outcome : Outcome::full;
}

SessionTable::Outcome SessionTable::complete(Record& record, const Answer& answer, dp::Time told) {
  const Session before = record.session;
  record.rules.apply(answer);
  describe(record.rules, record.session);
  return publish(record, before, told);
}

void SessionTable::set_up_keys(Record& record, std::vector<SeidKey> keys, dp::Time told) {
  free_up_keys(keys, &record, told);
  index_.set_up_keys(record, std::move(keys));
}

// The UP function gives a SEID anew: the session before is gone there, unless it is stale already.
void SessionTable::free_up_keys(std::span<const SeidKey> keys, const Record* wants, dp::Time told) {
  for (const SeidKey& key : keys) {
    Record* const before = index_.by_up(key);
    if (before == nullptr || before == wants) continue;
    index_.set_up_keys(*before, {});
    if (before->session.state == SessionState::live) end(*before, told);
  }
}

void SessionTable::set_cp(Record& record, const Address& cp, std::vector<SeidKey> keys) {
  index_.set_cp(record, cp);
  index_.set_cp_keys(record, std::move(keys));
}

bool SessionTable::apply_rules(Record& record, const SessionEdit& edit, const Answer* answer) {
  const std::size_t before = record.rules.size();
  const std::size_t room = settings_.rules - std::min(settings_.rules, rules_ - before);
  if (!record.rules.apply(edit, std::min(settings_.rules_per_session, room))) return false;
  rules_ = rules_ - before + record.rules.size();
  if (answer != nullptr) record.rules.apply(*answer);
  if (!edit.identity.empty()) record.session.identity = edit.identity;
  if (!edit.dnn.empty()) record.session.class_hint = edit.dnn;
  if (!edit.sets.empty()) index_.set_sets(record, edit.sets);
  describe(record.rules, record.session);
  return true;
}

SessionTable::Outcome SessionTable::publish(Record& record, const Session& before, dp::Time told) {
  if (record.published && record.session == before) return Outcome::applied;
  if (record.session.ues.empty()) {
    if (record.published) sink_.remove(record.session.id, told);
    record.published = false;
    index_.set_ues(record, {});
    return Outcome::applied;
  }
  const std::vector<Record*> old = predecessors(record);
  if (put(record, old, told)) return Outcome::applied;
  remove(record, told);
  return Outcome::full;
}

bool SessionTable::put(Record& record, std::span<Record* const> predecessors, dp::Time told) {
  bool good = sink_.put(record.session, told);
  for (Record* const old : predecessors) remove(*old, told);
  // In a full table the session gets the place of a predecessor.
  if (!good && !predecessors.empty()) good = sink_.put(record.session, told);
  record.published = good;
  if (good) index_.set_ues(record, record.session.ues);
  return good;
}

bool SessionTable::gives_way(const Record& other, const Record& to) {
  // Two UP functions along the way of one UE both have a session of it.
  if (other.session.state == SessionState::live && other.up != to.up) return false;
  return std::ranges::all_of(other.ues, [&](const dp::UeAddress& ue) {
    if (std::ranges::count(to.session.ues, ue) > 0) return true;
    return std::ranges::any_of(index_.with_ue(ue), [&](const Record* third) {
      return third != &other && third->session.state == SessionState::live;
    });
  });
}

std::vector<Record*> SessionTable::predecessors(const Record& record) {
  std::vector<Record*> found;
  if (record.session.state != SessionState::live) return found;
  for (const dp::UeAddress& ue : record.session.ues) {
    if (std::ranges::count(record.ues, ue) > 0) continue;  // they have given way already
    std::vector<Record*> others = index_.with_ue(ue);
    std::size_t left = others.size();
    for (Record* const other : others) {
      if (other == &record || std::ranges::count(found, other) > 0) continue;
      if (left-- < kMostOfUe && !gives_way(*other, record)) continue;
      found.push_back(other);
    }
  }
  return found;
}

void SessionTable::retire(Record& record, SessionState state, dp::Time deadline, dp::Time told) {
  if (!record.published) {
    remove(record, told);
    return;
  }
  const bool joins = record.deadline == dp::kNever;
  if (joins && index_.dying() > 0 && index_.dying() >= settings_.sessions)
    remove(*index_.first_dying(), told);
  record.session.state = state;
  // A time of kNever would mean that the session lives.
  index_.set_deadline(record, std::min(deadline, dp::kNever - dp::Duration{1}));
  sink_.put(record.session, told);
}

void SessionTable::end(Record& record, dp::Time told) {
  index_.set_up_keys(record, {});
  index_.set_cp_keys(record, {});
  index_.set_sets(record, {});
  retire(record, SessionState::ending, after(told, settings_.ending), told);
}

void SessionTable::make_stale(Record& record, dp::Time told) {
  if (record.session.state == SessionState::live) {
    retire(record, SessionState::stale, after(told, settings_.stale), told);
  }
}

void SessionTable::remove(Record& record, dp::Time told) {
  if (record.published) sink_.remove(record.session.id, told);
  rules_ -= record.rules.size();
  index_.erase(record);
}

void SessionTable::make_stale(const Address& peer, dp::Time told) {
  while (Record* const record = index_.first_live(peer)) make_stale(*record, told);
}

void SessionTable::make_stale(const Address& peer, const Address& other, dp::Time told) {
  while (Record* const record = index_.first_live(peer, other)) make_stale(*record, told);
}

void SessionTable::end_all(const Address& peer, const Address& other, dp::Time told) {
  while (Record* const record = index_.first_live(peer, other)) end(*record, told);
  while (Record* const record = index_.first_stale(peer, other)) end(*record, told);
}

void SessionTable::end_set(const FqCsid& set, dp::Time told) {
  while (Record* const record = index_.first_of_set(set)) end(*record, told);
}

void SessionTable::advance(dp::Time now) {
  for (Record* first = index_.first_dying(); first != nullptr && first->deadline <= now;
       first = index_.first_dying()) {
    remove(*first, first->deadline);
  }
}

dp::Time SessionTable::next_deadline() {
  const Record* const first = index_.first_dying();
  return first == nullptr ? dp::kNever : first->deadline;
}

}  // namespace control::told::pfcp
