// The emulated radio link of one bearer: an RLC AM entity at the RNC and one at the UE, and the air between
// them in both directions. Real PDUs cross it. It serves both legs of the bearer, each for its own direction:
// the leg's frames leave at the TTIs, and SDUs are delivered from there on arrival. Made and freed by
// control, used by the bearer's worker; outlives the bearer's stay there.
// Tests: tests/unit/link/am_test.cc
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include "dataplane/base/ids.h"
#include "dataplane/link/am/entity_host.h"
#include "dataplane/link/am/transport_channel.h"

namespace dp {

class AmRadioLink {
 public:
  // Both directions take the RLC settings of the downlink's; `number` distinguishes bearers of one class.
  AmRadioLink(const AmLinkConfig& downlink, const AmLinkConfig& uplink, std::uint64_t number);
  AmRadioLink(const AmRadioLink&) = delete;
  AmRadioLink& operator=(const AmRadioLink&) = delete;
  // The memory that it takes beside its own size.
  static std::size_t bytes_for(const AmLinkConfig& downlink, const AmLinkConfig& uplink);

  // Attaches the leg whose frames cross in this direction. Both stay attached until the air leaves the
  // bearer.
  void attach(Direction direction, RlcBuffer& buffer, WorkerTimer& timer, Side exit) noexcept;

  // Everything below requires: both legs are attached.
  //
  // LinkModel::serve, for one direction.
  Time serve(Direction direction, Time t, Context& context, Deliver deliver) noexcept;
  void set_rate(Direction direction, std::uint64_t rate) noexcept { own_channel(direction).set_rate(rate); }
  std::uint64_t rate(Direction direction) const noexcept { return channel(direction).rate(); }
  // Sends the SDUs that both legs have in transmission at once, in order, and starts afresh.
  void recall(Context& context) noexcept;
  // Both directions stood still for `pause`.
  void postpone(Duration pause) noexcept { behind_ += pause; }
  Time next_service(Direction direction, Time t) const noexcept;

  // Takes the channels of `other` if nothing else differs; false if more does. Requires: it is another.
  bool adopt(AmRadioLink& other) noexcept;

  // Adds the frames here, beside those in the legs.
  void add_to(Holdings& sum) const noexcept {
    for (const AmEntityHost& one : hosts_) one.add_to(sum);
  }

  // For control too: the event totals of the direction, and the number of SDUs on their way in it.
  AmEventTotals totals(Direction direction) const noexcept;
  std::uint64_t in_transmission(Direction direction) const noexcept {
    return in_transmission_[index(direction)].get();
  }

  const AmEntity& sender(Direction direction) const noexcept { return host(direction).entity(); }
  const TransportChannel& channel(Direction direction) const noexcept { return channels_[index(direction)]; }

 private:
  static Direction reverse(Direction d) noexcept {
    return d == Direction::downlink ? Direction::uplink : Direction::downlink;
  }
  // The entity that sends in this direction.
  AmEntityHost& host(Direction d) noexcept { return hosts_[index(d)]; }
  const AmEntityHost& host(Direction d) const noexcept { return hosts_[index(d)]; }
  TransportChannel& own_channel(Direction d) noexcept { return channels_[index(d)]; }
  Time radio_time(Time t) const noexcept { return t - behind_; }

  static Duration phase_of(const AmLinkConfig& config, std::uint64_t number) noexcept;
  // next_service() with the sender's wake time, if it is known already.
  Time next_service(Direction direction, Time t, Time wake) const noexcept;
  void count(Direction direction) noexcept;
  void publish() noexcept;
  // Hands over the PDUs that have arrived by `t`; false if there were none.
  bool receive(Direction direction, Time t, Context& context, const Deliver& deliver) noexcept;
  void arm(Direction direction, Time t, Context& context) noexcept;
  void reestablish(Context& context) noexcept;

  std::array<AmLinkConfig, 2> configs_;
  Duration behind_{};  // the offset of the air's time behind the worker's
  std::array<AmEntityHost, 2> hosts_;
  std::array<TransportChannel, 2> channels_;
  std::array<WorkerTimer*, 2> timers_{};
  std::array<RlcBuffer*, 2> buffers_{};
  std::array<AmEventTotals, 2> counted_;  // the totals that the legs' classes have counted
  std::array<Counter, 2> in_transmission_;
};

}  // namespace dp
