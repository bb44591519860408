// Errors in bursts, as Rayleigh fading causes them: frames are good or bad, and a Markov chain fitted to the
// fading leads from one to the next (Chockalingam and Zorzi, ICC 1999). The papers' channel.
#pragma once
#include <cmath>

#include "dataplane/base/expect.h"
#include "dataplane/link/channel/channel.h"
#include "dataplane/link/channel/registry.h"

namespace dp {

// Per frame; a bad run lasts 1 / to_good frames on average, a good one 1 / to_bad.
struct FadingRates {
  double to_bad;
  double to_good;
};

// Takes microseconds: for the preparation of a channel, not for a worker.
FadingRates fading_rates(double fer, double doppler) noexcept;

class Markov : public MarkovSpec {
 public:
  // The chain is in its steady state: frame 0 is bad as often as any.
  Markov(const ChannelSettings& settings, Rng rng) noexcept : fer_(settings.fer), rng_(rng) {
    const FadingRates rates = fading_rates(settings.fer, settings.doppler);
    memory_ = 1 - rates.to_bad - rates.to_good;
    bad_ = rng_.chance(fer_);
  }

  bool lost(std::uint64_t frame) noexcept {
    DP_EXPECT(frame >= at_);
    if (frame != at_) bad_ = rng_.chance(bad_after(frame - at_));
    at_ = frame;
    return bad_;
  }

 private:
  // After n steps the chain's state depends on the first by memory^n: one draw for any number of frames.
  double bad_after(std::uint64_t n) const noexcept {
    const double left = n == 1 ? memory_ : std::pow(memory_, static_cast<double>(n));
    return fer_ + left * ((bad_ ? 1 : 0) - fer_);
  }

  double fer_;
  double memory_;
  std::uint64_t at_ = 0;
  Rng rng_;
  bool bad_;
};

}  // namespace dp
