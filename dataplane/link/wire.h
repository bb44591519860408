// No limit: frames cross at once and are never buffered. The uplink's default.
// Tests: tests/contract/link_contract_test.cc
#pragma once
#include <cstdint>

#include "dataplane/link/link.h"
#include "dataplane/link/wire_config.h"

namespace dp {

class WireLink : public WireSpec {
 public:
  static constexpr bool kWakesOnArrival = false;
  static constexpr bool kTakesChains = true;

  explicit WireLink(const Config&) noexcept {}
  template <class Deliver>
  Time serve(Time, RlcBuffer&, Context&, Deliver&&) noexcept {
    return kNever;
  }
  Time set_rate(std::uint64_t, const RlcBuffer&, Time) noexcept { return kNever; }
  void resume(const RlcBuffer&, Time) noexcept {}
  void postpone(Duration) noexcept {}
  void recall(Context&) noexcept {}
  void reset() noexcept {}
};

}  // namespace dp
