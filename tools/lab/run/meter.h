// Measures a bearer during a run: buffer occupancy and offered capacity over time, and the growth of its
// counters. Reads the production bearer's own counters.
#pragma once
#include <array>
#include <cstdint>

#include "dataplane/bearer/bearer.h"
#include "tools/lab/figures/result.h"
#include "tools/lab/run/capacity.h"
#include "tools/lab/run/observer.h"

namespace lab {

class BearerMeter {
 public:
  BearerMeter(const dp::Bearer& bearer, std::size_t index, const dp::LinkConfig& downlink)
      : bearer_(&bearer), index_(index), capacity_(downlink) {}

  // To be called after every event.
  void look(dp::Time now, Observer* observer) {
    const std::uint32_t sdus = bearer_->downlink.buffer().sdus();
    const std::uint64_t rate = bearer_->downlink.rate();
    if (observer != nullptr) tell(now, *observer, sdus, rate);
    const std::uint32_t waiting = bearer_->downlink.buffer().waiting_sdus();
    if (sdus == sdus_ && rate == rate_ && waiting == waiting_) return;
    settle(now);
    sdus_ = sdus;
    waiting_ = waiting;
    rate_ = rate;
    most_ = sdus > most_ ? sdus : most_;
  }

  void dropped(dp::Side ingress, dp::DropReason reason) noexcept;
  // The downlink's link from `now` on.
  void link_changed(const dp::LinkConfig& downlink, dp::Time now) noexcept {
    settle(now);
    capacity_.change(downlink);
  }
  // Keeps the counts of a radio link that the bearer no longer uses.
  void keep_counts_of(const dp::AmRadioLink& radio_link) noexcept;
  // Discards all measurements so far.
  void forget(dp::Time now) noexcept;
  BearerResult result(dp::Time now);

 private:
  struct Counts {
    std::uint64_t delivered = 0, delivered_bytes = 0, uplink_delivered = 0;
    std::uint64_t pdus = 0, pdus_again = 0, slots = 0;
  };
  static void add(Counts& to, const dp::AmRadioLink& radio_link) noexcept;
  Counts counts() const noexcept;
  void settle(dp::Time now) noexcept;
  void tell(dp::Time now, Observer& observer, std::uint32_t sdus, std::uint64_t rate);

  const dp::Bearer* bearer_;
  std::size_t index_;
  dp::Time since_{}, from_{};
  std::uint32_t sdus_ = 0, most_ = 0, waiting_ = 0;
  std::uint64_t rate_ = 0;
  double sdu_seconds_ = 0, waiting_seconds_ = 0, bits_ = 0;
  LinkCapacity capacity_;
  double link_bits_ = 0;
  std::uint64_t overflow_ = 0, aqm_ = 0, rlc_ = 0, radio_ = 0, uplink_dropped_ = 0;
  std::array<std::uint64_t, 2> air_lost_{};  // by Direction, as reported to the observer
  Counts before_{}, gone_{};                 // gone_: counts of radio links no longer in use
};

}  // namespace lab
