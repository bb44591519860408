#include "dataplane/link/am/radio_link.h"

#include <algorithm>

#include "dataplane/base/expect.h"
#include "dataplane/link/am/channel_rng.h"
#include "dataplane/tap/tap.h"

namespace dp {

AmRadioLink::AmRadioLink(const AmLinkConfig& downlink, const AmLinkConfig& uplink, std::uint64_t number)
    : configs_{downlink, uplink},
      hosts_{AmEntityHost(downlink.rlc(), hosts_[1]), AmEntityHost(downlink.rlc(), hosts_[0])},
      channels_{TransportChannel(downlink, phase_of(downlink, number),
                                 channel_rng(downlink, number, Direction::downlink)),
                TransportChannel(uplink, phase_of(downlink, number),
                                 channel_rng(uplink, number, Direction::uplink))} {}

// TTIs of different bearers do not begin together; a bearer's two directions do.
Duration AmRadioLink::phase_of(const AmLinkConfig& config, std::uint64_t number) noexcept {
  return Duration{Rng(config.seed).fork(3 * number).below(static_cast<std::uint32_t>(config.tti.count()))};
}

std::size_t AmRadioLink::bytes_for(const AmLinkConfig& downlink, const AmLinkConfig& uplink) {
  return 2 * AmEntity::bytes_for(downlink.rlc()) + TransportChannel::bytes_for(downlink) +
         TransportChannel::bytes_for(uplink);
}

void AmRadioLink::attach(Direction direction, RlcBuffer& buffer, WorkerTimer& timer, Side exit) noexcept {
  host(direction).attach(buffer, exit);
  buffers_[index(direction)] = &buffer;
  timers_[index(direction)] = &timer;
}

// A PDU that arrives may give its receiver something to send on the way back.
Time AmRadioLink::serve(Direction direction, Time t, Context& context, Deliver deliver) noexcept {
  DP_EXPECT(buffers_[0] != nullptr && buffers_[1] != nullptr);
  const Time radio_now = radio_time(t);
  const Direction back = reverse(direction);
  TransportChannel& over = own_channel(direction);
  if (receive(direction, t, context, deliver)) arm(back, next_service(back, t), context);
  Time wake = sender(direction).wake_at();
  if (wake <= radio_now && over.tti_begins(radio_now)) {
    const auto sent = over.send(AmEntityHost::Turn(host(direction), context, t).entity(), radio_now);
    if (context.tap != nullptr) [[unlikely]]
      context.tap->pdus(this, direction, sent.pdus, over.pdu_size(), sent.lost, t);
    count(direction);
    wake = sender(direction).wake_at();
  }
  if (host(direction).failed() || host(back).failed()) {
    reestablish(context);
    wake = sender(direction).wake_at();
  }
  publish();
  return next_service(direction, t, wake);
}

bool AmRadioLink::receive(Direction direction, Time t, Context& context, const Deliver& deliver) noexcept {
  const AmEntityHost::Turn turn(host(reverse(direction)), context, t, &deliver);
  return own_channel(direction).receive(turn.entity(), radio_time(t));
}

Time AmRadioLink::next_service(Direction direction, Time t) const noexcept {
  return next_service(direction, t, sender(direction).wake_at());
}

Time AmRadioLink::next_service(Direction direction, Time t, Time wake) const noexcept {
  const TransportChannel& over = channel(direction);
  Time next = over.next_arrival();
  if (wake != kNever) next = std::min(next, over.next_tti(std::max(wake, radio_time(t))));
  return next == kNever ? kNever : next + behind_;
}

void AmRadioLink::arm(Direction direction, Time t, Context& context) noexcept {
  DP_EXPECT(timers_[index(direction)] != nullptr);
  WorkerTimer& timer = *timers_[index(direction)];
  if (t == kNever) return context.timers.cancel(timer);
  if (!timer.armed() || timer.deadline() != t) context.timers.arm(timer, t);
}

void AmRadioLink::recall(Context& context) noexcept {
  for (Direction d : kDirections) {
    own_channel(d).drop_all();
    AmEntityHost::Turn(host(d), context, context.now).recall(radio_time(context.link_time()));
    arm(d, buffers_[index(d)]->waiting() ? next_service(d, context.link_time()) : kNever, context);
  }
  publish();
}

AmEventTotals AmRadioLink::totals(Direction d) const noexcept {
  const AmEntityCounters& rlc = sender(d).stats();
  return {{rlc.pdus_new.get(), rlc.pdus_retransmitted.get(), rlc.pdus_status.get(),
           channel(d).frames_received(), channel(d).frames_lost(), rlc.mrws.get(), rlc.resets.get()}};
}

// Once a TTI, not for each PDU. Flat, so that the totals stay in registers: reads from memory, two at a time,
// would stall on the writes just before.
[[gnu::flatten]] void AmRadioLink::count(Direction d) noexcept {
  AmEventTotals& before = counted_[index(d)];
  const AmEventTotals now = totals(d);
  AmEventTotals since;
  for (std::size_t i = 0; i < kAmEvents; ++i) since.counts[i] = now.counts[i] - before.counts[i];
  before = now;
  buffers_[index(d)]->count(since);
}

void AmRadioLink::publish() noexcept {
  for (Direction d : kDirections) in_transmission_[index(d)].set(sender(d).in_transmission());
}

bool AmRadioLink::adopt(AmRadioLink& other) noexcept {
  DP_EXPECT(&other != this);
  for (Direction d : kDirections) {
    const AmLinkConfig& ours = configs_[index(d)];
    const AmLinkConfig& theirs = other.configs_[index(d)];
    if (ours.rlc() != theirs.rlc() || ours.delay != theirs.delay || ours.seed != theirs.seed) return false;
  }
  std::swap(configs_, other.configs_);
  for (Direction d : kDirections) own_channel(d).swap_channel(other.own_channel(d));
  return true;
}

void AmRadioLink::reestablish(Context& context) noexcept {
  for (Direction d : kDirections) {
    own_channel(d).drop_all();
    AmEntityHost::Turn(host(d), context, context.now).reestablish(radio_time(context.now));
  }
  for (Direction d : kDirections) arm(d, next_service(d, context.now), context);
}

}  // namespace dp
