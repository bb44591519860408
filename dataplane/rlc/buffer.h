// One leg's store of SDUs, as an RNC's RLC holds it: those waiting, those in transmission and those that the
// peer RLC has not acknowledged yet. Buffer occupancy (BO) counts them all. Owns what it holds; an SDU whose
// transmission has started is never discarded by a policy.
#pragma once
#include <cstdint>
#include <optional>
#include <variant>

#include "dataplane/aqm/registry.h"
#include "dataplane/base/counter.h"
#include "dataplane/base/drop_reason.h"
#include "dataplane/packet/context.h"
#include "dataplane/packet/ecn.h"
#include "dataplane/packet/sdu_list.h"
#include "dataplane/rlc/leg_stats.h"

namespace dp {

// An SDU is refused when either limit would be exceeded.
struct BufferLimit {
  std::uint32_t sdus = 50;
  std::uint32_t bytes = 1u << 20;
  friend bool operator==(const BufferLimit&, const BufferLimit&) = default;
};

// Its timer is the policy's.
class RlcBuffer : private WorkerTimer {
 public:
  // Policies draw from `seed`.
  RlcBuffer(const BufferLimit& limit, const AqmConfig& aqm, std::uint64_t seed)
      : WorkerTimer(&RlcBuffer::on_timer), limit_(limit), seed_(seed), aqm_(AqmList::make(aqm, Rng(seed))) {}

  std::uint32_t sdus() const noexcept { return static_cast<std::uint32_t>(sdus_.get()); }
  std::uint32_t bytes() const noexcept { return static_cast<std::uint32_t>(bytes_.get()); }
  bool waiting() const noexcept { return !waiting_.empty(); }
  const Sdu* front() const noexcept { return waiting_.front(); }
  const Sdu* in_transmission() const noexcept { return started_.front(); }  // the oldest

  std::uint64_t delivered_sdus() const noexcept { return delivered_sdus_.get(); }
  std::uint64_t delivered_bytes() const noexcept { return delivered_bytes_.get(); }
  std::uint64_t dropped_sdus() const noexcept { return dropped_sdus_.get(); }
  std::uint64_t marked_sdus() const noexcept { return marked_sdus_.get(); }

  // Where the class is counted: before anything else, and again when the class changes.
  void join(LegStats& stats) noexcept {
    if (stats_ != nullptr) {
      stats_->buffer_sdus.sub(sdus());
      stats_->buffer_bytes.sub(bytes());
    }
    stats_ = &stats;
    stats_->buffer_sdus.add(sdus());
    stats_->buffer_bytes.add(bytes());
  }

  // What the link above has come to since it last said so.
  void count(const AmTotals& since) noexcept {
    for (std::size_t i = 0; i < kAmEvents; ++i) stats_->am[i].add(since.counts[i]);
  }

  const BufferLimit& limit() const noexcept { return limit_; }
  // What is queued beyond a lower limit stays; only arrivals feel it.
  void set_limit(const BufferLimit& limit) noexcept { limit_ = limit; }

  // Another policy judges what is queued from here on, or the same one under other parameters.
  void set_aqm(const AqmConfig& aqm, Time now, Context& context) noexcept {
    const QueueView queue = view();
    const bool kept = std::visit(
        [&]<class P>(P& policy) {
          const auto* config = std::get_if<typename P::Config>(&aqm);
          if (config != nullptr && !(*config == policy.config())) policy.reconfigure(*config, queue, now);
          return config != nullptr;
        },
        aqm_);
    if (!kept) aqm_ = AqmList::make(aqm, Rng(seed_));
    tell(context, [](auto&) {});
  }
  // The mode was `block` for so long.
  void postpone(Duration pause, Context& context) noexcept {
    tell(context, [&](auto& policy) { policy.postpone(pause); });
  }

  // Takes the SDU over, queues it or drops it with its reason; true when there is something to start.
  bool push(Sdu& sdu, std::uint64_t rate, Context& context) noexcept {
    rate_ = rate;
    if (const auto refused = full(sdu, context)) return drop(sdu, *refused, context), waiting();
    const QueueView queue{sdus() + 1, bytes() + sdu.ip_len, rate, waiting_sdus_ + 1};
    const Verdict verdict = ask(context, [&](auto& p) { return p.on_enqueue(sdu, queue, context.now); });
    if (verdict == Verdict::drop || (verdict == Verdict::mark && !mark(sdu))) {
      return drop(sdu, DropReason::aqm, context), waiting();
    }
    append(sdu, context.account);
    const bool front = verdict == Verdict::drop_front || verdict == Verdict::mark_front;
    if (front && (verdict == Verdict::drop_front || !mark(*waiting_.front()))) discard_first(context);
    return waiting();
  }

  // An SDU that crosses without being queued (a wire link, mode `tap`) counts as delivered.
  void count_crossing(const Sdu& sdu) noexcept {
    delivered_sdus_.add(1);
    delivered_bytes_.add(sdu.ip_len);
    stats_->delivered_sdus.add(1);
    stats_->delivered_bytes.add(sdu.ip_len);
  }

  // Begins the transmission of the first waiting SDU that the policy lets through, dropping those it refuses.
  // Null when nothing is left to send.
  Sdu* start(std::uint64_t rate, Time at, Context& context) noexcept {
    rate_ = rate;
    while (waiting()) {
      Sdu& sdu = *waiting_.front();
      const Verdict verdict = ask(context, [&](auto& p) { return p.on_dequeue(sdu, view(), at); });
      if (verdict != Verdict::pass && (verdict != Verdict::mark || !mark(sdu))) {
        discard_first(context);
        continue;
      }
      take_first();
      sdu.fate = 0;
      started_.push(sdu);
      return &sdu;
    }
    return nullptr;
  }

  // Ends the oldest transmission at `at`: the SDU leaves the buffer and is the caller's.
  Sdu& finish(Time at, Context& context) noexcept {
    Sdu& sdu = release(started_.pop(), at, context);
    tell_delivered(sdu, at, context);
    return sdu;
  }

  // A link with acknowledgements takes an SDU in transmission through three steps instead of finish(): the
  // peer delivers a copy of it, or never does; it leaves the occupancy, acknowledged or given up; and last,
  // in order, its memory is free.
  void delivered_by_peer(Sdu& sdu, Time at, Context& context) noexcept {
    sdu.fate |= kFateDelivered;
    context.account.buffered -= 1;
    context.account.retained += 1;
    count_departure(sdu, at);
  }
  void acknowledged(const Sdu& sdu, Time at, Context& context) noexcept {
    leave_occupancy(sdu);
    tell_delivered(sdu, at, context);
  }
  void leave_occupancy(const Sdu& sdu) noexcept {
    sdus_.sub(1);
    bytes_.sub(sdu.ip_len);
    stats_->buffer_sdus.sub(1);
    stats_->buffer_bytes.sub(sdu.ip_len);
  }
  // The oldest in transmission, out of the occupancy already. One that the peer has delivered is only freed,
  // another is lost for `reason`.
  void retire(DropReason reason, Context& context) noexcept {
    Sdu& sdu = started_.pop();
    if ((sdu.fate & kFateDelivered) == 0) {
      forget(sdu, context.account);
      return drop(sdu, reason, context);
    }
    context.account.retained -= 1;
    context.account.mbufs_held -= sdu.segments;
    context.dropped.push(sdu);
  }
  // The same, but one that the peer has not delivered is the caller's; else null.
  Sdu* recall(Context& context) noexcept {
    if ((started_.front()->fate & kFateDelivered) != 0) return retire(DropReason::rlc, context), nullptr;
    Sdu& sdu = started_.pop();
    forget(sdu, context.account);
    count_departure(sdu, context.now);
    return &sdu;
  }

  // Empties the buffer in order, what is in transmission first; take(sdu) takes each over.
  template <class Take>
  void flush(Context& context, Take&& take) noexcept {
    while (!started_.empty()) take(finish(context.now, context));
    while (waiting()) take(release(take_first(), context.now, context));
    context.timers.cancel(*this);
  }

 private:
  QueueView view() const noexcept { return {sdus(), bytes(), rate_, waiting_sdus_}; }

  std::optional<DropReason> full(const Sdu& sdu, const Context& context) const noexcept {
    if (sdus() + 1 > limit_.sdus) return DropReason::buffer_sdus;
    if (std::uint64_t{bytes()} + sdu.ip_len > limit_.bytes) return DropReason::buffer_bytes;
    if (!context.pool_has_room(sdu.segments)) return DropReason::pool;
    return std::nullopt;
  }

  // Whatever the policy was asked, its deadline may have changed.
  template <class Question>
  Verdict ask(Context& context, Question&& question) noexcept {
    return std::visit(
        [&](auto& policy) {
          const Verdict verdict = question(policy);
          arm(policy.deadline(), context);
          return verdict;
        },
        aqm_);
  }
  template <class News>
  void tell(Context& context, News&& news) noexcept {
    std::visit(
        [&](auto& policy) {
          news(policy);
          arm(policy.deadline(), context);
        },
        aqm_);
  }
  void arm(Time deadline, Context& context) noexcept {
    if (deadline == WorkerTimer::deadline()) return;
    if (deadline == kNever) return context.timers.cancel(*this);
    context.timers.arm(*this, deadline);
  }
  static void on_timer(WorkerTimer& timer, Time deadline, Context& context) {
    auto& self = static_cast<RlcBuffer&>(timer);
    self.tell(context, [&](auto& policy) { policy.on_timer(self.view(), deadline); });
  }
  void tell_delivered(const Sdu& sdu, Time at, Context& context) noexcept {
    tell(context, [&](auto& policy) { policy.on_delivered(sdu.ip_len, view(), at); });
  }

  bool mark(Sdu& sdu) noexcept {
    if (!mark_ce(sdu)) return false;
    marked_sdus_.add(1);
    stats_->marked_sdus.add(1);
    return true;
  }

  void append(Sdu& sdu, Account& account) noexcept {
    waiting_.push(sdu);
    ++waiting_sdus_;
    account.buffered += 1;
    account.mbufs_held += sdu.segments;
    sdus_.add(1);
    bytes_.add(sdu.ip_len);
    stats_->buffer_sdus.add(1);
    stats_->buffer_bytes.add(sdu.ip_len);
  }
  Sdu& take_first() noexcept {
    --waiting_sdus_;
    return waiting_.pop();
  }
  void discard_first(Context& context) noexcept {
    Sdu& sdu = take_first();
    leave_occupancy(sdu);
    forget(sdu, context.account);
    drop(sdu, DropReason::aqm, context);
  }

  void drop(Sdu& sdu, DropReason reason, Context& context) noexcept {
    dropped_sdus_.add(1);
    stats_->dropped_sdus.add(1);
    context.drop(sdu, reason);
  }

  Sdu& release(Sdu& sdu, Time at, Context& context) noexcept {
    leave_occupancy(sdu);
    forget(sdu, context.account);
    count_departure(sdu, at);
    return sdu;
  }

  void count_departure(const Sdu& sdu, Time at) noexcept {
    count_crossing(sdu);
    stats_->sojourn.add(at - sdu.arrival);
  }

  static void forget(const Sdu& sdu, Account& account) noexcept {
    account.buffered -= 1;
    account.mbufs_held -= sdu.segments;
  }

  SduChain waiting_;
  SduChain started_;           // in transmission, or not yet acknowledged by the peer RLC
  LegStats* stats_ = nullptr;  // the class's, on the worker that owns the bearer
  BufferLimit limit_;
  std::uint32_t waiting_sdus_ = 0;
  std::uint64_t rate_ = 0;
  const std::uint64_t seed_;  // of what policies draw
  AqmSlot aqm_;
  // Written by the worker, read by control.
  Counter sdus_, bytes_;
  Counter delivered_sdus_, delivered_bytes_, dropped_sdus_, marked_sdus_;
};

}  // namespace dp
