// A dedicated channel with RLC acknowledged mode over an emulated air link (TS 25.322): TTIs, PDUs, frame
// errors, retransmissions. Both legs of a bearer have this link or none has; they share one AmRadioLink, made
// with the bearer (worker/prepare.h).
// Tests: tests/contract/link_contract_test.cc, tests/unit/link/am_test.cc
#pragma once
#include <cstdint>

#include "dataplane/base/expect.h"
#include "dataplane/link/am/radio_link.h"
#include "dataplane/link/am/settings.h"
#include "dataplane/link/link.h"

namespace dp {

class AmLink : public AmSpec {
 public:
  static constexpr bool kWakesOnArrival = true;
  static constexpr bool kTakesChains = false;  // a PDU is cut from one piece

  explicit AmLink(const Config&) noexcept {}
  void attach(AmRadioLink& radio_link, Direction direction, std::uint64_t rate) noexcept {
    radio_link_ = &radio_link;
    direction_ = direction;
    radio_link.set_rate(direction, rate);
  }

  // The air that it is attached to; null before.
  const AmRadioLink* radio_link() const noexcept { return radio_link_; }

  // Everything below requires: it is attached.
  template <class F>
  Time serve(Time t, RlcBuffer&, Context& context, F&& deliver) noexcept {
    DP_EXPECT(radio_link_ != nullptr);
    return radio_link_->serve(direction_, t, context, Deliver(deliver));
  }
  Time set_rate(std::uint64_t, const RlcBuffer& buffer, Time t) noexcept {
    DP_EXPECT(radio_link_ != nullptr);
    radio_link_->set_rate(direction_, buffer.rate());
    return radio_link_->next_service(direction_, t);
  }
  void resume(const RlcBuffer&, Time) noexcept {}
  // Both legs call it; the air is postponed once.
  void postpone(Duration pause) noexcept {
    DP_EXPECT(radio_link_ != nullptr);
    if (direction_ == Direction::downlink) radio_link_->postpone(pause);
  }
  void recall(Context& context) noexcept {
    DP_EXPECT(radio_link_ != nullptr);
    radio_link_->recall(context);
  }
  void reset() noexcept {}

 private:
  AmRadioLink* radio_link_ = nullptr;
  Direction direction_{};
};

}  // namespace dp
