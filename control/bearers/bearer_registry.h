// The bearers that exist: the settings sent for each, its origin, and the object that a worker holds. Belongs
// to the control thread; the bearers in it belong to the slab.
// Tests: tests/unit/control/bearers/plan_test.cc, tests/unit/control/bearers/applier_test.cc
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <type_traits>
#include <utility>

#include "config/networks.h"
#include "control/bearers/bearer_meter.h"
#include "control/bearers/claims.h"
#include "control/bearers/shared_settings.h"
#include "dataplane/base/address.h"
#include "dataplane/base/expect.h"
#include "dataplane/base/ids.h"
#include "dataplane/bearer/class_counters.h"
#include "dataplane/bearer/parts.h"

namespace dp {
struct Bearer;
}

namespace control {

struct CellRecord;

enum class Origin : std::uint8_t { file, socket, learnt };

struct Record {
  SharedSettings settings;
  Origin origin = Origin::socket;
  dp::Bearer* bearer = nullptr;
  dp::BearerParts parts{};          // the bearer's parts, by the last answer of its worker
  CellRecord* cell = nullptr;       // the cell in which it has a room, if any
  SharedSettings sent{};            // the last settings on their way to the worker
  CellRecord* cell_sent = nullptr;  // the cell that it enters with these
  std::uint32_t under_way = 0;      // changes sent and not answered; 0 if `sent` is none
  std::uint32_t downlink_teid = 0;  // TEID of the downlink of a bearer by TEID, as listed or told last
  BearerMeter::Seat seat = BearerMeter::kNoSeat;  // in the registry's meter; none without a bearer

  // One of its parts, to be read; null when it has none.
  template <class Kind>
  const std::remove_pointer_t<typename Kind::Handle>* part(std::size_t slot = 0) const {
    return parts.of<Kind>(slot);
  }

  // The settings that the bearer will have when the next command reaches its worker.
  const dp::BearerSettings& coming() const { return sent ? *sent : *settings; }
  CellRecord* coming_cell() const { return sent ? cell_sent : cell; }

  // A change is sent; an outstanding change was answered.
  void set_out(const SharedSettings& settings, CellRecord* to) {
    sent = settings;
    cell_sent = to;
    ++under_way;
  }
  // Requires: one is under way.
  void arrive(CellRecord* in) {
    DP_EXPECT(under_way > 0);
    cell = in;
    if (--under_way != 0) return;
    sent = {};
    cell_sent = nullptr;
  }
};

// Bearers counted by direction and by the index of their AQM in AqmList.
using PolicyCounts = std::array<std::array<std::int64_t, dp::AqmList::kSize>, 2>;

// Bearers with a split proxy, counted by class.
using ProxyCounts = std::array<std::uint32_t, dp::kMaxClasses>;

class BearerRegistry {
 public:
  using Map = std::map<dp::UeAddress, Record>;
  // Called when a UE has a bearer, is about to have one, or has one less.
  using OnChange = std::function<void(const dp::UeAddress& ue, bool there)>;

  // Sets the networks by which UEs are named. Requires: they outlive this, and have the networks of all
  // bearers.
  void name_by(const config::Networks& networks) { networks_ = &networks; }
  // "10.45.0.2", in a network "10.45.0.2@NAME".
  std::string text_of(const dp::UeAddress& ue) const {
    return networks_ == nullptr ? dp::to_string(ue) : config::text_of(ue, *networks_);
  }

  // At most one watches.
  void watch(OnChange on_change) { on_change_ = std::move(on_change); }
  // announce(): the UE is about to get a bearer, which insert() will report. withdraw(): it did not get it.
  void announce(const dp::UeAddress& ue) {
    announced_.insert(ue);
    tell(ue, true);
  }
  void withdraw(const dp::UeAddress& ue) {
    announced_.erase(ue);
    if (find(ue) == nullptr) tell(ue, false);
  }
  // True if a UE with that address, in whatever network, has any bearer or is about to.
  bool has_address_of(const dp::UeAddress& ue) const {
    const dp::UeAddress least{ue.hi, ue.lo, ue.kind, dp::kNoNetwork};
    const auto alike = [&](const dp::UeAddress& other) {
      return other.hi == ue.hi && other.lo == ue.lo && other.kind == ue.kind;
    };
    const auto has = records_.lower_bound(least);
    const auto about_to = announced_.lower_bound(least);
    return (has != records_.end() && alike(has->first)) || (about_to != announced_.end() && alike(*about_to));
  }

  const Record* find(const dp::UeAddress& ue) const {
    const auto at = records_.find(ue);
    return at == records_.end() ? nullptr : &at->second;
  }
  Record* find(const dp::UeAddress& ue) {
    return const_cast<Record*>(static_cast<const BearerRegistry*>(this)->find(ue));
  }
  // Replaces the UE's record, if it has one. Requires: the record has settings.
  void insert(const dp::UeAddress& ue, Record record) {
    announced_.erase(ue);
    record.settings = pool_.share(record.settings);
    count(record, 1);
    tell(ue, true);
    if (record.bearer != nullptr) record.seat = meter_.add(ue, *record.bearer);
    const std::size_t before = size();
    const auto at = records_.try_emplace(records_.end(), ue, std::move(record));  // mostly it is the last
    if (size() != before) return;
    leave(at->second);
    at->second = std::move(record);  // a failed try_emplace() has taken nothing from it
  }
  void erase(const dp::UeAddress& ue) {
    const auto at = records_.find(ue);
    if (at == records_.end()) return;
    leave(at->second);
    const dp::UeAddress gone = at->first;
    claims_.erase(gone);
    records_.erase(at);
    tell(gone, false);
  }
  // Both require: the record is in here.
  void set_origin(Record& record, Origin origin) {
    count(record.origin, -1);
    count(record.origin = origin, 1);
  }

  void set_settings(Record& record, const SharedSettings& settings) {
    count_settings(*record.settings, -1);
    record.settings = pool_.share(settings);
    count_settings(*record.settings, 1);
  }

  // The object that bearers with these settings share; SettingsPool::share().
  SharedSettings share(const SharedSettings& settings) { return pool_.share(settings); }

  // In order of address.
  const Map& all() const { return records_; }
  Map::const_iterator after(const dp::UeAddress& ue) const { return records_.upper_bound(ue); }
  std::size_t size() const { return records_.size(); }
  std::size_t count(Origin origin) const { return counts_[dp::index(origin)]; }
  const PolicyCounts& policies() const { return policies_; }
  const ProxyCounts& proxied() const { return proxied_; }
  // Claims of programs, and of operators for a time. A bearer takes its claim along when it goes.
  Claims& claims() { return claims_; }
  const Claims& claims() const { return claims_; }
  // Samples of the bearers' counters, for whoever has the control thread's time for them (proceed()).
  BearerMeter& meter() { return meter_; }
  const BearerMeter& meter() const { return meter_; }

 private:
  void leave(const Record& record) {
    count(record, -1);
    if (record.seat != BearerMeter::kNoSeat) meter_.remove(record.seat);
  }
  void count(const Record& record, std::int64_t by) {
    count(record.origin, by);
    count_settings(*record.settings, by);
  }
  void tell(const dp::UeAddress& ue, bool there) const {
    if (on_change_) on_change_(ue, there);
  }
  void count(Origin origin, std::int64_t by) {
    std::size_t& count = counts_[dp::index(origin)];
    DP_EXPECT(by > 0 || count > 0);
    count += static_cast<std::size_t>(by);
  }
  // A leg that holds nothing back has no policy.
  void count_settings(const dp::BearerSettings& settings, std::int64_t by) {
    if (settings.proxy) {
      std::uint32_t& count = proxied_[settings.cls];
      DP_EXPECT(by > 0 || count > 0);
      count += static_cast<std::uint32_t>(by);
    }
    for (const dp::Direction d : dp::kDirections) {
      const dp::LegSettings& leg = d == dp::Direction::downlink ? settings.downlink : settings.uplink;
      if (!dp::buffers(leg.link)) continue;
      std::int64_t& count = policies_[dp::index(d)][leg.aqm.index()];
      count += by;
      DP_EXPECT(count >= 0);
    }
  }

  const config::Networks* networks_ = nullptr;
  OnChange on_change_;
  std::set<dp::UeAddress> announced_;  // UEs announced and not yet inserted
  Map records_;
  SettingsPool pool_;
  BearerMeter meter_;
  Claims claims_;
  std::array<std::size_t, 3> counts_{};
  PolicyCounts policies_{};
  ProxyCounts proxied_{};
};

}  // namespace control
