// Sessions of the PFCP source through their lives, and what the sink gets of them. A session lives from its
// establishment; a restart of a peer makes it stale, a deletion ending; it then goes at its deadline, or
// earlier if a session of the same UE takes over. Owned by the source. Bounded in sessions and rules.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "control/told/pfcp/session_index.h"
#include "control/told/pfcp/settings.h"
#include "control/told/source.h"

namespace control::told::pfcp {

class SessionTable {
 public:
  // Live sessions with one UE, at different UP functions; the oldest gives way.
  static constexpr std::size_t kMostOfUe = 4;

  enum class Outcome : std::uint8_t { applied, full, superseded };
  // Peers and keys of an establishment. The keys of the UP function are empty if there was no
  // response.
  struct Facts {
    Address cp, up;
    std::vector<SeidKey> cp_keys, up_keys;
    dp::Time asked;  // when it was on the wire
  };
  // The record is null unless it was applied.
  struct Established {
    Outcome outcome;
    Record* record = nullptr;
  };

  SessionTable(const PfcpSettings& settings, SessionSink& sink) : settings_(settings), sink_(sink) {}
  SessionTable(const SessionTable&) = delete;
  SessionTable& operator=(const SessionTable&) = delete;

  Record* number(std::uint64_t number) { return index_.number(number); }
  Record* by_up(const SeidKey& key) { return index_.by_up(key); }
  Record* by_cp(const SeidKey& key) { return index_.by_cp(key); }

  // `told`, here and below: when the message was on the wire. A session before
  // that has a key of the UP function is ending: that gave the SEID anew. Superseded: a later one of the UE
  // was applied first.
  Established establish(const Facts& facts, const SessionEdit& edit, const Answer* answer, dp::Time told);
  // The session lives (again). If there is no room for the rules, it stays as it is; if the sink has none for
  // the session, it is gone.
  Outcome modify(Record& record, const SessionEdit& edit, const Answer* answer, dp::Time told);
  // Applies a response that came after the session was taken for established.
  Outcome complete(Record& record, const Answer& answer, dp::Time told);
  void set_up_keys(Record& record, std::vector<SeidKey> keys, dp::Time told);
  void set_cp(Record& record, const Address& cp, std::vector<SeidKey> keys);

  void end(Record& record, dp::Time told);
  void make_stale(Record& record, dp::Time told);
  void remove(Record& record, dp::Time told);
  // All live sessions of a peer, or between two peers.
  void make_stale(const Address& peer, dp::Time told);
  void make_stale(const Address& peer, const Address& other, dp::Time told);
  void end_all(const Address& peer, const Address& other, dp::Time told);
  void end_set(const FqCsid& set, dp::Time told);

  // Removes what has reached its deadline.
  void advance(dp::Time now);
  dp::Time next_deadline();

  std::size_t size() const { return index_.size(); }
  std::size_t live() const { return index_.size() - index_.dying(); }
  std::size_t rules() const { return rules_; }

 private:
  void free_up_keys(std::span<const SeidKey> keys, const Record* wants, dp::Time told);
  bool apply_rules(Record& record, const SessionEdit& edit, const Answer* answer);
  Outcome publish(Record& record, const Session& before, dp::Time told);
  bool put(Record& record, std::span<Record* const> predecessors, dp::Time told);
  bool is_superseded(const Record& record);
  std::vector<Record*> predecessors(const Record& record);
  bool gives_way(const Record& other, const Record& to);
  void retire(Record& record, SessionState state, dp::Time deadline, dp::Time told);

  const PfcpSettings& settings_;
  SessionSink& sink_;
  SessionIndex index_;
  std::size_t rules_ = 0;
};

}  // namespace control::told::pfcp
