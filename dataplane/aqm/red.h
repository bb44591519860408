// Random early detection as the papers adapted it to RLC (002 section 2): judged by the instantaneous
// occupancy, since that of one bearer is no average over many flows (Floyd and Jacobson 1993 with w_q = 1).
#pragma once
#include <algorithm>
#include <string_view>
#include <tuple>

#include "dataplane/aqm/policy.h"
#include "dataplane/base/gauge.h"

namespace dp {

class Red : public IdlePolicy {
 public:
  static constexpr std::string_view kName = "red";
  static constexpr std::string_view kDoc =
      "drops with a probability that rises from 0 at minth to maxp at maxth, by the occupancy as it is";
  enum class Victim : std::uint8_t { front, arriving };
  static constexpr std::array<std::string_view, 2> kVictims{"front", "arriving"};

  struct Config {
    Amount minth{20};
    Amount maxth{40};
    double maxp = 0.05;
    bool count = true;
    bool gentle = false;
    Victim victim = Victim::front;
    bool ecn = false;
    constexpr std::optional<Conflict> conflict() const noexcept { return conflict_of(minth, maxth); }
    friend bool operator==(const Config&, const Config&) = default;

    // clang-format off
    static constexpr std::tuple kFields{
        Field{"minth", &Config::minth, Unit::sdus, Amount{0}, Amount{1'000'000},
              "occupancy from which SDUs are dropped", "002 Table 5"},
        Field{"maxth", &Config::maxth, Unit::sdus, Amount{1}, Amount{1'000'000},
              "occupancy from which all are dropped, or with `gentle` ever more; the papers' is the buffer's "
              "limit", "002 section 4"},
        Field{"maxp", &Config::maxp, Unit::ratio, 0.0, 1.0,
              "probability at maxth", "002 Table 5"},
        Field{"count", &Config::count,
              "space drops evenly: the probability rises with the SDUs since the last one",
              "Floyd and Jacobson 1993 section 4"},
        Field{"gentle", &Config::gentle,
              "above maxth the probability rises from maxp to 1 at twice maxth", "Floyd 2000"},
        Field{"victim", &Config::victim, kVictims,
              "who is dropped: the first SDU whose transmission has not started, or the one arriving",
              "002 section 3 (of SBD); open for RED"},
        Field{"ecn", &Config::ecn, "mark ECN-capable packets instead of dropping them", "RFC 3168"},
    };
    // clang-format on
  };

  Red(const Config& config, Rng rng) noexcept : config_(config), rng_(rng) {}

  Verdict on_enqueue(const Sdu&, const QueueView& queue, Time) noexcept {
    const double p = probability(queue);
    if (p <= 0) return count_ = -1, Verdict::pass;
    if (p < 1) {
      ++count_;
      const double spaced = !config_.count ? p : count_ * p < 1 ? p / (1 - count_ * p) : 1;
      if (!rng_.chance(spaced)) return Verdict::pass;
    }
    count_ = 0;
    return verdict(config_.ecn && p < 1, config_.victim == Victim::front);
  }

  void reconfigure(const Config& config, const QueueView&, Time) noexcept { config_ = config; }
  const Config& config() const noexcept { return config_; }

 private:
  double probability(const QueueView& queue) const noexcept {
    const Gauge gauge(config_.minth, config_.maxth);
    const double occupancy = gauge.occupancy(queue);
    const double minth = gauge.of(config_.minth), maxth = gauge.of(config_.maxth);
    if (occupancy < minth) return 0;
    if (occupancy < maxth) return config_.maxp * (occupancy - minth) / (maxth - minth);
    if (!config_.gentle) return 1;
    return std::min(1.0, config_.maxp + (1 - config_.maxp) * (occupancy - maxth) / maxth);
  }

  Config config_;
  int count_ = -1;  // SDUs since the last drop; -1 below minth
  Rng rng_;
};

}  // namespace dp
