// Event totals of RLC acknowledged mode and its radio link in one direction: reported by each radio link,
// summed by class, shown by control. Plain data.
// Tests: tests/unit/link/am_totals_test.cc
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace dp {

enum class AmEvent : std::uint8_t {
  pdu_new,
  pdu_retransmitted,
  pdu_status,
  frame_received,  // sent in a TTI, and not lost on the way
  frame_lost,
  discard,  // start of a discard procedure (MRW), for one or several SDUs
  reset,    // reset begun by the sending end
};
inline constexpr std::size_t kAmEvents = 7;

struct AmEventTotals {
  std::array<std::uint64_t, kAmEvents> counts{};

  std::uint64_t operator[](AmEvent event) const noexcept { return counts[static_cast<std::size_t>(event)]; }
  friend bool operator==(const AmEventTotals&, const AmEventTotals&) = default;

  std::uint64_t frames_sent() const noexcept {
    return (*this)[AmEvent::frame_received] + (*this)[AmEvent::frame_lost];
  }
  // Shares of sent PDUs; 0 before the first one.
  double retransmission_ratio() const noexcept {
    const std::uint64_t again = (*this)[AmEvent::pdu_retransmitted];
    return ratio(again, (*this)[AmEvent::pdu_new] + again);
  }
  double frame_error_ratio() const noexcept { return ratio((*this)[AmEvent::frame_lost], frames_sent()); }

 private:
  static double ratio(std::uint64_t part, std::uint64_t whole) noexcept {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
  }
};

}  // namespace dp
