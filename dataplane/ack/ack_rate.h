// ACK rate control (000 section 3; Wu et al., ICON 1999): a bearer's uplink ACKs leave at a distance in time
// that follows the occupancy of its downlink buffer, so that sources slow down before anything is lost. With
// PDPC as the downlink's AQM this is 000's combined scheme: both go by one Counter.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <tuple>

#include "dataplane/ack/stage.h"
#include "dataplane/base/fields.h"
#include "dataplane/base/gauge.h"

namespace dp {

// One FIFO over all flows of the bearer. An ACK that finds none waiting and no delay due is not held. One
// that is held leaves after at most maxd + tti for each that waits before it and for itself; with tti 0 all
// leave at once when the occupancy falls below minth, or PDPC drops and f2 is none.
class AckRate : public IdleStage {
 public:
  static constexpr std::string_view kName = "ack-rate";
  static constexpr std::string_view kDoc =
      "lets ACKs go at a distance in time, t_id, that grows with the downlink occupancy";
  static constexpr std::string_view kBypass = "safe: nothing is rewritten; held ACKs are sent first";
  static constexpr std::string_view kAsymmetric = "flows whose data come another way are left alone";

  enum class Mode : std::uint8_t { formula, spacing, hold };
  static constexpr std::array<std::string_view, 3> kModes{"formula", "spacing", "hold"};
  enum class Second : std::uint8_t { none, formula };  // f2
  static constexpr std::array<std::string_view, 2> kSeconds{"none", "formula"};
  enum class Occupancy : std::uint8_t { full, unstarted };
  static constexpr std::array<std::string_view, 2> kOccupancies{"full", "unstarted"};
  enum class News : std::uint8_t { delay, pass };
  static constexpr std::array<std::string_view, 2> kNews{"delay", "pass"};

  struct Config {
    Mode mode = Mode::formula;
    Duration maxd = std::chrono::milliseconds{500};
    Amount minth{0};
    Amount maxth{40};
    double alpha = 1;
    Second f2 = Second::none;
    double f2_alpha = 1;
    Occupancy occupancy = Occupancy::unstarted;
    Duration tti{};
    News duplicates = News::delay;
    bool literal = false;
    friend bool operator==(const Config&, const Config&) = default;

    // clang-format off
    static constexpr std::tuple kFields{
        Field{"mode", &Config::mode, kModes,
              "formula: t_id = maxd * ((BO - minth) / (maxth - minth))^alpha; spacing: t_id is maxd from minth "
              "on; hold: no distance, each ACK waits for maxd if BO is at least minth", "000 eq. 1; ICON 1999"},
        Field{"maxd", &Config::maxd, Unit::duration, Duration{0}, Duration{10'000'000'000},
              "t_id at maxth and above; the paper's maxd/maxth, in ms an SDU, times maxth", "000 section 5"},
        Field{"minth", &Config::minth, Unit::sdus, Amount{0}, Amount{1'000'000},
              "occupancy BO below which no ACK waits", "000 section 5"},
        Field{"maxth", &Config::maxth, Unit::sdus, Amount{1}, Amount{1'000'000},
              "occupancy from which t_id is maxd; not above minth: t_id is maxd from minth on",
              "000 section 5"},
        Field{"alpha", &Config::alpha, Unit::number, 0.0, 100.0,
              "shape of the formula: 1 is linear, less delays more at low occupancies", "000 eq. 1"},
        Field{"f2", &Config::f2, kSeconds,
              "while the Counter of the downlink's `pdpc` runs, ACKs do not wait (none) or t_id is the formula "
              "with f2_alpha; other AQMs have no Counter", "000 section 3.2"},
        Field{"f2_alpha", &Config::f2_alpha, Unit::number, 0.0, 100.0,
              "alpha while the Counter runs, for `f2: formula`", "000 section 5"},
        Field{"occupancy", &Config::occupancy, kOccupancies,
              "BO counts all SDUs until the peer RLC has acknowledged them, or those whose transmission has "
              "not started", "000 section 2"},
        Field{"tti", &Config::tti, Unit::duration, Duration{0}, Duration{1'000'000'000},
              "those that wait are looked at so often, and one leaves at a time, when it is due; 0: at each "
              "change of BO, and all that are due leave", "000 Fig. 3, read with RLC's TTI"},
        Field{"duplicates", &Config::duplicates, kNews,
              "whether news of loss and congestion wait too: duplicate ACKs, those with SACK blocks or ECE. "
              "One that passes takes along what waits of its flow. Others, such as window updates, wait",
              "000 Fig. 3"},
        Field{"literal", &Config::literal,
              "Fig. 3 to the letter, tti aside: an event lets one ACK go, a running timer is left alone. "
              "While t_id is 0 what waits stays until more ACKs come, without bound: for comparison only",
              "000 Fig. 3"},
    };
    // clang-format on
  };

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
  // What waits is looked at again under the new parameters.
  void reconfigure(const Config& config, AckDesk& desk) noexcept {
    config_ = config;
    if (desk.held() > 0 && !(config_.literal && next_ != kNever)) next_ = desk.now;
  }
  const Config& config() const noexcept { return config_; }

  // 000 eq. 1, its argument kept within 0 and 1.
  static Duration t_id(const Config& config, const BufferState& buffer) noexcept {
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

  // When one that has waited since `since` may leave.
  Time due_from(Time since, const BufferState& buffer) const noexcept {
    return (config_.mode == Mode::hold ? since : last_) + t_id(config_, buffer);
  }
  Time due(AckDesk& desk) const noexcept { return due_from(desk.oldest()->sdu.arrival, desk.buffer); }

  void send_oldest(AckDesk& desk) noexcept {
    auto ack = desk.oldest();
    last_ = desk.now;
    desk.release(*ack);
  }

  // All that are due.
  void serve(AckDesk& desk) noexcept {
    next_ = kNever;
    while (desk.held() > 0) {
      next_ = due(desk);
      if (next_ > desk.now) return;
      send_oldest(desk);
      next_ = kNever;
    }
  }

  // 000 Fig. 3. While the timer runs ACKs only queue; else this one is put behind what is stranded, and the
  // first of them leaves or starts the timer.
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
  Time last_ = time_ns(-(std::int64_t{1} << 61));  // LADT; none has left yet
  Time next_ = kNever;
};

}  // namespace dp
