// One direction of a bearer: a buffer, the link that empties it, and the timer that says when. Lives inside
// its Bearer; touched by the bearer's worker only, but for the counters, which control may read.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
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
        buffer_(settings.buffer, settings.aqm, seed, flows),
        link_(LinkEngines::make(settings.link, settings.rate)),
        traits_(traits_of(link_)) {
    rate_.set(std::visit([](auto& link) { return link.rate(); }, link_));
  }

  // All of it: whoever touches a leg needs its timer, its buffer and its link.
  void prefetch() const noexcept {
    const auto* line = reinterpret_cast<const std::byte*>(this);
    for (std::size_t at = 0; at < sizeof(Leg); at += 64) __builtin_prefetch(line + at, 1);
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

  void set_acks(AckChain* acks) noexcept { buffer_.set_acks(acks); }

  void count_in(ClassLegCounters& stats) noexcept { buffer_.count_in(stats); }

  // False for a link that lets frames cross at once; they then never enter the leg.
  bool buffers() const noexcept { return traits_.buffers; }

  // Takes the SDU over: queued or dropped. True when the link wants serve() now.
  bool enqueue(Sdu& sdu, Context& context) noexcept {
    if (sdu.segments != 1 && !traits_.takes_chains) return context.drop(sdu, DropReason::too_long), false;
    return buffer_.push(sdu, rate(), context) && (traits_.wakes_on_arrival || !armed());
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
  void serve(Time t, Context& context, Deliver&& deliver) noexcept {
    arm_at(std::visit([&](auto& link) { return link.serve(t, buffer_, context, deliver); }, link_), context);
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
      traits_ = traits_of(link_);
    } else {
      arm_at(std::visit([&](auto& link) { return link.set_rate(settings.rate, context.link_time()); }, link_),
             context);
    }
    rate_.set(std::visit([](auto& link) { return link.rate(); }, link_));
    return unused;
  }

  // The mode was `block` for so long.
  void postpone(Duration pause, Context& context) noexcept {
    std::visit([&](auto& link) { link.postpone(pause); }, link_);
    if (armed()) context.timers.arm(*this, deadline() + pause);
    buffer_.postpone(pause, context);
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

  std::uint64_t rate() const noexcept { return rate_.get(); }
  const RlcBuffer& buffer() const noexcept { return buffer_; }
  FlowQueues* flow_queues() noexcept { return buffer_.flow_queues(); }

 private:
  // What each packet asks of the link's kind; the same as long as the link is.
  struct LinkTraits {
    bool buffers, takes_chains, wakes_on_arrival;
  };
  static LinkTraits traits_of(const AnyLink& link) noexcept {
    return std::visit(
        []<class L>(const L&) {
          return LinkTraits{L::kBuffers, L::kTakesChains, L::kWakesOnArrival};
        },
        link);
  }

  void arm_at(Time t, Context& context) noexcept {
    if (t != kNever) {
      context.timers.arm(*this, t);
    } else {
      context.timers.cancel(*this);
    }
  }

  Side exit_;
  RlcBuffer buffer_;
  AnyLink link_;
  LinkTraits traits_;
  Counter rate_;  // written by the worker, read by control; the next too
  Counter seen_;  // ns
  Counter answers_;
};

}  // namespace dp
