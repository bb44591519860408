// An ACK stage of the tests' own: each ACK leaves some time later. That this file and its name in the list
// are enough is what toy_stage_test.cc shows.
#pragma once
#include <array>
#include <chrono>
#include <string_view>
#include <tuple>

#include "dataplane/ack/stage.h"
#include "dataplane/base/fields.h"

namespace dp {

class Later : public IdleStage {
 public:
  static constexpr std::string_view kName = "later";
  static constexpr std::string_view kDoc = "holds each ACK for a while";
  static constexpr std::string_view kBypass = "safe: a toy";
  static constexpr std::string_view kAsymmetric = "nothing to a toy";
  static constexpr std::array kExcludes{AckExclusion{"ack-rate", "a toy wants the ACKs for itself"}};
  struct Config {
    Duration by = std::chrono::milliseconds{20};
    bool off = false;
    friend bool operator==(const Config&, const Config&) = default;
    static constexpr std::tuple kFields{
        Field{"by", &Config::by, Unit::duration, Duration{1'000'000}, Duration{1'000'000'000},
              "how long each waits", "a toy"},
        Field{"off", &Config::off, "let all pass", "a toy"},
    };
  };

  Later(const Config& config, Rng) noexcept : config_(config) {}
  template <class State>
  AckFate on_ack(Ack& ack, State&, AckDesk& desk) noexcept {
    if (config_.off || !is_pure(ack.kind)) return AckFate::pass;
    if (desk.held() == 0) next_ = desk.now + config_.by;
    return AckFate::hold;
  }
  void on_timer(AckDesk& desk) noexcept {
    next_ = kNever;
    while (auto ack = desk.oldest()) {
      next_ = ack->sdu.arrival + config_.by;
      if (next_ > desk.now) return;
      desk.release(*ack);
      next_ = kNever;
    }
  }
  Time deadline() const noexcept { return next_; }
  void postpone(Duration pause) noexcept {
    if (next_ != kNever) next_ += pause;
  }
  void reconfigure(const Config& config, AckDesk&) noexcept { config_ = config; }
  const Config& config() const noexcept { return config_; }

 private:
  Config config_;
  Time next_ = kNever;
};

}  // namespace dp
