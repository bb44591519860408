// Sessions of the PFCP source by all that they are looked up by. Owns the records; they do not move. A lookup
// is logarithmic. Owned by the table of sessions, which bounds their number.
// Tests: tests/unit/control/told/pfcp/session_table_test.cc
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "control/told/pfcp/rule_set.h"
#include "control/told/pfcp/transactions.h"
#include "control/told/session.h"

namespace control::told::pfcp {

struct Record {
  std::uint64_t number = 0;
  Address cp, up;                         // from which, and to which, its requests go
  std::vector<SeidKey> cp_keys, up_keys;  // its F-SEIDs; those of the UP function may not be known yet
  dp::Time asked;                         // when its establishment was on the wire
  RuleSet rules;
  std::vector<FqCsid> sets;
  Session session;
  bool published = false;          // the sink has it
  std::vector<dp::UeAddress> ues;  // by which it is listed; those of the session when the sink got it
  dp::Time deadline = dp::kNever;  // of a stale or ending one
};

class SessionIndex {
 public:
  Record& add(const Address& cp, const Address& up);
  void erase(Record& record);
  std::size_t size() const { return records_.size(); }
  std::size_t dying() const { return deadlines_.size(); }

  // Null if there is none.
  Record* number(std::uint64_t number);
  Record* by_up(const SeidKey& key) { return of_key(up_, key); }
  Record* by_cp(const SeidKey& key) { return of_key(cp_, key); }
  // Replaces the record's keys. A key of another session becomes this one's.
  void set_up_keys(Record& record, std::vector<SeidKey> keys) { set_keys(up_, record.up_keys, record, keys); }
  void set_cp_keys(Record& record, std::vector<SeidKey> keys) { set_keys(cp_, record.cp_keys, record, keys); }

  void set_ues(Record& record, std::vector<dp::UeAddress> ues);
  // All sessions with the UE, oldest first.
  std::vector<Record*> with_ue(const dp::UeAddress& ue);

  void set_sets(Record& record, std::vector<FqCsid> sets);
  Record* first_of_set(const FqCsid& set);

  // Lists a session by its state between its peers, and by its deadline.
  void set_deadline(Record& record, dp::Time deadline);
  void set_cp(Record& record, const Address& cp);
  // The first to reach its deadline; null if there is none.
  Record* first_dying();
  // The first live one of a peer, or between two; null if there is none.
  Record* first_live(const Address& peer);
  Record* first_live(const Address& peer, const Address& other) { return first_between(live_, peer, other); }
  Record* first_stale(const Address& peer, const Address& other) {
    return first_between(stale_, peer, other);
  }

 private:
  using Keys = std::map<SeidKey, std::uint64_t>;

  Record* of_key(const Keys& keys, const SeidKey& key);
  void set_keys(Keys& keys, std::vector<SeidKey>& now, const Record& record, std::vector<SeidKey> wanted);
  // From either peer's side.
  using BetweenPeers = std::set<std::tuple<Address, Address, std::uint64_t>>;
  Record* first_between(const BetweenPeers& listed, const Address& peer, const Address& other);
  void list(const Record& record);
  void unlist(const Record& record);

  std::uint64_t numbers_ = 0;
  std::map<std::uint64_t, Record> records_;
  Keys up_, cp_;
  std::set<std::pair<dp::UeAddress, std::uint64_t>> ues_;
  std::set<std::pair<FqCsid, std::uint64_t>> sets_;
  std::set<std::pair<dp::Time, std::uint64_t>> deadlines_;
  BetweenPeers live_, stale_;
};

}  // namespace control::told::pfcp
