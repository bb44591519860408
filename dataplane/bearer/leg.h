// One direction of a bearer: a buffer, the link that empties it, and the timer that says when. Lives inside
// its Bearer; touched by the bearer's worker only, but for the counters, which control may read.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include "dataplane/base/counter.h"
#include "dataplane/base/fetch.h"
#include "dataplane/base/typelist.h"
#include "dataplane/bearer/class_counters.h"
#include "dataplane/bearer/last_seen.h"
#include "dataplane/bearer/settings.h"
#include "dataplane/buffer/buffer.h"
#include "dataplane/link/engines.h"
#include "dataplane/packet/context.h"

namespace dp {

// The policy that the leg's buffer runs under: where nothing is held back, none has anything to say.
inline const AqmConfig& aqm_of(const LegSettings& leg) noexcept {
  static constexpr AqmConfig kNone = DropTailSpec::Config{};
  return buffers(leg.link) ? leg.aqm : kNone;
}
// How its SDUs wait there.
inline const QueueConfig& queue_of(const LegSettings& leg) noexcept {
  static constexpr QueueConfig kFifo = FifoSpec::Config{};
  return buffers(leg.link) ? leg.queue : kFifo;
}

class alignas(kCacheLine) Leg : public WorkerTimer {
  template <class L>
  bool is() const noexcept {
    return kind_ == LinkEngines::index_of(L::kName);
  }
  // Calls f(link).
  template <class F>
  decltype(auto) with_link(F&& f) noexcept {
    return LinkEngines::visit(buffer_.link_room().bytes, kind_, f);
  }
  // Requires: it is the link.
  template <class L>
  L& link() noexcept {
    DP_EXPECT_HOT(is<L>());
    return LinkEngines::in<L>(buffer_.link_room().bytes);
  }
  template <class L>
  const L& link() const noexcept {
    DP_EXPECT_HOT(is<L>());
    return LinkEngines::in<L>(buffer_.link_room().bytes);
  }

 public:
  // `fire` is the spine's handler for this direction: it calls serve() with what follows the link. Requires:
  // `parts` are those that aqm_of(settings) and queue_of(settings) call for (worker/prepare.h).
  Leg(const LegSettings& settings, Side exit, Fire fire, const LegParts& parts);

  // What an arrival touches, in three steps, each of which reads what the step before has fetched. The first
  // cache line.
  [[gnu::always_inline]] void prefetch() const noexcept { __builtin_prefetch(this, 1); }
  // The second line, unless the first is enough. What is answered is not 0 where there is a third step, and
  // may be joined by `or` for several legs.
  [[gnu::always_inline]] unsigned prefetch_second(bool first_is_enough) const noexcept {
    const auto* const line = reinterpret_cast<const std::byte*>(this);
    // For which SDUs it is follows no pattern: without a branch.
    __builtin_prefetch(line + std::size_t{!first_is_enough} * kCacheLine, 1);
    return static_cast<unsigned>(path_) & (kByJudge | kByThird);
  }
  // Where it is: the leg is idle, or frames cross.
  [[gnu::always_inline]] bool first_is_enough() const noexcept { return idle() || path_ == Path::crosses; }
  // Who judges, or on the general way the third line.
  [[gnu::always_inline]] void prefetch_third() const noexcept {
    const auto path = static_cast<unsigned>(path_);
    if ((path & kByJudge) != 0) __builtin_prefetch(buffer_.judge(), 1);
    if ((path & kByThird) != 0) {
      __builtin_prefetch(reinterpret_cast<const std::byte*>(this) + 2 * kCacheLine, 1);
    }
  }

  // For the link that both legs share.
  void attach(Air& air, Direction direction) noexcept;

  // What the link `um` has beside the leg; null for other links, and before it was attached.
  UmAir* um() const noexcept { return is<UmLink>() ? link<UmLink>().air() : nullptr; }
  // Requires: the link is `um`, and `air` is in no other bearer.
  void attach(UmAir& air) noexcept;
  // It holds SDUs: queued, not yet acknowledged, or on their way.
  bool holds() const noexcept {
    return buffer_.sdus() != 0 || (um() != nullptr && um()->sdus_on_the_way() != 0);
  }

  // What the link `cell` has in a cell; null for other links, and before it was attached.
  CellMember* member() const noexcept { return is<CellLink>() ? link<CellLink>().member() : nullptr; }
  // Nothing for other links. Requires: the link has no place in a cell.
  void attach(CellMember* member, std::uint64_t rate) noexcept;
  // It takes its place in the cell that its member has a room in, if this worker has that cell and it has no
  // place yet; goes on with what waits.
  void enter_cell(Context& context) noexcept;
  // The place is free again, while the room stays taken, or is given back too.
  void leave_cell(Context& context) noexcept;
  // Into another cell, in which a room was taken for it. False when it shares no slots: that room is free
  // again.
  bool relocate(Cell& to, Context& context) noexcept;
  void give_up_room(Context& context) noexcept;

  void set_acks(AckChain* acks) noexcept;
  // The same when there is none any more, which has let everything go: the short ways know nothing of what it
  // has sent again.
  void end_acks(Context& context) noexcept;

  // A split proxy stands before the leg, and while it waits wants to know when the buffer may have room
  // again. With `always` that is after each service, else only where the link takes the general way, since
  // what acknowledges the other leg's SDUs comes by it. To be called after each change of the leg.
  void set_proxied(bool proxied, bool always) noexcept;
  bool proxied() const noexcept { return path_ >= Path::proxied; }
  // The proxy waits for room, or no more. Where it is not told of services this means nothing.
  void set_awaited(bool on) noexcept {
    if (proxied()) path_ = on ? Path::awaited : Path::proxied;
  }
  // It does not take all that comes for this direction as it is: frames cross at once, or ACK stages hear of
  // them, or a proxy looks at them first.
  bool apart() const noexcept { return path_ >= Path::crosses; }
  // A proxy may put in a packet of so many bytes. It leaves a place to others: since it refills the buffer as
  // soon as it can, what it does not send, such as the SYN-ACK of the UE's next connection, would never find
  // one. True for an empty buffer.
  bool has_room(std::uint32_t bytes) const noexcept {
    const BufferLimit& limit = buffer_.limit();
    if (buffer_.sdus() == 0) return true;
    return buffer_.sdus() + 1 < limit.sdus && buffer_.bytes() + bytes + kLeftToOthers <= limit.bytes;
  }
  // Arrival time of the SDU that has been in transmission longest, else of the next; kNever without one. RLC
  // AM's SDUs in transmission do not count: it may hold one until the next makes it poll.
  Time queued_since() noexcept {
    const Sdu* const started = is<AmLink>() ? nullptr : buffer_.in_transmission();
    return started != nullptr ? started->arrival : buffer_.next_since().value_or(kNever);
  }

  void count_in(ClassLegCounters& stats) noexcept { buffer_.count_in(stats); }

  // False for a link that lets frames cross at once; they then never enter the leg.
  bool buffers() const noexcept { return path_ != Path::crosses; }

  // It takes a short way, nothing is queued, and neither the limit nor who judges is to be asked.
  [[gnu::always_inline]] bool idle() const noexcept {
    return (buffer_.own_sdus() | (unsigned{detail_} & kAsks)) == 0;
  }
  // enqueue() for a leg that is idle(), or was and has got SDUs by this alone since.
  [[gnu::always_inline]] void enqueue_at_idle(Sdu& sdu, Context& context) noexcept {
    DP_EXPECT_HOT(short_way() && (detail_ & kAsks) == 0);
    if (buffer_.own_sdus() != 0) [[unlikely]]
      return enqueue_behind(sdu, context);
    enqueue_alone(sdu, context);
  }

  // As enqueue_at_idle(), of an SDU that no other came with. Requires: idle().
  [[gnu::always_inline]] void enqueue_lone(Sdu& sdu, Context& context) noexcept {
    DP_EXPECT_HOT(idle());
    if (buffer_.push_plain(sdu, true, context)) context.timers.arm_lone(*this, begin_first(sdu));
  }

  // Takes the SDU over: queued or dropped. True when the link wants serve() now.
  [[gnu::always_inline]] bool enqueue(Sdu& sdu, Context& context) noexcept {
    if (path_ == Path::plain_shaper) [[likely]]
      return enqueue_plain(sdu, (detail_ & kAsks) == 0, context), false;
    if (path_ != Path::judged_shaper) return enqueue_general(sdu, context);
    if (idle()) return enqueue_alone(sdu, context), false;
    return kEnqueueJudged[policy()](*this, sdu, context), false;
  }

  // A packet has come for this direction, whatever becomes of it.
  void saw(Time now) noexcept { seen_.set(now); }
  // When the last of them came.
  const LastSeen& last_seen() const noexcept { return seen_; }

  // Of an uplink: Bearer::answered.
  bool answers() const noexcept { return answers_.get() != 0; }
  void set_answers() noexcept { answers_.set(1); }

  // The SDU crosses without being queued; it stays the caller's.
  void count_crossing(const Sdu& sdu) noexcept { buffer_.count_crossing(sdu); }

  // Serves what is due at `t` and arms itself for the next. kDeliver takes over what has left. True when a
  // proxy is to hear that it has.
  template <void (*kDeliver)(Sdu&, Context&)>
  [[gnu::always_inline]] bool serve(Time t, Context& context) noexcept {
    if (path_ != Path::plain_shaper && (path_ != Path::judged_shaper || (detail_ & kTold) != 0)) [[unlikely]]
      return serve_other<kDeliver>(t, context);
    Sdu& sdu = buffer_.finish_short(t, context);
    // What most SDUs do not need is apart, since a function that calls others saves registers first.
    if (buffer_.own_sdus() != 0) return serve_and_begin<kDeliver>(sdu, t, context), false;
    return kDeliver(sdu, context), false;
  }

  // Rate, limits and AQM change in place; what is queued stays. Only for a link of another kind it leaves
  // first. `fresh` and what is answered: RlcBuffer::set_aqm.
  LegParts reconfigure(const LegSettings& settings, const LegParts& fresh, Context& context) noexcept;
  // The mode was `block` for so long.
  void postpone(Duration pause, Context& context) noexcept;
  // Bearer::park.
  void park(Context& context) noexcept;
  void unpark(Context& context) noexcept;
  bool changes_link(const LegSettings& settings) const noexcept { return settings.link.index() != kind_; }

  // Sends everything queued at once, in order, and leaves the link idle.
  void send_all(Context& context) noexcept;

  // bit/s; 0 for a link without a rate, the highest for `cell`. For the worker.
  std::uint64_t rate() const noexcept { return member() != nullptr ? member()->limit() : buffer_.rate(); }
  const RlcBuffer& buffer() const noexcept { return buffer_; }
  LegParts parts() const noexcept { return buffer_.parts(); }

 private:
  // AckChain::KeepingLeg.
  static void kept_left(void* leg, const Sdu& sdu) noexcept;
  static void wake(void* leg, Context& context) noexcept;

  // Requires: idle().
  [[gnu::always_inline]] void enqueue_alone(Sdu& sdu, Context& context) noexcept {
    DP_EXPECT_HOT(idle());
    if (buffer_.push_plain(sdu, true, context)) context.timers.arm(*this, begin_first(sdu));
  }
  // Requires: a short way.
  [[gnu::noinline]] void enqueue_behind(Sdu& sdu, Context& context) noexcept {
    DP_EXPECT_HOT(short_way());
    enqueue(sdu, context);
  }
  [[gnu::always_inline]] void enqueue_plain(Sdu& sdu, bool any_first, Context& context) noexcept {
    if (buffer_.push_plain(sdu, any_first, context)) {
      context.timers.arm(*this, begin_first(sdu));
    } else if (buffer_.own_sdus() > 1) [[likely]] {
      touches(RlcBuffer::kFollowed, 2);
    }
  }
  bool enqueue_general(Sdu& sdu, Context& context) noexcept;
  // serve() of the short ways where another SDU waits behind the one that has left.
  template <void (*kDeliver)(Sdu&, Context&)>
  [[gnu::noinline]] void serve_and_begin(Sdu& sdu, Time t, Context& context) noexcept {
    if (sdu.fate == kFateAtOnce) shaper().began(sdu, t, buffer_.own_rate());
    // Before this leg's timer is armed, as on the other ways: what it arms fires first.
    kDeliver(sdu, context);
    if (path_ == Path::judged_shaper) [[unlikely]]
      return start_next_judged(context);
    context.timers.arm(*this, shaper().begin(buffer_.start_plain(), buffer_.own_rate()));
    expect_next();
  }
  // serve() where a policy is to hear of what has left, and on any but the short ways.
  template <void (*kDeliver)(Sdu&, Context&)>
  [[gnu::noinline]] bool serve_other(Time t, Context& context) noexcept {
    if (!short_way()) {
      auto deliver = [&](Sdu& sdu) { kDeliver(sdu, context); };
      serve_general(t, context, deliver);
      return path_ == Path::awaited;
    }
    Sdu& sdu = buffer_.finish_short(t, context);
    hear(sdu, t, context);
    if (buffer_.own_sdus() != 0) return serve_and_begin<kDeliver>(sdu, t, context), false;
    return kDeliver(sdu, context), false;
  }
  template <class Deliver>
  [[gnu::noinline]] void serve_general(Time t, Context& context, Deliver& deliver) noexcept {
    arm_at(with_link([&](auto& link) { return link.serve(t, buffer_, context, deliver); }), context);
  }

  // Whoever has just queued something, and armed the timer to begin with it at this moment, need not wait for
  // a path that expects something in transmission.
  void begin_what_waits(Context& context) noexcept;
  // serve() when nothing leaves. Requires: no transmission, and in a cell no slot, has just ended.
  void serve_nothing(Context& context) noexcept;

  using EnqueueJudged = void(Leg&, Sdu&, Context&) noexcept;
  template <class P>
  static EnqueueJudged enqueue_judged;
  // By the policy's place in AqmEngines.
  static const std::array<EnqueueJudged*, AqmEngines::kSize> kEnqueueJudged;

  void hear(const Sdu& sdu, Time t, Context& context) noexcept;
  // As ShaperLink::serve() does. Requires: something waits, and the channel knows what has left.
  void start_next_judged(Context& context) noexcept;

  // On the short ways what the channel remembers is not kept up, since it lies in the second cache line: an
  // SDU that finds the channel idle does not touch that again as it leaves, and on the plain way not at all.
  // While nothing is in transmission the channel rests since last_deadline(); what began as it came,
  // kFateAtOnce, did so at Sdu::arrival, and ends at the deadline. Everywhere else the channel knows its
  // schedule itself.
  bool short_way() const noexcept { return path_ <= Path::judged_shaper; }
  // Requires: a short way; the SDU is the only one.
  Time begin_first(Sdu& sdu) noexcept {
    if (sdu.arrival < last_deadline()) [[unlikely]] {
      shaper().rest_from(last_deadline());
      return shaper().begin(sdu, buffer_.own_rate());
    }
    sdu.fate = kFateAtOnce;
    return ShaperLink::begin_at_once(sdu, buffer_.own_rate());
  }
  // The channel knows it. To be called before anyone else looks, or the path changes.
  void write_schedule() noexcept;
  // From the channel again. To be called when the path, or what the channel knows, has changed.
  void read_schedule() noexcept;

  // Which way a frame takes through the leg, decided when its link, policy, chain or proxy changes: one of
  // the short ways (RlcBuffer::plain, judged), over none of the leg, or whatever else there is. `watched` is
  // the general way of which ACK stages hear; `proxied` that before which, or behind which, a split proxy
  // stands; `awaited` the same while that waits for room. Two bits of each say what prefetch_third() fetches.
  static constexpr unsigned kByJudge = 1, kByThird = 2;
  static constexpr std::uint32_t kLeftToOthers = 1500;  // bytes
  // Of detail_.
  static constexpr std::uint8_t kAsks = 128, kTold = 64, kPlace = 63;
  static_assert(JudgedStore::kHears.size() <= kPlace + 1);
  enum class Path : std::uint8_t {
    plain_shaper = 0,
    judged_shaper = kByJudge,
    general = kByThird,
    crosses = 4,
    watched = 4 | kByThird,
    proxied = 8 | kByThird,
    awaited = 12 | kByThird
  };

  void choose_path() noexcept;
  void choose_detail() noexcept;
  // What serve() will touch: while nothing waits the short ways need no more than the first line and the SDU,
  // unless who judges is to hear.
  void expect_next() noexcept {
    if (path_ >= Path::general) return touches(RlcBuffer::kFollowed, 3);
    if (buffer_.own_sdus() > 1) return touches(RlcBuffer::kFollowed, 2);
    if (path_ == Path::plain_shaper || (detail_ & kTold) == 0) return touches(1, 1);
    touches(2, 2);
  }
  // Requires: the judged way.
  std::size_t policy() const noexcept {
    DP_EXPECT_HOT(path_ == Path::judged_shaper);
    return detail_ & kPlace;
  }
  // Its kind may be another, its rate is this.
  void link_changed(const LegSettings& settings) noexcept;

  ShaperLink& shaper() noexcept { return link<ShaperLink>(); }

  void arm_at(Time t, Context& context) noexcept {
    if (t != kNever) {
      context.timers.arm(*this, t);
    } else {
      context.timers.cancel(*this);
    }
  }

  // The first cache line is the timer, what comes here, and the buffer as far as the pointer to what is in
  // transmission; the second goes as far as the buffer's LinkRoom.
  void check_lines() const noexcept;

  Path path_{};
  // kAsks, unless a short way is taken and an SDU that comes while nothing is queued passes whatever it is.
  // Where somebody judges, the policy's place in AqmEngines, and kTold if it is to hear of each SDU that has
  // left.
  std::uint8_t detail_{};
  CounterOf<std::uint8_t> answers_;  // written by the worker, read by control; the next too
  LastSeen seen_;
  RlcBuffer buffer_;
  Side exit_;
  std::uint8_t kind_{};  // of the link: its place in LinkEngines
};
static_assert(sizeof(Leg) == 3 * kCacheLine);

}  // namespace dp
