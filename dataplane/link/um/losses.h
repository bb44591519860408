// The SDU losses of a radio without retransmissions: independent, or in bursts by a chain of two states, in
// one of which all SDUs are lost and in the other none (Gilbert, BSTJ 39, 1960, with h = 0).
// Tests: tests/unit/link/um_losses_test.cc
#pragma once
#include "dataplane/base/rng.h"
#include "dataplane/link/um/settings.h"

namespace dp {

class Losses {
 public:
  // The chain is in its steady state: the first SDU is lost as often as any.
  Losses(const UmLinkConfig& config, const Rng& rng) noexcept : rng_(rng) {
    set(config);
    lost_ = rng_.chance(config.loss);
  }

  // Continues from its present state.
  void set(const UmLinkConfig& config) noexcept {
    const double loss = config.loss;
    const bool independent = loss == 0 || config.burst * (1 - loss) <= 1;
    after_loss_ = independent ? loss : 1 - 1 / config.burst;
    after_arrival_ = independent ? loss : loss / ((1 - loss) * config.burst);
  }

  // True if the next SDU is lost. Draws once.
  bool next() noexcept { return lost_ = rng_.chance(lost_ ? after_loss_ : after_arrival_); }

 private:
  double after_loss_, after_arrival_;  // probability of a loss behind a loss, and behind an SDU that arrived
  bool lost_;                          // the last SDU was
  Rng rng_;
};

}  // namespace dp
