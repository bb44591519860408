// Requests that await their response, and those that have it, by which retransmissions are known (TS 29.244
// clause 6.4). Keyed by addresses, ports and sequence number. Owned by the source. Bounded in number, bytes
// and time; a lookup is logarithmic.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "control/told/pfcp/message.h"
#include "control/told/pfcp/settings.h"
#include "control/told/pfcp/values.h"
#include "control/told/source.h"

namespace control::told::pfcp {

inline Address address_of(const Endpoint& endpoint) { return {endpoint.hi, endpoint.lo, endpoint.ipv6}; }

// A session by a SEID at the address of the entity that chose it (F-SEID).
struct SeidKey {
  Address at;
  std::uint64_t seid = 0;
  friend auto operator<=>(const SeidKey&, const SeidKey&) = default;
};

struct Request {
  Endpoint from, to;
  MessageType type{};
  std::uint32_t sequence = 0;
  std::optional<std::uint64_t> seid;  // in the header
  // Requests of one session are told apart from others by one of these: the F-SEID of the CP function in an
  // establishment, that of the UP function in other requests.
  std::optional<SeidKey> cp, up;
  dp::Time at;
  std::uint64_t digest = 0;  // a hash of the message's octets
  std::vector<std::byte> ies;
};

class Transactions {
 public:
  // In the order of pairs of addresses.
  struct Key {
    Address from, to;
    std::uint16_t from_port = 0, to_port = 0;
    std::uint32_t sequence = 0;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  enum class State : std::uint8_t { pending, answered, assumed };
  struct Entry {
    std::uint64_t arrival = 0;  // their order
    State state = State::pending;
    Request request;            // without `ies` once it is not pending
    std::uint64_t session = 0;  // that the request was applied to; 0: none
  };

  explicit Transactions(const PfcpSettings& settings) : settings_(settings) {}
  Transactions(const Transactions&) = delete;
  Transactions& operator=(const Transactions&) = delete;

  static Key key_of(const Endpoint& from, const Endpoint& to, std::uint32_t sequence) {
    return {address_of(from), address_of(to), from.port, to.port, sequence};
  }

  // Null if there is none, or one that is too old to be the same.
  Entry* find(const Key& key, dp::Time now);
  // In place of one with the same key. Null if there are too many pending ones.
  Entry* add(Request request);
  // The entry is not pending any more. Returns its request with `ies`. Requires: it is pending.
  Request settle(Entry& entry, State state);

  // The oldest pending one that has waited long enough; null if there is none.
  Entry* due(dp::Time now);
  // When due() next returns one if nothing is added or settled.
  dp::Time next_due() const;
  // The oldest pending one of a session among those that came before `arrival`; null if there is none.
  Entry* earlier(const SeidKey& cp_or_up, bool of_cp, std::uint64_t arrival);
  // Likewise of a pair of addresses: any request, or an association setup.
  Entry* earlier(const Address& from, const Address& to, std::uint64_t arrival) {
    return first_of(pending_of_pair_, from, to, arrival);
  }
  Entry* earlier_setup(const Address& from, const Address& to, std::uint64_t arrival) {
    return first_of(pending_setups_, from, to, arrival);
  }

  // Drops what is too old.
  void expire(dp::Time now);
  // Drops what was sent from one address to another before `arrival`. Requires: none of it is pending.
  void forget(const Address& from, const Address& to, std::uint64_t arrival);

  std::size_t size() const { return entries_.size(); }
  std::size_t pending() const { return pending_.size(); }
  std::size_t pending_bytes() const { return pending_bytes_; }

 private:
  using Order = std::tuple<SeidKey, bool, std::uint64_t>;  // a session, true: by its CP function, and arrival
  using PairOrder = std::set<std::tuple<Address, Address, std::uint64_t>>;
  using Entries = std::map<Key, Entry>;

  static Key key_of(const Request& r) { return key_of(r.from, r.to, r.sequence); }
  Entry* first_of(const PairOrder& pending, const Address& from, const Address& to, std::uint64_t before);
  void unlist(const Entry& entry);
  void erase(Entries::iterator at);
  Entry& entry_of(std::uint64_t arrival) { return entries_.find(by_arrival_.find(arrival)->second)->second; }

  const PfcpSettings& settings_;
  std::uint64_t arrivals_ = 0;
  Entries entries_;
  std::map<std::uint64_t, Key> by_arrival_;
  std::set<std::uint64_t> pending_;  // by arrival, so that the oldest is first
  std::set<Order> pending_of_session_;
  PairOrder pending_of_pair_, pending_setups_;
  std::size_t pending_bytes_ = 0;
};

}  // namespace control::told::pfcp
