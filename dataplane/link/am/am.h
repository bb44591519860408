// A dedicated channel with RLC acknowledged mode over an emulated air link (TS 25.322): TTIs, PDUs, frame
// errors, retransmissions. Both legs of a bearer have this link or none has; they share one Air, made with
// the bearer (worker/prepare.h).
// Tests: tests/contract/link_contract_test.cc, tests/unit/link/am_test.cc
#pragma once
#include <cstdint>

#include "dataplane/base/expect.h"
#include "dataplane/link/am/air.h"
#include "dataplane/link/am/settings.h"
#include "dataplane/link/link.h"

namespace dp {

class AmLink : public AmSpec {
 public:
  static constexpr bool kWakesOnArrival = true;
  static constexpr bool kTakesChains = false;  // a PDU is cut from one piece

  explicit AmLink(const Config&) noexcept {}
  void attach(Air& air, Direction direction, std::uint64_t rate) noexcept {
    air_ = &air;
    direction_ = direction;
    air.set_rate(direction, rate);
  }

  // The air that it is attached to; null before.
  const Air* air() const noexcept { return air_; }

  // Everything below requires: it is attached.
  template <class F>
  Time serve(Time t, RlcBuffer&, Context& context, F&& deliver) noexcept {
    DP_EXPECT(air_ != nullptr);
    return air_->serve(direction_, t, context, Deliver(deliver));
  }
  Time set_rate(std::uint64_t, const RlcBuffer& buffer, Time t) noexcept {
    DP_EXPECT(air_ != nullptr);
    air_->set_rate(direction_, buffer.rate());
    return air_->next_service(direction_, t);
  }
  // Both legs call it; the air is postponed once.
  void postpone(Duration pause) noexcept {
    DP_EXPECT(air_ != nullptr);
    if (direction_ == Direction::downlink) air_->postpone(pause);
  }
  void recall(Context& context) noexcept {
    DP_EXPECT(air_ != nullptr);
    air_->recall(context);
  }
  void reset() noexcept {}

 private:
  Air* air_ = nullptr;
  Direction direction_{};
};

}  // namespace dp
