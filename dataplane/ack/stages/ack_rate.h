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
  AckFate on_ack(const Ack& ack, State&, StageContext& context) noexcept {
    if (!is_pure(ack.kind) || (config_.duplicates == News::pass && is_news(ack))) return AckFate::pass;
    if (config_.literal) return arrive_literally(context);
    const Time due = due_from(context.now, context.buffer);
    if (context.held() == 0 && due <= context.now) {
      last_ = context.now;
      return AckFate::pass;
    }
    if (context.held() == 0) next_ = config_.tti > Duration{} ? context.now + config_.tti : due;
    return AckFate::hold;
  }

  void on_buffer(StageContext& context) noexcept {
    if (context.held() > 0 && config_.tti == Duration{} && !config_.literal) serve(context);
  }

  void on_timer(StageContext& context) noexcept {
    if (config_.literal) return expire_literally(context);
    if (config_.tti == Duration{} || context.held() == 0) return serve(context);
    if (due(context) <= context.now) send_oldest(context);
    next_ = context.held() == 0 ? kNever : context.now + config_.tti;
  }

  Time deadline() const noexcept { return next_; }
  void postpone(Duration pause) noexcept {
    last_ += pause;
    if (next_ != kNever) next_ += pause;
  }
  // Waiting ACKs are judged again under the new parameters.
  void reconfigure(const Config& config, StageContext& context) noexcept {
    config_ = config;
    if (context.held() > 0 && !(config_.literal && next_ != kNever)) next_ = context.now;
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
  Time due(StageContext& context) const noexcept {
    DP_EXPECT(context.held() > 0);
    return due_from(context.oldest()->sdu.held_since(), context.buffer);
  }
  void send_oldest(StageContext& context) noexcept {
    DP_EXPECT(context.held() > 0);
    auto ack = context.oldest();
    last_ = context.now;
    context.release(*ack);
  }

  // Releases all ACKs that are due.
  void serve(StageContext& context) noexcept {
    next_ = kNever;
    while (context.held() > 0) {
      next_ = due(context);
      if (next_ > context.now) return;
      send_oldest(context);
      next_ = kNever;
    }
  }

  // 000 Fig. 3. While the timer runs ACKs are only queued; otherwise this one is queued behind stranded ones,
  // and the first of them leaves or starts the timer.
  AckFate arrive_literally(StageContext& context) noexcept {
    if (next_ != kNever) return AckFate::hold;
    const bool alone = context.held() == 0;
    const Time due = alone ? due_from(context.now, context.buffer) : this->due(context);
    if (due > context.now) {
      next_ = due;
      return AckFate::hold;
    }
    if (alone) {
      last_ = context.now;
      return AckFate::pass;
    }
    send_oldest(context);
    return AckFate::hold;
  }
  void expire_literally(StageContext& context) noexcept {
    next_ = kNever;
    if (context.held() > 0) send_oldest(context);
    if (context.held() == 0) return;
    const Time next = due(context);
    next > context.now ? void(next_ = next) : send_oldest(context);
  }

  Config config_;
  Time last_ = time_ns(-(std::int64_t{1} << 61));  // LADT; initially none has left
  Time next_ = kNever;
};

}  // namespace dp
