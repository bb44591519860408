// Which SDUs a radio loses that repairs nothing: independently, or in bursts by a chain of two states, in one
// of which all is lost and in the other nothing (Gilbert, BSTJ 39, 1960, with h = 0).
#pragma once
#include "dataplane/base/rng.h"
#include "dataplane/link/um/settings.h"

namespace dp {

class Losses {
 public:
  // The chain has always run: the first SDU is lost as often as any.
  Losses(const UmLinkConfig& config, const Rng& rng) noexcept : rng_(rng) {
    set(config);
    lost_ = rng_.chance(config.loss);
  }

  // Goes on from where it is.
  void set(const UmLinkConfig& config) noexcept {
    const double loss = config.loss;
    const bool independent = loss == 0 || config.burst * (1 - loss) <= 1;
    after_loss_ = independent ? loss : 1 - 1 / config.burst;
    after_arrival_ = independent ? loss : loss / ((1 - loss) * config.burst);
  }

  // Whether the next SDU is lost. One draw.
  bool next() noexcept { return lost_ = rng_.chance(lost_ ? after_loss_ : after_arrival_); }

 private:
  double after_loss_, after_arrival_;  // how likely a loss is behind a loss, and behind an SDU that arrived
  bool lost_;                          // the last one was
  Rng rng_;
};

}  // namespace dp
