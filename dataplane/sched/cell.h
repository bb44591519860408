// A cell whose slots are shared by bearers: each slot is one bearer's, at the rate that its radio carries
// then. Made and freed by control, lent to one worker, which has all its bearers (sched/cell_member.h): they
// enter, leave and move on while traffic runs, none of which takes memory.
//
// A room is the right to a place, taken by whoever prepares a bearer for the cell, from any thread, so that a
// full cell is known before the bearer is on its way. The place is what the cell keeps of who has entered.
#pragma once
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "dataplane/base/expect.h"
#include "dataplane/packet/context.h"
#include "dataplane/sched/cell_counters.h"
#include "dataplane/sched/cell_member.h"
#include "dataplane/sched/cell_settings.h"
#include "dataplane/sched/engines.h"
#include "dataplane/sched/means.h"
#include "dataplane/sched/places.h"
#include "dataplane/sched/slot_clock.h"

namespace dp {

// Its own timer is armed for the next slot as long as anybody is backlogged, or has one, and rests else.
class Cell : private WorkerTimer {
 public:
  // A poll that comes later than this finds the slots before gone: a worker that stood still for seconds does
  // not send seconds of slots at once.
  static constexpr Duration kLatest{100'000'000};

  // For that worker. Its slots begin `phase` after those of the clock, so that the cells of a worker need not
  // all begin at one instant.
  explicit Cell(const CellSettings& settings, unsigned worker = 0, Duration phase = {})
      : WorkerTimer(&Cell::on_slot),
        settings_(settings),
        worker_(worker),
        scheduler_(SchedulerEngines::make(settings.scheduler)),
        means_(settings.members, alpha_of(settings)),
        places_(settings.members),
        clock_(settings.slots, phase) {
    members_.resize(settings.members);
    users_.reserve(settings.members);
  }

  unsigned worker() const noexcept { return worker_; }
  const CellCounters& counters() const noexcept { return counters_; }

  // These are any thread's. False when there is no room left, and when no more are given.
  bool take_room() noexcept {
    std::uint32_t taken = rooms_.load(std::memory_order_relaxed);
    do {
      if (taken >= room()) return false;
    } while (!rooms_.compare_exchange_weak(taken, taken + 1, std::memory_order_relaxed));
    return true;
  }
  // Requires: one was taken.
  void give_room() noexcept {
    [[maybe_unused]] const std::uint32_t before = rooms_.fetch_sub(1, std::memory_order_relaxed);
    DP_EXPECT(before > 0);
  }
  // Takes one for a bearer that is being prepared. Requires: the bearer has none.
  bool admit(CellMember& member) noexcept {
    DP_EXPECT(member.cell() == nullptr);
    if (!take_room()) return false;
    member.set_cell(this);
    return true;
  }
  // No more are given from here on; false, and nothing has changed, while one is taken.
  bool close() noexcept {
    std::uint32_t none = 0;
    return rooms_.compare_exchange_strong(none, room(), std::memory_order_relaxed);
  }
  std::uint32_t rooms_taken() const noexcept { return rooms_.load(std::memory_order_relaxed); }
  std::uint32_t room() const noexcept { return places_.size(); }
  // A UE was not learnt, since there was no room.
  void count_refused() noexcept { counters_.refused.fetch_add(1, std::memory_order_relaxed); }

  // All that follows is the worker's.

  // `leg` serves what slots have carried, when they end (collect() below); the cell calls it. Requires:
  // the member has a room here, and no place.
  void enter(CellMember& member, WorkerTimer& leg) noexcept {
    DP_EXPECT(member.cell_ == this && member.place_ == CellMember::kNoPlace);
    const CellPlace place = places_.take();
    members_[place] = &member;
    means_.set(place, MeanRates::kFirstMean);
    if (settings_.newcomer == CellNewcomer::fair) places_.mark_new(place);
    member.leg_ = &leg;
    member.place_ = place;
    member.carried_ = 0;
    member.served_ = 0;
    member.held_ = -1;
  }
  // The place is free again; the room stays taken. Requires: it has a place here.
  void leave(CellMember& member, Context& context) noexcept {
    void_slot(member, context);
    places_.free(member.place_);
    members_[member.place_] = nullptr;
    member.place_ = CellMember::kNoPlace;
  }

  // These require: the member has a place here.
  // It has something to send from `t` on, first an SDU of a short flow, or not.
  void wake(CellMember& member, bool short_flow, Time t, Context& context) noexcept {
    const CellPlace place = place_of(member);
    places_.set_short(place, short_flow);
    const bool idle = !armed() && !settling_;  // the whole cell
    if (idle) pass_until(t);
    if (places_.wake(place)) woken(member);
    if (idle) context.timers.arm(*this, clock_.begin(next_));
  }
  // It has nothing more.
  void rest(CellMember& member) noexcept {
    const CellPlace place = place_of(member);
    if (!places_.rest(place)) return;
    if (settings_.idle == CellIdle::hold) member.held_ = means_.mean(place);
    counters_.backlogged.set(places_.awake());
  }
  // What it had is gone, and the slot that carries it.
  void void_slot(CellMember& member, Context& context) noexcept {
    rest(member);
    if (holder_ == &member) holder_ = nullptr;
    member.carried_ = 0;
    if (places_.awake() == 0 && holder_ == nullptr) context.timers.cancel(*this);
  }
  // What the slot that ended carried, in 1 / kCellUnitsPerBit bit, once.
  std::uint64_t collect(CellMember& member) noexcept { return std::exchange(member.carried_, 0); }
  // A_i, bit/s.
  double mean(const CellMember& member) const noexcept { return means_.mean(place_of(member)); }

  // From the next slot on; it is `t`. Requires: as many members as it was made with.
  void reconfigure(const CellSettings& settings, Time t) noexcept {
    DP_EXPECT(settings.members == settings_.members);
    if (!armed()) pass_until(t);
    if (settings.idle != settings_.idle) change_idle(settings.idle);
    if (settings.slots != settings_.slots) next_ = clock_.change(settings.slots, next_);
    settings_ = settings;
    scheduler_ = SchedulerEngines::make(settings.scheduler);
    means_.set_alpha(alpha_of(settings));
  }
  // It stood still for so long: the mode was `block`.
  void postpone(Duration pause) noexcept {
    clock_.postpone(pause);
    slot_end_ += pause;
  }
  // It is control's again. Requires: nobody has a place.
  void stop(Context& context) noexcept {
    DP_EXPECT(places_.taken() == 0);
    context.timers.cancel(*this);
  }

  Cell* next = nullptr;  // in the worker's list (sched/cell_list.h)

 private:
  static double alpha_of(const CellSettings& settings) noexcept {
    return std::visit([](const auto& config) { return config.alpha; }, settings.scheduler);
  }
  CellPlace place_of(const CellMember& member) const noexcept {
    DP_EXPECT_HOT(member.place_ < members_.size() && members_[member.place_] == &member);
    return member.place_;
  }
  void woken(CellMember& member) noexcept {
    if (settings_.idle == CellIdle::hold && member.held_ >= 0) means_.set(member.place_, member.held_);
    member.held_ = -1;
    counters_.backlogged.set(places_.awake());
  }
  // The means of those who rest are held from here on, or decay from what they were held at.
  void change_idle(CellIdle idle) noexcept {
    for (CellMember* member : members_) {
      if (member == nullptr || places_.waits(member->place_)) continue;
      if (idle == CellIdle::hold) {
        member->held_ = means_.mean(member->place_);
      } else if (member->held_ >= 0) {
        means_.set(member->place_, std::exchange(member->held_, -1));
      }
    }
  }
  // Those that began before `t` while the whole cell was idle.
  void pass_until(Time t) noexcept { pass(std::max(next_, clock_.slot_from(t)) - next_); }
  // So many slots are nobody's, and were not waited for.
  void pass(std::uint64_t slots) noexcept {
    if (slots == 0) return;
    means_.pass(slots);
    next_ += slots;
  }

  static void on_slot(WorkerTimer& timer, Time deadline, Context& context) {
    static_cast<Cell&>(timer).begin_slot(deadline, context);
  }
  // The slot that ends is settled before the next is given away: who has nothing more gets no more.
  void begin_slot(Time t, Context& context) noexcept {
    if (holder_ != nullptr && t >= slot_end_) settle(t, context);
    if (places_.awake() == 0 && holder_ == nullptr) return;
    if (t >= clock_.begin(next_)) {
      skip_missed(context.now);
      give_slot();
    }
    const Time next = clock_.begin(next_);
    context.timers.arm(*this, holder_ == nullptr ? next : std::min(next, slot_end_));
  }
  // The holder's leg takes what its slot carried, and says what comes next: it wakes again, or rests.
  void settle(Time t, Context& context) noexcept {
    CellMember& member = *std::exchange(holder_, nullptr);
    member.carried_ += slot_units_;
    settling_ = true;
    member.leg_->call(t, context);
    settling_ = false;
  }
  void skip_missed(Time now) noexcept {
    const std::uint64_t from = clock_.slot_from(now - kLatest);
    if (from <= next_) return;
    counters_.slots_nobody.add(from - next_);
    pass(from - next_);
  }

  // The next slot, to whom the scheduler chooses. To whom it would carry nothing it is not given: it would be
  // lost for all.
  void give_slot() noexcept {
    const bool given_away = clock_.shared(next_, settings_.share);
    if (given_away) gather_users();
    if (!given_away || users_.empty()) {
      counters_.slots_nobody.add(1);
      return pass(1);
    }
    const std::size_t who = std::visit([&](const auto& s) { return s.choose(users_); }, scheduler_);
    DP_EXPECT(who < users_.size());
    const SlotUser& user = users_[who];
    means_.count(user.place, user.rate);
    CellMember& chosen = *members_[user.place];
    chosen.served_ = ++turn_;
    chosen.slots_.add(1);
    chosen.mean_.set(static_cast<std::uint64_t>(means_.mean(user.place)));
    const bool short_flow = places_.is_short(user.place);
    if (long_waits_) spend_on_short(short_flow);
    (short_flow ? counters_.slots_short : counters_.slots_long).add(1);
    counters_.bits.add(user.rate / settings_.slots);
    holder_ = &chosen;
    slot_units_ = user.rate * (kCellUnitsPerBit / settings_.slots);
    slot_end_ = clock_.begin(++next_);
  }

  void gather_users() noexcept {
    users_.clear();
    const CellSlot slot = clock_.slot(next_, &counters_.stale_reports);
    const bool priority = short_first();
    long_waits_ = false;
    places_.for_each_awake([&](CellPlace place) {
      CellMember& m = *members_[place];
      const std::uint64_t rate = std::min(m.radio_.rate(slot), m.limit_);
      if (rate == 0) return;
      const double mean = means_.mean(place);
      const bool is_short = places_.is_short(place);
      long_waits_ = long_waits_ || !is_short;
      users_.push_back(
          {place, is_short && priority, rate, static_cast<double>(rate) / mean, mean, m.served_});
    });
    if (places_.any_new()) [[unlikely]]
      begin_means();
  }
  // CellNewcomer::fair: those who are new and may have this slot.
  [[gnu::noinline]] void begin_means() noexcept {
    double means = 0, rates = 0;
    for (const SlotUser& user : users_) {
      if (places_.is_new(user.place)) continue;
      means += user.mean;
      rates += static_cast<double>(user.rate);
    }
    const double part = means > 0 ? means / rates : 1;
    for (SlotUser& user : users_) {
      if (!places_.take_new(user.place)) continue;
      user.mean = static_cast<double>(user.rate) * part;
      user.ratio = 1 / part;
      means_.set(user.place, user.mean);
    }
  }

  // Short flows go first as long as there is credit. Of the slots for which a long one waits, each that is
  // given away adds `short_share` of a slot to it, up to those of a second, and a short flow's takes one: of
  // any n of them short flows have at most n * short_share, and those of a second, before others.
  bool short_first() const noexcept { return settings_.short_share >= 1 || short_credit_ >= 1; }
  void spend_on_short(bool short_flow) noexcept {
    const double most = settings_.short_share * settings_.slots;
    short_credit_ = std::min(short_credit_ + settings_.short_share, most);
    if (short_flow) short_credit_ = std::max(short_credit_ - 1, 0.0);
  }

  CellSettings settings_;
  unsigned worker_;
  SchedulerSlot scheduler_;
  MeanRates means_;                   // by place
  CellPlaces places_;                 // who has one, waits, is new
  std::vector<CellMember*> members_;  // by place
  std::vector<SlotUser> users_;       // of the slot that is given away; has room for all members
  SlotClock clock_;
  std::uint64_t next_ = 0;  // the slot that has not been given away
  std::uint64_t turn_ = 0;  // slots given
  // Whose slot has not ended, null when nobody's; what it carries, and until when.
  CellMember* holder_ = nullptr;
  std::uint64_t slot_units_ = 0;
  Time slot_end_{};
  bool settling_ = false;    // begin_slot() arms the timer itself
  bool long_waits_ = false;  // among those who may have the slot
  double short_credit_ = 0;
  CellCounters counters_;
  std::atomic<std::uint32_t> rooms_{0};
};

}  // namespace dp
