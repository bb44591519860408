// No limit: frames cross at once and are never buffered. The uplink's default.
#pragma once
#include <cstdint>
#include <string_view>
#include <tuple>

#include "dataplane/link/link.h"

namespace dp {

class WireLink {
 public:
  static constexpr std::string_view kName = "wire";
  static constexpr std::string_view kDoc = "no limit; frames cross at once";
  static constexpr bool kBuffers = false;
  static constexpr bool kWakesOnArrival = false;
  static constexpr bool kTakesChains = true;
  struct Config {
    static constexpr std::tuple<> kFields{};
    friend bool operator==(const Config&, const Config&) = default;
  };

  WireLink(const Config&, std::uint64_t) noexcept {}
  template <class Deliver>
  Time serve(Time, RlcBuffer&, Context&, Deliver&&) noexcept {
    return kNever;
  }
  Time set_rate(std::uint64_t, Time) noexcept { return kNever; }
  void postpone(Duration) noexcept {}
  std::uint64_t rate() const noexcept { return 0; }
  void recall(Context&) noexcept {}
  void reset() noexcept {}
};

}  // namespace dp
