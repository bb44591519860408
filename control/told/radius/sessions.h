// The sessions of the RADIUS source: accounting requests make, refresh and end them, disconnect and CoA
// requests end and change them, silence ends them (RFC 2866, RFC 5176). Each change goes to the sink at once.
// Tests: tests/unit/control/told/radius/property_test.cc
// Tests: tests/unit/control/told/radius/sessions_clear_test.cc
// Tests: tests/unit/control/told/radius/sessions_change_test.cc
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "control/told/radius/attributes.h"
#include "control/told/radius/ended.h"
#include "control/told/radius/record.h"
#include "control/told/source.h"
#include "dataplane/base/time.h"

namespace control::told::radius {

struct SessionTimes {
  dp::Duration interim = std::chrono::seconds(900);  // between interims of a NAS
  dp::Duration grace = std::chrono::seconds(120);    // beyond it, until the session ends
  dp::Duration after_stop = std::chrono::seconds(2);
};

enum class Outcome : std::uint8_t {
  applied,
  late,         // an interim of a session that has just ended, or a request that newer ones have overtaken
  no_id,        // no Acct-Session-Id, or no NAS for on and off
  id_too_long,  // NAS and Acct-Session-Id have more than kMaxId octets
  full,         // the table of sessions is full
  no_session,   // none has these identifications
  no_name,      // a disconnect or CoA request without any identification
  many,         // more than one session has these identifications
  no_change,    // a CoA request without a rate or a class
};

// One thread's. Bounded by the sink: a session that it does not take is not held here either. A session is
// known by NAS and Acct-Session-Id. No call costs more than the logarithm of what is stored, but for a slice
// of work that became due. Requires of all calls: times do not go back.
class Sessions {
 public:
  static constexpr std::size_t kMaxId = 255;          // octets
  static constexpr std::size_t kSlice = 256;          // sessions that end in one call because it is time
  static constexpr std::size_t kMostCandidates = 16;  // records of one name that are looked at

  Sessions(SessionSink& sink, const SessionTimes& times) : sink_(sink), times_(times) {}
  Sessions(const Sessions&) = delete;
  Sessions& operator=(const Sessions&) = delete;

  // A request is as old as its delay says: it changes nothing that a later one has told. `from` stands for a
  // NAS that has not named itself, and is the peer of a new session.
  Outcome start(const Told& told, const std::string& from, dp::Time at) {
    return refresh(told, from, at, true);
  }
  Outcome interim(const Told& told, const std::string& from, dp::Time at) {
    return refresh(told, from, at, false);
  }
  Outcome stop(const Told& told, const std::string& from, dp::Time at);
  // Accounting on or off: all sessions of the NAS end, in slices.
  Outcome clear(const Told& told, const std::string& from, dp::Time at);
  Outcome disconnect(const Told& told, dp::Time at);
  // Rates that the request has replace those told before, each alone; a class without a rate takes both rates
  // away, so that those of the class hold.
  Outcome change(const Told& told, dp::Time at);

  // Ends what is due by `now`. Returns when it is to be called next; kNever if nothing waits.
  dp::Time advance(dp::Time now);

  std::size_t size() const noexcept { return records_.size(); }
  std::uint64_t timed_out() const noexcept { return timed_out_; }  // sessions that fell silent
  // Sessions without a stop that gave way to one of the same identity and address.
  std::uint64_t replaced() const noexcept { return replaced_; }

 private:
  // A NAS with live sessions, or with sessions that are to be cleared.
  struct Nas {
    std::uint64_t boot = 0;      // counts on and off
    dp::Time cleared{};          // the last of them
    bool queued = false;         // in clearing_
    std::list<Record*> records;  // live ones, those of older boots first
  };
  struct Match {
    Record* record;
    Outcome outcome;
  };

  Outcome refresh(const Told& told, const std::string& from, dp::Time at, bool start);
  Outcome make(const Told& told, const std::string& id, const std::string& from, dp::Time at);
  Record* find(const std::string& id);
  Match match(const Told& told);
  std::vector<Record*> candidates(const Told& told);
  bool admit(Record& record, dp::Time at);
  std::vector<Record*> replaced_by(const Record& record) const;
  void give_way(Record& record, dp::Time at);
  void enlist(Record& record, dp::Time at);
  void leave_nas(Record& record);
  void settle(Record& record);
  void end(Record& record, dp::Time at);
  void drop(Record& record, dp::Time told);
  std::size_t clear_some(std::size_t most);

  SessionSink& sink_;
  const SessionTimes times_;
  std::map<std::string, Record, std::less<>> records_;  // by id
  std::map<std::string, Nas> nases_;
  std::deque<std::string> clearing_;  // NASes with records of older boots
  NameIndex names_;
  std::list<Record*> live_, ending_;  // by Record::due
  EndedSessions ended_;
  std::uint64_t serial_ = 0;
  std::uint64_t timed_out_ = 0, replaced_ = 0;
};

}  // namespace control::told::radius
