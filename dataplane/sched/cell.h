// A cell whose slots are shared by bearers: each slot is one bearer's, at the rate that its channel carries
// then. Whoever prepares the bearers makes the cell and joins them to it before a worker gets them; it
// belongs to the same worker as they and outlives their stay there.
#pragma once
#include <algorithm>
#include <utility>
#include <vector>

#include "dataplane/base/expect.h"
#include "dataplane/packet/context.h"
#include "dataplane/sched/engines.h"
#include "dataplane/sched/means.h"
#include "dataplane/sched/radio/radio.h"

namespace dp {

// Its own timer is armed for the next slot as long as anybody is backlogged, and rests else.
class Cell : private WorkerTimer {
 public:
  // A slot at R bit/s carries R of these.
  static constexpr std::uint64_t kUnitsPerBit = 600;

  // One bearer's place in the cell; the bearer's link holds on to it.
  class Member {
   public:
    Member(Cell& cell, const RadioConfig& radio, std::uint64_t number, WorkerTimer& leg) noexcept
        : cell_(cell), radio_(radio, number), leg_(leg) {}
    Cell& cell() noexcept { return cell_; }
    // What its slots have carried until `t`, in units, since it was asked last.
    std::uint64_t collect(Time t) noexcept {
      if (due_ > t) return 0;
      due_ = kNever;
      return std::exchange(carried_, 0);
    }
    // The end of its slot, kNever when it has none.
    Time due() const noexcept { return due_; }

   private:
    friend class Cell;
    Cell& cell_;
    Radio radio_;
    WorkerTimer& leg_;
    std::uint64_t limit_ = 0;  // bit/s
    std::uint64_t carried_ = 0;
    std::uint64_t served_ = 0;  // SlotUser::served
    Time due_ = kNever;
    bool backlogged_ = false;
  };

  // Room for so many bearers.
  Cell(const SchedulerConfig& scheduler, std::size_t members)
      : WorkerTimer(&Cell::on_slot),
        scheduler_(SchedulerEngines::make(scheduler)),
        means_(members, std::visit([](const auto& config) { return config.alpha; }, scheduler)) {
    members_.reserve(members);
    users_.reserve(members);
  }

  // Slot n begins at n * 5/3 ms, rounded down to the nanosecond.
  static constexpr Time start_of(std::uint64_t slot) noexcept {
    return time_ns(static_cast<std::int64_t>(slot * kThreeSlots / 3));
  }
  // The first slot that begins at `t` or later.
  static constexpr std::uint64_t slot_from(Time t) noexcept {
    return ns(t) <= 0 ? 0 : (static_cast<std::uint64_t>(ns(t)) * 3 + kThreeSlots - 1) / kThreeSlots;
  }

  // `leg` is armed for the end of each slot that the bearer gets; `number` tells those of like settings
  // apart. Null when all places are taken.
  Member* join(const RadioConfig& radio, std::uint64_t number, WorkerTimer& leg) {
    if (members_.size() == members_.capacity()) return nullptr;
    return &members_.emplace_back(*this, radio, number, leg);
  }

  void set_limit(Member& member, std::uint64_t rate) noexcept { member.limit_ = rate; }

  // It has something to send from `t` on.
  void wake(Member& member, Time t, Context& context) noexcept {
    member.backlogged_ = true;
    if (armed()) return;
    const std::uint64_t slot = std::max(next_, slot_from(t - behind_));
    DP_EXPECT(!members_.empty());
    if (slot != next_) means_.pass(slot - next_);
    next_ = slot;
    context.timers.arm(*this, time_of(next_));
  }
  // It has nothing more.
  void rest(Member& member) noexcept { member.backlogged_ = false; }
  // What it had is gone, and the slot that carries it.
  void leave(Member& member, Context& context) noexcept {
    member.backlogged_ = false;
    member.carried_ = 0;
    member.due_ = kNever;
    if (!anybody()) context.timers.cancel(*this);
  }
  // All bearers are told; the cell stands still once.
  void postpone(Member& member, Duration pause) noexcept {
    if (member.due_ != kNever) member.due_ += pause;
    if (&member == &members_.front()) behind_ += pause;
  }

 private:
  static constexpr std::uint64_t kThreeSlots = 5'000'000;  // ns

  Time time_of(std::uint64_t slot) const noexcept { return start_of(slot) + behind_; }
  bool anybody() const noexcept {
    return std::any_of(members_.begin(), members_.end(), [](const Member& m) { return m.backlogged_; });
  }

  static void on_slot(WorkerTimer& timer, Time deadline, Context& context) {
    static_cast<Cell&>(timer).begin_slot(deadline, context);
  }
  // The leg is armed before the cell: the slot that ends is settled before the next is given away.
  void begin_slot(Time t, Context& context) noexcept {
    if (t < time_of(next_)) return context.timers.arm(*this, time_of(next_));  // it stood still meanwhile
    if (!anybody()) return;
    gather_users();
    if (users_.empty()) {
      means_.pass(1);
    } else {
      give_slot(time_of(next_ + 1), context);
    }
    context.timers.arm(*this, time_of(++next_));
  }

  // To whom it would carry nothing it is not given: it would be lost for all.
  void gather_users() noexcept {
    users_.clear();
    const CellSlot slot{next_, kUnitsPerBit, start_of(next_), start_of(next_ + 1), time_of(next_)};
    for (std::size_t i = 0; i < members_.size(); ++i) {
      Member& m = members_[i];
      const std::uint64_t rate = m.backlogged_ ? std::min(m.radio_.rate(slot), m.limit_) : 0;
      if (rate == 0) continue;
      const auto place = static_cast<CellPlace>(i);
      const double mean = means_.mean(place);
      users_.push_back({place, false, rate, static_cast<double>(rate) / mean, mean, m.served_});
    }
  }
  // The next slot, which ends then.
  void give_slot(Time end, Context& context) noexcept {
    const std::size_t who = std::visit([&](const auto& s) { return s.choose(users_); }, scheduler_);
    DP_EXPECT(who < users_.size());
    const SlotUser& user = users_[who];
    means_.count(user.place, user.rate);
    Member& chosen = members_[user.place];
    chosen.carried_ += user.rate;
    chosen.served_ = next_ + 1;
    chosen.due_ = end;
    context.timers.arm(chosen.leg_, end);
  }

  SchedulerSlot scheduler_;
  std::vector<Member> members_;
  MeanRates means_;              // by place
  std::vector<SlotUser> users_;  // of the slot that is given away; has room for all members
  std::uint64_t next_ = 0;       // the slot that has not been given away
  Duration behind_{};            // the cell's time runs so much behind the worker's
};

}  // namespace dp
