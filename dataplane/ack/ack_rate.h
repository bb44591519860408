// ACK rate control (000 section 3; Wu et al., ICON 1999): uplink ACKs leave at a distance in time that
// follows the occupancy of the downlink buffer, so that the source slows down before anything is lost.
#pragma once
#include <string_view>
#include <tuple>

#include "dataplane/ack/stage.h"
#include "dataplane/base/fields.h"

namespace dp {

class AckRate : public IdleStage {
 public:
  static constexpr std::string_view kName = "ack-rate";
  static constexpr std::string_view kDoc = "spaces ACKs by a time that grows with the downlink occupancy";
  static constexpr std::string_view kBypass = "safe: nothing is rewritten; held ACKs are sent first";
  static constexpr std::string_view kAsymmetric = "flows whose data come another way are left alone";
  struct Config {
    Duration maxd{0};
    friend bool operator==(const Config&, const Config&) = default;
    static constexpr std::tuple kFields{
        Field{"maxd", &Config::maxd, Unit::duration, Duration{0}, Duration{std::chrono::seconds(10)},
              "time between two ACKs", "000 eq. 1"},
    };
  };

  AckRate(const Config& config, Rng) noexcept : config_(config) {}

  template <class State>
  AckFate on_ack(Ack&, State&, AckDesk& desk) noexcept {
    if (desk.held() == 0 && desk.now - last_ >= config_.maxd) return last_ = desk.now, AckFate::pass;
    if (next_ == kNever) next_ = last_ + config_.maxd;
    return AckFate::hold;
  }
  void on_timer(AckDesk& desk) noexcept {
    next_ = kNever;
    if (auto ack = desk.oldest()) {
      last_ = desk.now;
      desk.release(*ack);
    }
    if (desk.held() != 0) next_ = last_ + config_.maxd;
  }
  Time deadline() const noexcept { return next_; }
  void postpone(Duration pause) noexcept {
    last_ += pause;
    if (next_ != kNever) next_ += pause;
  }
  void reconfigure(const Config& config, AckDesk&) noexcept { config_ = config; }
  const Config& config() const noexcept { return config_; }

 private:
  Config config_;
  Time last_ = time_ns(-(std::int64_t{1} << 61));  // none left yet
  Time next_ = kNever;
};

}  // namespace dp
