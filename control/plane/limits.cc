#include "control/plane/limits.h"

namespace control {
namespace {

// From this share of its rate on a leg is at its limit. TCP with a good AQM reaches 95 % and more.
constexpr double kSaturated = 0.9;
// A queue that stands: two full-sized packets in the mean, beside what is in transmission.
constexpr double kStanding = 3000;
constexpr double kLossyRadio = 0.003;          // TCP of 100 ms cannot fill 10 Mbit/s from there on (Mathis)
constexpr double kRetransmittingRadio = 0.05;  // of PDUs
constexpr double kFarRtt = 0.1;                // seconds
constexpr double kFarShare = 2;                // times the round trip of the radio

bool is_idle(const LegFacts& f) { return f.delivered <= 0 && !f.busy_now; }

bool saturated(const LegFacts& f) {
  const bool presses = f.queued >= kStanding / 2 || f.dropped_full + f.dropped_by_aqm + f.marked > 0;
  return f.rate > 0 && f.delivered >= kSaturated * f.rate && presses;
}

bool lossy(const LegFacts& f) {
  return f.lost_ratio >= kLossyRadio || f.retransmitted_ratio >= kRetransmittingRadio;
}

bool far_away(const LegFacts& f) {
  return f.core_rtt && *f.core_rtt >= kFarRtt && *f.core_rtt >= kFarShare * f.radio_rtt.value_or(0);
}

}  // namespace

// The rules stand in order: what explains a leg at its rate, then what hides other causes, then these.
Limit limit_of(const LegFacts& f) {
  if (f.gated) return Limit::gate;
  if (is_idle(f)) return f.ue_silent ? Limit::ue_silent : Limit::idle;
  if (saturated(f)) return f.of_another_class ? Limit::class_rate : Limit::rate;
  if (f.port_drops) return Limit::port;
  if (f.worker_starved) return Limit::worker;
  const bool stands = f.queued >= kStanding;
  if (stands && f.link == LinkKind::cell) return Limit::cell;
  if (lossy(f)) return Limit::radio;
  if (stands && f.link == LinkKind::radio) return Limit::radio;
  if (f.ue_silent) return Limit::ue_silent;
  if (f.dropped_full > 0 && f.dropped_full >= f.dropped_by_aqm) return Limit::full;
  if (f.dropped_by_aqm + f.marked > 0) return Limit::aqm;
  if (f.window_told) return Limit::window;
  if (far_away(f)) return Limit::far_side;
  return Limit::source;
}

}  // namespace control
