// Thresholds of a buffer, written in SDUs or in bytes.
#pragma once
#include <cstdint>
#include <optional>

#include "dataplane/base/fields.h"

namespace dp {

// The value that an AQM or an ACK stage compares with its thresholds: the occupancy in SDUs if all of them
// are in SDUs, else in bytes, an SDU of a threshold counting 1500.
class Gauge {
 public:
  template <class... Amounts>
  explicit constexpr Gauge(const Amounts&... amounts) : bytes_((amounts.bytes || ...)) {}

  constexpr double of(const Amount& amount) const noexcept {
    return amount.value * (bytes_ && !amount.bytes ? double{Amount::kSduBytes} : 1.0);
  }
  constexpr double occupancy(std::uint32_t sdus, std::uint32_t bytes) const noexcept {
    return bytes_ ? bytes : sdus;
  }
  // The occupancy in a view of the buffer.
  template <class View>
  constexpr double occupancy(const View& view) const noexcept {
    return occupancy(view.sdus, view.bytes);
  }

 private:
  bool bytes_;
};

// A lower and an upper threshold, in the unit of the gauge.
struct Thresholds {
  constexpr Thresholds(const Amount& least, const Amount& most) noexcept
      : gauge(least, most), minth(gauge.of(least)), maxth(gauge.of(most)) {}
  Gauge gauge;
  double minth, maxth;
};

// The conflict of thresholds called minth and maxth that are not in this order.
constexpr std::optional<Conflict> conflict_of(const Amount& minth, const Amount& maxth) noexcept {
  const Gauge gauge(minth, maxth);
  if (gauge.of(minth) < gauge.of(maxth)) return std::nullopt;
  return Conflict{"minth", "maxth"};
}

}  // namespace dp
