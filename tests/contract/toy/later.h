// An ACK stage of the tests' own: each ACK leaves some time later. That this file, that of its settings and
// its name in both lists are enough is what toy_stage_test.cc shows.
#pragma once
#include "dataplane/ack/stage.h"
#include "tests/contract/toy/later_config.h"

namespace dp {

class Later : public LaterSpec, public IdleStage {
 public:
  static constexpr bool kToy = true;
  static constexpr bool kHoldsAcks = true;
  Later(const Config& config, Rng) noexcept : config_(config) {}
  template <class State>
  AckFate on_ack(Ack& ack, State&, StageContext& context) noexcept {
    if (config_.off || !is_pure(ack.kind)) return AckFate::pass;
    if (context.held() == 0) next_ = context.now + config_.by;
    return AckFate::hold;
  }
  void on_timer(StageContext& context) noexcept {
    next_ = kNever;
    while (auto ack = context.oldest()) {
      next_ = ack->sdu.arrival + config_.by;
      if (next_ > context.now) return;
      context.release(*ack);
      next_ = kNever;
    }
  }
  Time deadline() const noexcept { return next_; }
  void postpone(Duration pause) noexcept {
    if (next_ != kNever) next_ += pause;
  }
  void reconfigure(const Config& config, StageContext&) noexcept { config_ = config; }
  const Config& config() const noexcept { return config_; }

 private:
  Config config_;
  Time next_ = kNever;
};

}  // namespace dp
