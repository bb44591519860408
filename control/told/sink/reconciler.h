// Keeps rncd's bearers as the sessions ask for: wanted bearers against those that rncd lists, at every change
// and every half minute in full. Level, not edge: each call is made from what is wanted when it is sent, so
// that either side may restart and any answer may be lost. It has no connection and no clock of its own.
// Tests: tests/unit/control/told/sink/reconciler_property_test.cc
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "control/told/class_map.h"
#include "control/told/session_table.h"
#include "control/told/sink/apply_times.h"
#include "control/told/sink/call.h"
#include "control/told/sink/known_bearers.h"
#include "control/told/sink/wanted_bearer.h"
#include "control/told/sink/work.h"
#include "dataplane/base/time.h"

namespace control::told {

struct ReconcilerSettings {
  std::vector<std::string> owners;  // the sources' names: bearers of others are left alone
  SinkSettings sink{};
  // Calls of an earlier rncd-told, or of an earlier connection, are refused by it. Grows from one start to
  // the next.
  std::uint64_t generation = 0;
  std::size_t max_inherited = 400'000;
  dp::Duration debounce = std::chrono::milliseconds(5);
  dp::Duration full_pass = std::chrono::seconds(30);
  std::chrono::seconds ttl{120};  // a bearer that nobody refreshes lives for it
  dp::Duration least_pause = std::chrono::milliseconds(10), most_pause = std::chrono::seconds(1);
  // Bearers that an earlier rncd-told has made stay for this long, for their sessions to be told again.
  dp::Duration inherit = std::chrono::seconds(1020);
  // Those of these owners stay until their UE is told anew: their core tells a session once.
  std::vector<std::string> lasting{};
};

// One thread's. At most one call is under way. Holds an entry a bearer that sessions ask for, at most
// max_inherited beside them, and calls with at most WorkPlan::kMostEntries bearers.
class Reconciler {
 public:
  static constexpr int kMostRefusals = 64;  // in one plan, before the rest waits for a full pass

  // Requires: the table and the classes outlive this.
  Reconciler(SessionTable& table, const ClassMap& classes, ReconcilerSettings settings, dp::Time now);

  void connected(dp::Time now);
  // The call under way gets no answer.
  void disconnected(dp::Time now);
  // The next call, if one is due; it is then under way. To be called after each change of the table, and at
  // due().
  std::optional<RncdCall> next(dp::Time now);
  // The outcome of the call under way; ignored if there is none.
  void answered(dp::Time now, const Json& result);
  void refused(dp::Time now, const RncdRefusal& refusal);
  // When next() has something to do again; kNever while it waits for an answer, a connection or a change.
  dp::Time due() const;

  bool is_connected() const noexcept { return connected_; }
  // Bearers that are not, or not known to be, as they should be. All while there is no connection.
  std::size_t drift() const noexcept;
  // Null if nothing asks for it. Valid until the next call of a function that is not const.
  const KnownBearer* find(const dp::UeAddress& bearer) const { return known_.find(bearer); }
  const KnownBearers& known() const noexcept { return known_; }
  const ApplyTimes& apply_times() const noexcept { return times_; }
  std::uint64_t refusals() const noexcept { return refused_calls_; }
  std::uint64_t full_passes() const noexcept { return pass_.completed; }
  // Why the last call was refused as a whole; empty if a later one was not.
  const std::string& problem() const noexcept { return problem_; }

 private:
  enum class Phase : std::uint8_t { idle, list, set, inherited, retry };
  struct FullPass {
    Phase phase = Phase::idle;
    std::uint64_t number = 0, completed = 0;
    std::uint64_t listed = 0;  // the last whose listing was complete
    dp::Time began{}, next{};
    std::size_t owner = 0;  // whose bearers are listed
    std::string cursor{};
    std::optional<dp::UeAddress> after{};  // the phase goes on behind it
    std::vector<dp::UeAddress> refused{};  // bearers to try at the end, by themselves
  };

  // reconciler.cc
  void note_changes(dp::Time now);
  void refill(dp::Time now);
  void take_changes(dp::Time now);
  void plan(const SessionTable::Change& change, WorkPlan& into, dp::Time now);
  void plan_removals(const dp::UeAddress& ue, const SessionTable::Entry* entry,
                     const std::vector<WantedBearer>& wanted, WorkPlan& into);
  std::optional<WantedBearer> wanted(const dp::UeAddress& bearer, std::string_view owner) const;
  bool is_wanted(const dp::UeAddress& bearer) const;

  // outcomes.cc
  void set_done(const Work& work, const Json& result, dp::Time now);
  BearerState state_after(const KnownBearer& known, std::uint64_t kept, std::size_t of) const;
  void removed(const Work& work);
  void leave_out(const RefusedEntry& entry, dp::Time now);
  void make_smaller(const RncdRefusal& refusal, dp::Time now);
  void give_up_rest(std::string_view why, dp::Time now);
  void fail_all(dp::Time now);
  void drop_empty();

  // full_pass.cc
  void advance_pass(dp::Time now);
  void begin_pass(dp::Time now);
  void plan_sets(dp::Time now);
  void plan_inherited();
  void plan_retries();
  void listed(const Work& work, const Json& result, dp::Time now);
  void wake_if_active(const dp::UeAddress& bearer, const std::string& owner, const Json& row, dp::Time now);
  void note_row(const Json& row, const std::string& owner, WorkPlan& removals, dp::Time now);
  bool inherits(const dp::UeAddress& bearer, const std::string& owner, const Json& row, dp::Time now);
  bool has_lapsed(const std::string& owner, dp::Time now) const;
  void note_unseen(dp::Time now);

  SessionTable& table_;
  const ClassMap& classes_;
  const ReconcilerSettings settings_;
  std::uint64_t generation_;
  const dp::Time inherit_until_;
  KnownBearers known_;
  std::size_t inherited_ = 0;
  std::size_t strays_ =
      0;  // bearers of ours that were listed and that nothing asks for, until they are removed
  std::deque<Work> work_;  // the first is under way if asked_
  bool connected_ = false, asked_ = false;
  bool changes_first_ = true;            // whose turn it is, if there are changes and a full pass
  std::optional<dp::Time> changes_due_;  // none: no change is known
  dp::Time pause_until_ = dp::Time::min();
  int failures_ = 0;  // in a row
  int refusals_ = 0;  // of the present plan
  FullPass pass_;
  ApplyTimes times_;
  std::uint64_t refused_calls_ = 0;
  std::string problem_;
};

}  // namespace control::told
