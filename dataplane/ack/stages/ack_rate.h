// ACK rate control (000 section 3; Wu et al., ICON 1999): a bearer's uplink ACKs leave at a distance in time
// that follows the occupancy of its downlink buffer, so that sources slow down before packets are lost. With
// PDPC as the downlink's AQM this is 000's combined scheme: both use one Counter (dataplane/decisions/027).
#pragma once
#include <algorithm>
#include <cmath>

#include "dataplane/ack/stage.h"
#include "dataplane/ack/stages/ack_rate_config.h"
#include "dataplane/base/expect.h"
#include "dataplane/base/fields.h"
#include "dataplane/base/gauge.h"

namespace dp {

// One FIFO over all flows of the bearer. An ACK that finds none waiting and no delay due is not held. A held
// ACK leaves after at most maxd + tti for itself and for each ACK ahead of it; with tti 0 all leave at once
// if the occupancy falls below minth, or if PDPC drops and f2 is none.
class AckRate : public AckRateSpec, public IdleStage {
 public:
  static constexpr bool kHoldsAcks = true;
  static constexpr bool kOnlyDelays = true;

  AckRate(const Config& config, Rng) noexcept : config_(config) {}

  template <class State>
  AckFate on_ack(const Ack& ack, State&, AckDesk& desk) noexcept {
    if (!is_pure(ack.kind) || (config_.duplicates == News::pass && is_news(ack))) return AckFate::pass;
    if (config_.literal) return arrive_literally(desk);
    const Time due = due_from(desk.now, desk.buffer);
    if (desk.held() == 0 && due <= desk.now) return last_ = desk.now, AckFate::pass;
    if (desk.held() == 0) next_ = config_.tti > Duration{} ? desk.now + config_.tti : due;
    return AckFate::hold;
  }

  void on_buffer(AckDesk& desk) noexcept {
    if (desk.held() > 0 && config_.tti == Duration{} && !config_.literal) serve(desk);
  }

  void on_timer(AckDesk& desk) noexcept {
    if (config_.literal) return expire_literally(desk);
    if (config_.tti == Duration{} || desk.held() == 0) return serve(desk);
    if (due(desk) <= desk.now) send_oldest(desk);
    next_ = desk.held() == 0 ? kNever : desk.now + config_.tti;
  }

  Time deadline() const noexcept { return next_; }
  void postpone(Duration pause) noexcept {
    last_ += pause;
    if (next_ != kNever) next_ += pause;
  }
  // Waiting ACKs are judged again under the new parameters.
  void reconfigure(const Config& config, AckDesk& desk) noexcept {
    config_ = config;
    if (desk.held() > 0 && !(config_.literal && next_ != kNever)) next_ = desk.now;
  }
  const Config& config() const noexcept { return config_; }

  // 000 eq. 1, with its argument limited to 0 to 1.
  static Duration t_id(const Config& config, const BufferReading& buffer) noexcept {
    const bool second = buffer.discard_counter != 0;
    if (second && config.f2 == Second::none) return {};
    const Gauge gauge(config.minth, config.maxth);
    const bool full = config.occupancy == Occupancy::full;
    const double bo =
        full ? gauge.occupancy(buffer) : gauge.occupancy(buffer.waiting_sdus, buffer.waiting_bytes);
    const double minth = gauge.of(config.minth), maxth = gauge.of(config.maxth);
    if (bo < minth) return {};
    if (bo >= maxth || (config.mode != Mode::formula && !second)) return config.maxd;
    const double part = std::pow((bo - minth) / (maxth - minth), second ? config.f2_alpha : config.alpha);
    return Duration{static_cast<std::int64_t>(part * static_cast<double>(config.maxd.count()))};
  }

 private:
  static bool is_news(const Ack& ack) noexcept {
    return ack.kind == AckKind::duplicate || ack.kind == AckKind::sack || ack.segment.tcp.has(TcpView::kEce);
  }

  // Departure time of an ACK that waits since `since`.
  Time due_from(Time since, const BufferReading& buffer) const noexcept {
    return (config_.mode == Mode::hold ? since : last_) + t_id(config_, buffer);
  }
  // Requires, also for serve(): an ACK is held.
  Time due(AckDesk& desk) const noexcept {
    DP_EXPECT(desk.held() > 0);
    return due_from(desk.oldest()->sdu.held_since(), desk.buffer);
  }
  void send_oldest(AckDesk& desk) noexcept {
    DP_EXPECT(desk.held() > 0);
    auto ack = desk.oldest();
    last_ = desk.now;
    desk.release(*ack);
  }

  // Releases all ACKs that are due.
  void serve(AckDesk& desk) noexcept {
    next_ = kNever;
    while (desk.held() > 0) {
      next_ = due(desk);
      if (next_ > desk.now) return;
      send_oldest(desk);
      next_ = kNever;
    }
  }

  // 000 Fig. 3. While the timer runs ACKs are only queued; otherwise this one is queued behind stranded ones,
  // and the first of them leaves or starts the timer.
  AckFate arrive_literally(AckDesk& desk) noexcept {
    if (next_ != kNever) return AckFate::hold;
    const bool alone = desk.held() == 0;
    const Time due = alone ? due_from(desk.now, desk.buffer) : this->due(desk);
    if (due > desk.now) return next_ = due, AckFate::hold;
    if (alone) return last_ = desk.now, AckFate::pass;
    send_oldest(desk);
    return AckFate::hold;
  }
  void expire_literally(AckDesk& desk) noexcept {
    next_ = kNever;
    if (desk.held() > 0) send_oldest(desk);
    if (desk.held() == 0) return;
    const Time next = due(desk);
    next > desk.now ? void(next_ = next) : send_oldest(desk);
  }

  Config config_;
  Time last_ = time_ns(-(std::int64_t{1} << 61));  // LADT; initially none has left
  Time next_ = kNever;
};

}  // namespace dp
