// A dedicated channel with RLC unacknowledged mode (TS 25.322): a shaper behind which a radio loses SDUs,
// repairs none, and delivers the others later. Each leg over it has an UmAir, made with the bearer
// (worker/prepare.h).
// Tests: tests/contract/link_contract_test.cc, tests/unit/link/um_test.cc
#pragma once
#include <cstdint>

#include "dataplane/base/expect.h"
#include "dataplane/link/link.h"
#include "dataplane/link/um/air.h"
#include "dataplane/link/um/settings.h"

namespace dp {

class UmLink : public UmSpec {
 public:
  // Its timer may wait for an SDU on its way when another arrives for the idle channel.
  static constexpr bool kWakesOnArrival = true;
  static constexpr bool kTakesChains = true;

  using State = UmAir;  // bearer/part/link_state.h

  explicit UmLink(const Config&) noexcept {}
  void attach(UmAir& air, Side exit) noexcept {
    air_ = &air;
    air.attach(exit);
  }
  // The state that it is attached to; null before.
  UmAir* state() const noexcept { return air_; }

  // Everything below requires: it is attached.
  template <class Deliver>
  Time serve(Time t, RlcBuffer& buffer, Context& context, Deliver&& deliver) noexcept {
    DP_EXPECT(air_ != nullptr);
    return air_->serve(t, buffer, context, deliver);
  }
  Time set_rate(std::uint64_t was, const RlcBuffer& buffer, Time t) noexcept {
    DP_EXPECT(air_ != nullptr);
    return air_->set_rate(was, buffer, t);
  }
  void postpone(Duration pause) noexcept {
    DP_EXPECT(air_ != nullptr);
    air_->postpone(pause);
  }
  void recall(Context& context) noexcept {
    DP_EXPECT(air_ != nullptr);
    air_->recall(context);
  }
  void reset() noexcept {
    DP_EXPECT(air_ != nullptr);
    air_->reset();
  }

 private:
  UmAir* air_ = nullptr;  // control's
};

}  // namespace dp
