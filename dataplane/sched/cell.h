// A cell whose slots are shared by bearers: each slot is granted to one bearer, at the rate that its radio
// carries then. Created and freed by control, lent to one worker, which has all its bearers
// (sched/cell_member.h): they enter, leave and move while traffic runs, without allocation.
//
// A reservation is taken by the thread that prepares a bearer for the cell, so that a full cell is detected
// before the bearer is on its way. The cell keeps the state of a bearer that has entered under an index.
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
#include "dataplane/sched/member_indices.h"
#include "dataplane/sched/slot_clock.h"

namespace dp {

// The cell's timer is armed for the next slot while a bearer is backlogged or has a slot.
class Cell : private WorkerTimer {
 public:
  // Slots older than this at a poll are lost: after a worker stood still for seconds it does not send seconds
  // of slots at once.
  static constexpr Duration kLatest{100'000'000};

  // A cell for that worker. Its slots begin `phase` after those of the clock, so that the cells of a worker
  // need not all begin at one instant.
  explicit Cell(const CellSettings& settings, unsigned worker = 0, Duration phase = {})
      : WorkerTimer(&Cell::on_slot),
        settings_(settings),
        worker_(worker),
        scheduler_(SchedulerEngines::make(settings.scheduler)),
        means_(settings.members, alpha_of(settings)),
        indices_(settings.members),
        clock_(settings.slots, phase) {
    members_.resize(settings.members);
    users_.reserve(settings.members);
  }

  unsigned worker() const noexcept { return worker_; }
  const CellCounters& counters() const noexcept { return counters_; }

  // For any thread, as the functions below. Takes a reservation; false if the cell is full or closed.
  bool reserve() noexcept {
    std::uint32_t taken = reserved_.load(std::memory_order_relaxed);
    do {
      if (taken >= capacity()) return false;
    } while (!reserved_.compare_exchange_weak(taken, taken + 1, std::memory_order_relaxed));
    return true;
  }
  // Returns a reservation. Requires: one was taken.
  void release() noexcept {
    [[maybe_unused]] const std::uint32_t before = reserved_.fetch_sub(1, std::memory_order_relaxed);
    DP_EXPECT(before > 0);
  }
  // Takes a reservation for a bearer that is being prepared. Requires: the bearer has none.
  bool admit(CellMember& member) noexcept {
    DP_EXPECT(member.cell() == nullptr);
    if (!reserve()) return false;
    member.set_cell(this);
    return true;
  }
  // Closes the cell for reservations; false, without effect, while one is taken.
  bool close() noexcept {
    std::uint32_t none = 0;
    return reserved_.compare_exchange_strong(none, capacity(), std::memory_order_relaxed);
  }
  std::uint32_t reserved() const noexcept { return reserved_.load(std::memory_order_relaxed); }
  std::uint32_t capacity() const noexcept { return indices_.size(); }
  // Counts a UE that was not learnt because the cell is full.
  void count_refused() noexcept { counters_.refused.fetch_add(1, std::memory_order_relaxed); }

  // The functions below are for the worker only.

  // Gives the member an index. The cell calls `leg` at the end of the member's slots, which serves the bits
  // that they carried (collect() below). Requires: the member has a reservation here, and no index.
  void enter(CellMember& member, WorkerTimer& leg) noexcept {
    DP_EXPECT(member.cell_ == this && member.index_ == CellMember::kNoIndex);
    const MemberIndex index = indices_.take();
    members_[index] = &member;
    means_.set(index, MeanRates::kFirstMean);
    if (settings_.newcomer == CellNewcomer::fair) indices_.mark_new(index);
    member.leg_ = &leg;
    member.index_ = index;
    member.carried_ = 0;
    member.served_ = 0;
    member.held_ = -1;
  }
  // Frees the member's index; the reservation stays. Requires: it has an index here.
  void leave(CellMember& member, Context& context) noexcept {
    void_slot(member, context);
    indices_.free(member.index_);
    members_[member.index_] = nullptr;
    member.index_ = CellMember::kNoIndex;
  }

  // Requires, also for the functions below that take a member: it has an index here. It is backlogged from
  // `t` on; `short_flow`: its first SDU is of a short flow.
  void wake(CellMember& member, bool short_flow, Time t, Context& context) noexcept {
    const MemberIndex index = index_of(member);
    indices_.set_short(index, short_flow);
    const bool idle = !armed() && !settling_;  // the whole cell is idle
    if (idle) pass_until(t);
    if (indices_.wake(index)) woken(member);
    if (idle) context.timers.arm(*this, clock_.begin(next_));
  }
  // The member's queue is empty.
  void rest(CellMember& member) noexcept {
    const MemberIndex index = index_of(member);
    if (!indices_.rest(index)) return;
    if (settings_.idle == CellIdle::hold) member.held_ = means_.mean(index);
    counters_.backlogged.set(indices_.awake());
  }
  // The member's queue was discarded; the slot that carries it is lost.
  void void_slot(CellMember& member, Context& context) noexcept {
    rest(member);
    if (holder_ == &member) holder_ = nullptr;
    member.carried_ = 0;
    if (indices_.awake() == 0 && holder_ == nullptr) context.timers.cancel(*this);
  }
  // Returns the bits carried by the slot that ended, in 1 / kCellUnitsPerBit bit, and resets them.
  std::uint64_t collect(CellMember& member) noexcept { return std::exchange(member.carried_, 0); }
  // A_i, bit/s.
  double mean(const CellMember& member) const noexcept { return means_.mean(index_of(member)); }

  // Changes the settings from the next slot after `t` on. Requires: an unchanged number of members.
  void reconfigure(const CellSettings& settings, Time t) noexcept {
    DP_EXPECT(settings.members == settings_.members);
    if (!armed()) pass_until(t);
    if (settings.idle != settings_.idle) change_idle(settings.idle);
    if (settings.slots != settings_.slots) next_ = clock_.change(settings.slots, next_);
    settings_ = settings;
    scheduler_ = SchedulerEngines::make(settings.scheduler);
    means_.set_alpha(alpha_of(settings));
  }
  // Time stood still for `pause` (mode `block`).
  void postpone(Duration pause) noexcept {
    clock_.postpone(pause);
    slot_end_ += pause;
  }
  // Returns the cell to control. Requires: no member has an index.
  void stop(Context& context) noexcept {
    DP_EXPECT(indices_.taken() == 0);
    context.timers.cancel(*this);
  }

  Cell* next = nullptr;  // next in the worker's list (sched/cell_list.h)

 private:
  static double alpha_of(const CellSettings& settings) noexcept {
    return std::visit([](const auto& config) { return config.alpha; }, settings.scheduler);
  }
  MemberIndex index_of(const CellMember& member) const noexcept {
    DP_EXPECT_HOT(member.index_ < members_.size() && members_[member.index_] == &member);
    return member.index_;
  }
  void woken(CellMember& member) noexcept {
    if (settings_.idle == CellIdle::hold && member.held_ >= 0) means_.set(member.index_, member.held_);
    member.held_ = -1;
    counters_.backlogged.set(indices_.awake());
  }
  // From here on the means of idle members are held, or decay from their held value.
  void change_idle(CellIdle idle) noexcept {
    for (CellMember* member : members_) {
      if (member == nullptr || indices_.waits(member->index_)) continue;
      if (idle == CellIdle::hold) {
        member->held_ = means_.mean(member->index_);
      } else if (member->held_ >= 0) {
        means_.set(member->index_, std::exchange(member->held_, -1));
      }
    }
  }
  // Passes slots that began before `t` while the whole cell was idle.
  void pass_until(Time t) noexcept { pass(std::max(next_, clock_.slot_from(t)) - next_); }
  // Passes slots that no member had or waited for.
  void pass(std::uint64_t slots) noexcept {
    if (slots == 0) return;
    means_.pass(slots);
    next_ += slots;
  }

  static void on_slot(WorkerTimer& timer, Time deadline, Context& context) {
    static_cast<Cell&>(timer).begin_slot(deadline, context);
  }
  // Settles the ending slot before the next is granted: a member with an empty queue gets no more.
  void begin_slot(Time t, Context& context) noexcept {
    if (holder_ != nullptr && t >= slot_end_) settle(t, context);
    if (indices_.awake() == 0 && holder_ == nullptr) return;
    if (t >= clock_.begin(next_)) {
      skip_missed(context.now);
      give_slot();
    }
    const Time next = clock_.begin(next_);
    context.timers.arm(*this, holder_ == nullptr ? next : std::min(next, slot_end_));
  }
  // The holder's leg takes the bits that its slot carried and reports its state: backlogged or at rest.
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

  // Grants the next slot to the scheduler's choice, among members to whom it can carry anything; otherwise it
  // would be lost for all.
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
    means_.count(user.index, user.rate);
    CellMember& chosen = *members_[user.index];
    chosen.served_ = ++turn_;
    chosen.slots_.add(1);
    chosen.mean_.set(static_cast<std::uint64_t>(means_.mean(user.index)));
    const bool short_flow = indices_.is_short(user.index);
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
    indices_.for_each_awake([&](MemberIndex index) {
      CellMember& m = *members_[index];
      const std::uint64_t rate = std::min(m.radio_.rate(slot), m.limit_);
      if (rate == 0) return;
      const double mean = means_.mean(index);
      const bool is_short = indices_.is_short(index);
      long_waits_ = long_waits_ || !is_short;
      users_.push_back(
          {index, is_short && priority, rate, static_cast<double>(rate) / mean, mean, m.served_});
    });
    if (indices_.any_new()) [[unlikely]]
      begin_means();
  }
  // CellNewcomer::fair: sets the means of new members that may have this slot.
  [[gnu::noinline]] void begin_means() noexcept {
    double means = 0, rates = 0;
    for (const SlotUser& user : users_) {
      if (indices_.is_new(user.index)) continue;
      means += user.mean;
      rates += static_cast<double>(user.rate);
    }
    const double part = means > 0 ? means / rates : 1;
    for (SlotUser& user : users_) {
      if (!indices_.take_new(user.index)) continue;
      user.mean = static_cast<double>(user.rate) * part;
      user.ratio = 1 / part;
      means_.set(user.index, user.mean);
    }
  }

  // Short flows have priority while there is credit. Each granted slot for which a long flow waits adds
  // `short_share` of a slot to it, up to those of one second, and a short flow's slot takes one: of any n
  // such slots short flows have at most n * short_share, plus those of one second, before others.
  bool short_first() const noexcept { return settings_.short_share >= 1 || short_credit_ >= 1; }
  void spend_on_short(bool short_flow) noexcept {
    const double most = settings_.short_share * settings_.slots;
    short_credit_ = std::min(short_credit_ + settings_.short_share, most);
    if (short_flow) short_credit_ = std::max(short_credit_ - 1, 0.0);
  }

  CellSettings settings_;
  unsigned worker_;
  SchedulerSlot scheduler_;
  MeanRates means_;                   // by index
  MemberIndices indices_;             // indices taken, backlogged, new
  std::vector<CellMember*> members_;  // by index
  std::vector<SlotUser> users_;       // candidates for the slot; has room for all members
  SlotClock clock_;
  std::uint64_t next_ = 0;  // next slot to be granted
  std::uint64_t turn_ = 0;  // number of granted slots
  // The holder of the current slot, null if there is none; the bits that it carries, and its end.
  CellMember* holder_ = nullptr;
  std::uint64_t slot_units_ = 0;
  Time slot_end_{};
  bool settling_ = false;    // true while begin_slot() runs, which arms the timer itself
  bool long_waits_ = false;  // a long flow is among the candidates
  double short_credit_ = 0;
  CellCounters counters_;
  std::atomic<std::uint32_t> reserved_{0};
};

}  // namespace dp
