// One direction of a bearer: a buffer, the link that empties it, and the timer that says when. Lives inside
// its Bearer; touched by the bearer's worker only, but for the counters, which control may read.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "dataplane/base/counter.h"
#include "dataplane/bearer/class_counters.h"
#include "dataplane/bearer/settings.h"
#include "dataplane/buffer/buffer.h"
#include "dataplane/link/engines.h"
#include "dataplane/packet/context.h"

namespace dp {

class alignas(64) Leg : public WorkerTimer {
 public:
  // `fire` is the spine's handler for this direction: it calls serve() with what follows the link.
  Leg(const LegSettings& settings, Side exit, Fire fire, FlowQueues* flows, std::uint64_t seed)
      : WorkerTimer(fire),
        exit_(exit),
        link_(LinkEngines::make(settings.link, settings.rate)),
        buffer_(settings.buffer, settings.aqm, settings.rate, seed, flows) {
    link_changed(settings.rate);
    follows(&buffer_.all_in_transmission());
  }

  // Cache lines that a packet touches, from the first on.
  std::size_t lines() const noexcept { return lines_of(path_); }
  static constexpr std::size_t kHotLines = 2;
  void prefetch(std::size_t lines) const noexcept {
    const auto* line = reinterpret_cast<const std::byte*>(this);
    for (std::size_t at = 0; at < kHotLines; ++at) __builtin_prefetch(line + 64 * at, 1);
    for (std::size_t at = kHotLines; at < lines; ++at) __builtin_prefetch(line + 64 * at, 1);
  }

  // For the link that both legs share.
  void attach(Air& air, Direction direction) noexcept {
    auto* link = std::get_if<AmLink>(&link_);
    if (link == nullptr) return;
    link->attach(air, direction);
    air.attach(direction, buffer_, *this, exit_);
  }

  // To a cell in which the link shares slots; nothing for other links.
  void join(Cell& cell, const LegSettings& settings, std::uint64_t number) {
    auto* link = std::get_if<CellLink>(&link_);
    const auto* channel = std::get_if<CellLink::Config>(&settings.link);
    if (link == nullptr || channel == nullptr) return;
    if (Cell::Member* member = cell.join(*channel, number, *this)) link->attach(cell, *member);
  }

  void set_acks(AckChain* acks) noexcept {
    buffer_.set_acks(acks);
    choose_path();
  }

  void count_in(ClassLegCounters& stats) noexcept { buffer_.count_in(stats); }

  // False for a link that lets frames cross at once; they then never enter the leg.
  bool buffers() const noexcept { return path_ != Path::crosses; }

  // Takes the SDU over: queued or dropped. True when the link wants serve() now.
  [[gnu::always_inline]] bool enqueue(Sdu& sdu, Context& context) noexcept {
    if (path_ == Path::plain_shaper) [[likely]] {
      if (buffer_.push_plain(sdu, context)) context.timers.arm(*this, shaper().begin(sdu));
      return false;
    }
    if (path_ == Path::judged_shaper) return enqueue_judged(sdu, context), false;
    return enqueue_general(sdu, context);
  }

  // A packet has come for this direction, whatever becomes of it.
  void saw(Time now) noexcept { seen_.set(static_cast<std::uint64_t>(ns(now))); }
  // When the last of them came; nothing when none has.
  std::optional<Time> last_seen() const noexcept {
    const std::uint64_t at = seen_.get();
    return at == 0 ? std::nullopt : std::optional(time_ns(static_cast<std::int64_t>(at)));
  }

  // Of an uplink: Bearer::answered.
  bool answers() const noexcept { return answers_.get() != 0; }
  void set_answers() noexcept { answers_.set(1); }

  // The SDU crosses without being queued; it stays the caller's.
  void count_crossing(const Sdu& sdu) noexcept { buffer_.count_crossing(sdu); }

  // Serves what is due at `t` and arms itself for the next. deliver(sdu) takes over what has left.
  template <class Deliver>
  [[gnu::always_inline]] void serve(Time t, Context& context, Deliver&& deliver) noexcept {
    if (path_ == Path::plain_shaper) [[likely]] {
      deliver(buffer_.finish_plain(t, context));
      if (const Sdu* next = buffer_.start_plain()) context.timers.arm(*this, shaper().begin(*next));
      return;
    }
    if (path_ == Path::judged_shaper) return serve_judged(t, context, deliver);
    serve_general(t, context, deliver);
  }

  // Rate, limits and AQM change in place; what is queued stays. Only for a link of another kind it leaves
  // first. Flow queues: RlcBuffer::set_aqm.
  FlowQueues* reconfigure(const LegSettings& settings, FlowQueues* fresh, Context& context) noexcept {
    buffer_.set_limit(settings.buffer);
    buffer_.set_rate(settings.rate);
    FlowQueues* const unused = buffer_.set_aqm(settings.aqm, fresh, context.link_time(), context);
    if (changes_link(settings)) {
      send_all(context);
      link_ = LinkEngines::make(settings.link, settings.rate);
    } else {
      const auto set = [&](auto& link) { return link.set_rate(settings.rate, buffer_, context.link_time()); };
      arm_at(std::visit(set, link_), context);
    }
    link_changed(settings.rate);
    return unused;
  }

  // The mode was `block` for so long.
  void postpone(Duration pause, Context& context) noexcept {
    std::visit([&](auto& link) { link.postpone(pause); }, link_);
    if (armed()) context.timers.arm(*this, deadline() + pause);
    buffer_.postpone(pause, context);
  }

  // Bearer::park.
  void park(Context& context) noexcept {
    context.timers.park(*this);
    buffer_.park(context);
    buffer_.part();
  }
  void unpark(Context& context) noexcept {
    context.timers.unpark(*this);
    buffer_.unpark(context);
  }

  bool changes_link(const LegSettings& settings) const noexcept {
    return settings.link.index() != link_.index();
  }

  // Sends everything queued at once, in order, and leaves the link idle.
  void send_all(Context& context) noexcept {
    std::visit([&](auto& link) { link.recall(context); }, link_);
    buffer_.take_all(context, [&](Sdu& sdu) { context.send_now(sdu, exit_); });
    std::visit([](auto& link) { link.reset(); }, link_);
    context.timers.cancel(*this);
  }

  // bit/s; 0 for a link without a rate.
  std::uint64_t rate() const noexcept { return buffer_.rate(); }
  const RlcBuffer& buffer() const noexcept { return buffer_; }
  FlowQueues* flow_queues() noexcept { return buffer_.flow_queues(); }

 private:
  [[gnu::noinline]] bool enqueue_general(Sdu& sdu, Context& context) noexcept {
    if (sdu.segments != 1 && !takes_chains_) return context.drop(sdu, DropReason::too_long), false;
    return buffer_.push(sdu, context) && (wakes_on_arrival_ || !armed());
  }
  template <class Deliver>
  [[gnu::noinline]] void serve_general(Time t, Context& context, Deliver& deliver) noexcept {
    arm_at(std::visit([&](auto& link) { return link.serve(t, buffer_, context, deliver); }, link_), context);
  }

  [[gnu::noinline]] void enqueue_judged(Sdu& sdu, Context& context) noexcept {
    buffer_.with_policy([&](auto& policy) {
      if (buffer_.push_judged(policy, sdu, context)) start_judged(policy, context);
    });
  }
  template <class Deliver>
  [[gnu::noinline]] void serve_judged(Time t, Context& context, Deliver& deliver) noexcept {
    buffer_.with_policy([&](auto& policy) {
      deliver(buffer_.finish_judged(policy, t, context));
      start_judged(policy, context);
    });
  }
  // As ShaperLink::serve() does.
  template <class P>
  void start_judged(P& policy, Context& context) noexcept {
    const Sdu* const next = buffer_.front();
    if (next == nullptr) return;
    const Time start = shaper().free_for(*next);
    if (const Sdu* sdu = buffer_.start_judged(policy, start, context)) {
      context.timers.arm(*this, shaper().begin(start, *sdu));
    }
  }

  // Which way a frame takes through the leg, decided when its link, policy or chain changes: over none of
  // the leg, one of the short ways (RlcBuffer::plain, judged), or whatever else there is.
  enum class Path : std::uint8_t { crosses, plain_shaper, judged_shaper, general };

  static constexpr std::size_t lines_of(Path path) noexcept {
    return path == Path::crosses || path == Path::plain_shaper ? kHotLines : sizeof(Leg) / 64;
  }

  void choose_path() noexcept {
    path_ = std::visit(
        [&]<class L>(const L&) {
          if (!L::kBuffers) return Path::crosses;
          if (!std::is_same_v<L, ShaperLink>) return Path::general;
          return buffer_.plain()    ? Path::plain_shaper
                 : buffer_.judged() ? Path::judged_shaper
                                    : Path::general;
        },
        link_);
    reads(static_cast<std::uint8_t>(lines()));
  }
  // Its kind may be another, its rate is this.
  void link_changed(std::uint64_t rate) noexcept {
    std::visit(
        [&]<class L>(const L&) {
          buffer_.set_rate(L::kBuffers ? rate : 0);
          takes_chains_ = L::kTakesChains;
          wakes_on_arrival_ = L::kWakesOnArrival;
        },
        link_);
    choose_path();
  }
  // Requires: it is the link.
  ShaperLink& shaper() noexcept {
    auto* shaper = std::get_if<ShaperLink>(&link_);
    DP_EXPECT_HOT(shaper != nullptr);
    return *shaper;
  }

  void arm_at(Time t, Context& context) noexcept {
    if (t != kNever) {
      context.timers.arm(*this, t);
    } else {
      context.timers.cancel(*this);
    }
  }

  // The timer, what follows here and the beginning of the buffer is what the short way touches: two cache
  // lines, and what comes behind them stays where it is until something waits.
  Side exit_;
  Path path_{};
  bool takes_chains_{}, wakes_on_arrival_{};  // of the link's kind; the same as long as the link is
  CounterOf<std::uint8_t> answers_;           // written by the worker, read by control; the next too
  AnyLink link_;
  Counter seen_;  // ns
  RlcBuffer buffer_;

  static_assert(sizeof(WorkerTimer) + sizeof(AnyLink) + sizeof(Counter) + sizeof(LegBufferCounters) +
                    sizeof(BufferLimit) + sizeof(SduLoop) <=
                64 * kHotLines);
};

}  // namespace dp
