#include "control/told/pfcp/session_index.h"

namespace control::told::pfcp {

Record& SessionIndex::add(const Address& cp, const Address& up) {
  const std::uint64_t number = ++numbers_;
  Record& record = records_[number];
  record.number = number;
  record.cp = cp;
  record.up = up;
  list(record);
  return record;
}

void SessionIndex::erase(Record& record) {
  set_up_keys(record, {});
  set_cp_keys(record, {});
  set_ues(record, {});
  set_sets(record, {});
  unlist(record);
  records_.erase(record.number);
}

Record* SessionIndex::number(std::uint64_t number) {
  const auto found = records_.find(number);
  return found == records_.end() ? nullptr : &found->second;
}

Record* SessionIndex::of_key(const Keys& keys, const SeidKey& key) {
  const auto found = keys.find(key);
  return found == keys.end() ? nullptr : number(found->second);
}

void SessionIndex::set_keys(Keys& keys, std::vector<SeidKey>& now, const Record& record,
                            std::vector<SeidKey> wanted) {
  for (const SeidKey& key : now) {
    const auto found = keys.find(key);
    if (found != keys.end() && found->second == record.number) keys.erase(found);
  }
  now = std::move(wanted);
  for (const SeidKey& key : now) keys[key] = record.number;
}

void SessionIndex::set_ues(Record& record, std::vector<dp::UeAddress> ues) {
  for (const dp::UeAddress& ue : record.ues) ues_.erase({ue, record.number});
  record.ues = std::move(ues);
  for (const dp::UeAddress& ue : record.ues) ues_.emplace(ue, record.number);
}

std::vector<Record*> SessionIndex::with_ue(const dp::UeAddress& ue) {
  std::vector<Record*> found;
  for (auto at = ues_.lower_bound({ue, 0}); at != ues_.end() && at->first == ue; ++at) {
    found.push_back(number(at->second));
  }
  return found;
}

void SessionIndex::set_sets(Record& record, std::vector<FqCsid> sets) {
  for (const FqCsid& set : record.sets) sets_.erase({set, record.number});
  record.sets = std::move(sets);
  for (const FqCsid& set : record.sets) sets_.emplace(set, record.number);
}

Record* SessionIndex::first_of_set(const FqCsid& set) {
  const auto first = sets_.lower_bound({set, 0});
  return first == sets_.end() || first->first != set ? nullptr : number(first->second);
}

void SessionIndex::set_deadline(Record& record, dp::Time deadline) {
  unlist(record);
  record.deadline = deadline;
  list(record);
}

void SessionIndex::set_cp(Record& record, const Address& cp) {
  unlist(record);
  record.cp = cp;
  list(record);
}

Record* SessionIndex::first_dying() {
  return deadlines_.empty() ? nullptr : number(deadlines_.begin()->second);
}

Record* SessionIndex::first_live(const Address& peer) {
  const auto first = live_.lower_bound({peer, Address{}, 0});
  return first == live_.end() || std::get<0>(*first) != peer ? nullptr : number(std::get<2>(*first));
}

Record* SessionIndex::first_between(const BetweenPeers& listed, const Address& peer, const Address& other) {
  const auto first = listed.lower_bound({peer, other, 0});
  const bool found = first != listed.end() && std::get<0>(*first) == peer && std::get<1>(*first) == other;
  return found ? number(std::get<2>(*first)) : nullptr;
}

void SessionIndex::list(const Record& record) {
  if (record.deadline != dp::kNever) deadlines_.emplace(record.deadline, record.number);
  if (record.session.state == SessionState::ending) return;
  BetweenPeers& listed = record.session.state == SessionState::live ? live_ : stale_;
  listed.emplace(record.cp, record.up, record.number);
  listed.emplace(record.up, record.cp, record.number);
}

void SessionIndex::unlist(const Record& record) {
  deadlines_.erase({record.deadline, record.number});
  for (BetweenPeers* const listed : {&live_, &stale_}) {
    listed->erase({record.cp, record.up, record.number});
    listed->erase({record.up, record.cp, record.number});
  }
}

}  // namespace control::told::pfcp
