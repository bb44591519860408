// A dedicated channel with RLC unacknowledged mode (TS 25.322): a shaper behind which a radio loses SDUs,
// repairs none, and delivers the others later. Each leg over it has an UmRadioLink, made with the bearer
// (worker/prepare.h).
// Tests: tests/contract/link_contract_test.cc, tests/unit/link/um_test.cc
#pragma once
#include <cstdint>

#include "dataplane/base/expect.h"
#include "dataplane/link/link.h"
#include "dataplane/link/um/radio_link.h"
#include "dataplane/link/um/settings.h"

namespace dp {

class UmLink : public UmSpec {
 public:
  // Its timer may wait for an SDU on its way when another arrives for the idle channel.
  static constexpr bool kWakesOnArrival = true;
  static constexpr bool kTakesChains = true;

  using State = UmRadioLink;  // bearer/part/link_state.h

  explicit UmLink(const Config&) noexcept {}
  void attach(UmRadioLink& radio_link, Side exit) noexcept {
    radio_link_ = &radio_link;
    radio_link.attach(exit);
  }
  // The state that it is attached to; null before.
  UmRadioLink* state() const noexcept { return radio_link_; }

  // Everything below requires: it is attached.
  template <class Deliver>
  Time serve(Time t, RlcBuffer& buffer, Context& context, Deliver&& deliver) noexcept {
    DP_EXPECT(radio_link_ != nullptr);
    return radio_link_->serve(t, buffer, context, deliver);
  }
  Time set_rate(std::uint64_t was, const RlcBuffer& buffer, Time t) noexcept {
    DP_EXPECT(radio_link_ != nullptr);
    return radio_link_->set_rate(was, buffer, t);
  }
  void resume(const RlcBuffer& buffer, Time t) noexcept {
    DP_EXPECT(radio_link_ != nullptr);
    radio_link_->resume(buffer, t);
  }
  void postpone(Duration pause) noexcept {
    DP_EXPECT(radio_link_ != nullptr);
    radio_link_->postpone(pause);
  }
  void recall(Context& context) noexcept {
    DP_EXPECT(radio_link_ != nullptr);
    radio_link_->recall(context);
  }
  void reset() noexcept {
    DP_EXPECT(radio_link_ != nullptr);
    radio_link_->reset();
  }

 private:
  UmRadioLink* radio_link_ = nullptr;  // control's
};

}  // namespace dp
