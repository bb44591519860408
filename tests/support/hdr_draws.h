// Slots of an HDR cell whose fading is drawn anew each slot, so that what schedulers reach has closed forms.
#pragma once
#include <cmath>
#include <vector>

#include "dataplane/base/rng.h"
#include "dataplane/sched/means.h"
#include "dataplane/sched/radio/hdr_channel.h"
#include "dataplane/sched/scheduler.h"

namespace dp::test {

// Rayleigh fading: the power is exponential, 1 on average, whatever the Doppler frequency.
class HdrDraws {
 public:
  HdrDraws(double snr, std::uint64_t seed) : channel_(at(snr), 0), rng_(seed) {}
  std::uint64_t rate() { return channel_.rate_of(-std::log(1 - rng_.uniform())); }

 private:
  static RadioSettings at(double snr) {
    RadioSettings settings;
    settings.snr = snr;
    return settings;
  }
  HdrChannel channel_;
  Rng rng_;
};

// The mean of the highest of `users` such rates, bit/s: that of one is his mean rate.
inline double mean_of_highest(double snr, int users) {
  const auto all_below = [&](std::size_t i) {  // the probability that no user has the SNR for that rate
    if (i == kHdrRates.size()) return 1.0;
    return std::pow(1 - std::exp(-std::pow(10, (kHdrRates[i].snr_db - snr) / 10)), users);
  };
  double mean = 0;
  for (std::size_t i = 0; i < kHdrRates.size(); ++i) {
    mean += static_cast<double>(kHdrRates[i].rate) * (all_below(i + 1) - all_below(i));
  }
  return mean;
}
inline double no_rate(double snr) { return 1 - std::exp(-std::pow(10, (kHdrRates[0].snr_db - snr) / 10)); }

// The share of each user of a cell.
struct Shares {
  std::vector<double> slots;  // parts of all slots
  std::vector<double> rate;   // bit/s
  double total() const {
    double sum = 0;
    for (const double r : rate) sum += r;
    return sum;
  }
};

// All users are always backlogged; next_rate(user, slot) returns the rate that the slot would carry.
template <class Scheduler, class NextRate>
Shares share_slots(const Scheduler& scheduler, double alpha, std::size_t users, std::uint64_t slots,
                   NextRate&& next_rate) {
  MeanRates means(users, alpha);
  std::vector<std::uint64_t> served(users);
  std::vector<SlotUser> candidates;
  Shares out{std::vector<double>(users), std::vector<double>(users)};
  for (std::uint64_t slot = 0; slot < slots; ++slot) {
    candidates.clear();
    for (MemberIndex index = 0; index < users; ++index) {
      const std::uint64_t rate = next_rate(index, slot);
      if (rate == 0) continue;
      const double mean = means.mean(index);
      candidates.push_back({index, false, rate, static_cast<double>(rate) / mean, mean, served[index]});
    }
    if (candidates.empty()) {
      means.pass(1);
      continue;
    }
    const SlotUser& user = candidates[scheduler.choose(candidates)];
    means.count(user.index, user.rate);
    served[user.index] = slot + 1;
    out.slots[user.index] += 1 / static_cast<double>(slots);
    out.rate[user.index] += static_cast<double>(user.rate) / static_cast<double>(slots);
  }
  return out;
}

}  // namespace dp::test
