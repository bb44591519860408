// The sessions of all sources, bounded, and which of them has each UE: what the bearers of rncd are compared
// with.
#pragma once
#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "control/told/session.h"
#include "control/told/source.h"
#include "dataplane/base/address.h"
#include "dataplane/base/time.h"

namespace control::told {

// One thread's. A lookup or a change takes the logarithm of what is stored for each UE of the session.
class SessionTable {
 public:
  struct Entry {
    std::string_view source;  // valid as long as the table
    Session session;
    dp::Time told;  // when the message that last changed it was on the wire
  };
  // A UE whose bearer may no longer be as it should, since `told`.
  struct Change {
    dp::UeAddress ue;
    dp::Time told;
    friend bool operator==(const Change&, const Change&) = default;
  };
  // Bounds of a session, beside kMaxUes. put() refuses those beyond.
  static constexpr std::size_t kMaxText = 1024;  // octets of an id, a peer, an identity, a class hint
  static constexpr std::size_t kMaxFlows = 63;

  explicit SessionTable(std::size_t max_sessions) : max_sessions_(max_sessions) {}
  SessionTable(const SessionTable&) = delete;
  SessionTable& operator=(const SessionTable&) = delete;

  // The sink of a source, made at the first call. Valid as long as the table. Sources do not see each other's
  // sessions.
  SessionSink& sink_of(std::string_view source);

  std::size_t size() const noexcept { return size_; }
  // The session that has the UE; null if none claims it. A live session goes before one that is stale or
  // ending, then the one that came to claim the UE last, by the time on the wire; the others wait. A change
  // of its rates is no new claim. Valid until the next change of the table.
  const Entry* holder_of(const dp::UeAddress& ue) const;
  // Null if there is none. Valid as holder_of().
  const Entry* find(std::string_view source, std::string_view id) const;
  // f(entry), by source and id.
  template <class F>
  void for_each(F&& f) const {
    for (const auto& [name, sink] : sinks_) {
      for (const auto& [id, row] : sink->rows) f(row.entry);
    }
  }
  // f(ue, entry that has it), in order of UEs.
  template <class F>
  void for_each_ue(F&& f) const {
    const dp::UeAddress* before = nullptr;
    for (const Claim& claim : claims_) {
      if (before == nullptr || *before != claim.ue) f(claim.ue, claim.row->entry);
      before = &claim.ue;
    }
  }

  // f(ue, entry that has it), in order of UEs, for those after `after`, or for all; f returns false to end.
  template <class F>
  void for_each_ue_after(const std::optional<dp::UeAddress>& after, F&& f) const {
    auto claim = after ? claims_.upper_bound(last_of(*after)) : claims_.begin();
    while (claim != claims_.end() && f(claim->ue, claim->row->entry)) {
      claim = claims_.upper_bound(last_of(claim->ue));
    }
  }

  // The change mark: UEs of which the holder, or what it was told, has changed and which were not taken
  // since.
  bool has_changes() const noexcept { return !changes_.empty() || lost_.has_value(); }
  std::size_t changes() const noexcept { return changes_.size(); }
  // At most `most` UEs, those that changed first before the others. Of two changes the time is the first's.
  std::vector<Change> take_changes(std::size_t most);
  // Marks a UE again, whose change could not be applied.
  void mark(const dp::UeAddress& ue, dp::Time told);
  // The time of the first of changes that were too many to be remembered: every UE has to be compared. None
  // if there were none since the last call.
  std::optional<dp::Time> take_lost_changes();

 private:
  struct Row;
  struct Claim {
    dp::UeAddress ue;
    bool waits = false;  // its session is not live
    dp::Time told;
    std::uint64_t serial = 0;
    const Row* row = nullptr;
    // By UE; the holder of a UE is its first.
    friend std::weak_ordering operator<=>(const Claim& a, const Claim& b) noexcept {
      if (const auto order = a.ue <=> b.ue; order != 0) return order;
      if (a.waits != b.waits) return a.waits <=> b.waits;
      if (a.told != b.told) return b.told <=> a.told;
      return b.serial <=> a.serial;
    }
  };
  // Not before any claim to the UE.
  static Claim last_of(const dp::UeAddress& ue) {
    return {.ue = ue, .waits = true, .told = dp::Time::min(), .serial = 0, .row = nullptr};
  }
  struct Row {
    Entry entry;
    std::vector<Claim> claims;  // by UE
  };
  struct Sink final : SessionSink {
    Sink(SessionTable& table_, std::string name_) : table(table_), name(std::move(name_)) {}
    bool put(const Session& session, dp::Time told) override { return table.put(*this, session, told); }
    void remove(std::string_view id, dp::Time told) override { table.remove(*this, id, told); }

    SessionTable& table;
    std::string name;
    std::map<std::string, Row, std::less<>> rows;  // by id
  };

  bool put(Sink& sink, const Session& session, dp::Time told);
  void remove(Sink& sink, std::string_view id, dp::Time told);
  void replace_claims(Row& row, const Session& session, dp::Time told);
  const Row* row_of(const dp::UeAddress& ue) const;

  std::size_t max_sessions_;
  std::size_t size_ = 0;
  std::uint64_t serial_ = 0;  // the last claim's
  std::map<std::string, std::unique_ptr<Sink>, std::less<>> sinks_;
  std::set<Claim> claims_;
  std::map<dp::UeAddress, dp::Time> changes_;
  std::deque<dp::UeAddress> change_order_;
  std::optional<dp::Time> lost_;
};

}  // namespace control::told
