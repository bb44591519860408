#include "control/told/pfcp/transactions.h"

#include <utility>

#include "control/told/after.h"
#include "dataplane/base/expect.h"

namespace control::told::pfcp {

Transactions::Entry* Transactions::find(const Key& key, dp::Time now) {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return nullptr;
  Entry& entry = found->second;
  const bool old = entry.state != State::pending && after(entry.request.at, settings_.retransmission) <= now;
  return old ? nullptr : &entry;
}

Transactions::Entry* Transactions::add(Request request) {
  const Key key = key_of(request);
  if (const auto same = entries_.find(key); same != entries_.end()) erase(same);
  const std::size_t bytes = request.ies.size();
  if (pending_.size() >= settings_.pending || bytes > settings_.pending_bytes - pending_bytes_)
    return nullptr;
  while (entries_.size() >= settings_.transactions) {
    const auto oldest = entries_.find(by_arrival_.begin()->second);
    if (oldest->second.state == State::pending) return nullptr;
    erase(oldest);
  }
  const std::uint64_t arrival = ++arrivals_;
  Entry& entry = entries_[key];
  entry = {arrival, State::pending, std::move(request), 0};
  by_arrival_.emplace(arrival, key);
  pending_.insert(arrival);
  pending_bytes_ += bytes;
  if (entry.request.cp) pending_of_session_.emplace(*entry.request.cp, true, arrival);
  if (entry.request.up) pending_of_session_.emplace(*entry.request.up, false, arrival);
  pending_of_pair_.emplace(key.from, key.to, arrival);
  if (entry.request.type == MessageType::association_setup_request) {
    pending_setups_.emplace(key.from, key.to, arrival);
  }
  return &entry;
}

void Transactions::unlist(const Entry& entry) {
  const Request& request = entry.request;
  pending_.erase(entry.arrival);
  pending_bytes_ -= request.ies.size();
  if (request.cp) pending_of_session_.erase({*request.cp, true, entry.arrival});
  if (request.up) pending_of_session_.erase({*request.up, false, entry.arrival});
  pending_of_pair_.erase({address_of(request.from), address_of(request.to), entry.arrival});
  pending_setups_.erase({address_of(request.from), address_of(request.to), entry.arrival});
}

void Transactions::erase(Entries::iterator at) {
  if (at->second.state == State::pending) unlist(at->second);
  by_arrival_.erase(at->second.arrival);
  entries_.erase(at);
}

Request Transactions::settle(Entry& entry, State state) {
  DP_EXPECT(entry.state == State::pending && state != State::pending);
  unlist(entry);
  entry.state = state;
  Request whole = entry.request;
  std::swap(whole.ies, entry.request.ies);
  entry.request.ies = {};
  return whole;
}

Transactions::Entry* Transactions::due(dp::Time now) {
  return next_due() <= now && !pending_.empty() ? &entry_of(*pending_.begin()) : nullptr;
}

dp::Time Transactions::next_due() const {
  if (pending_.empty()) return dp::kNever;
  const auto key = by_arrival_.find(*pending_.begin());
  return after(entries_.find(key->second)->second.request.at, settings_.response_wait);
}

Transactions::Entry* Transactions::earlier(const SeidKey& cp_or_up, bool of_cp, std::uint64_t arrival) {
  const auto first = pending_of_session_.lower_bound({cp_or_up, of_cp, 0});
  if (first == pending_of_session_.end() || !(*first < Order{cp_or_up, of_cp, arrival})) return nullptr;
  return &entry_of(std::get<2>(*first));
}

Transactions::Entry* Transactions::first_of(const PairOrder& pending, const Address& from, const Address& to,
                                            std::uint64_t before) {
  const auto first = pending.lower_bound({from, to, 0});
  if (first == pending.end() || !(*first < std::tuple(from, to, before))) return nullptr;
  return &entry_of(std::get<2>(*first));
}

void Transactions::expire(dp::Time now) {
  while (!by_arrival_.empty()) {
    const auto oldest = entries_.find(by_arrival_.begin()->second);
    const Entry& entry = oldest->second;
    if (entry.state == State::pending || after(entry.request.at, settings_.retransmission) > now) return;
    erase(oldest);
  }
}

void Transactions::forget(const Address& from, const Address& to, std::uint64_t arrival) {
  auto at = entries_.lower_bound({from, to, 0, 0, 0});
  while (at != entries_.end() && at->first.from == from && at->first.to == to) {
    const auto here = at++;
    if (here->second.arrival < arrival) erase(here);
  }
}

}  // namespace control::told::pfcp
