// Packet discard prevention counter (Sagfors, Ludwig, Meyer, Peisa, VTC 2003; 000 section 3): one drop when
// the occupancy reaches a threshold, and no other until as much has been delivered as was queued then, so
// that the source has had the time to slow down.
#pragma once
#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>

#include "dataplane/aqm/policy.h"
#include "dataplane/base/gauge.h"

namespace dp {

class Pdpc : public IdlePolicy {
 public:
  static constexpr std::string_view kName = "pdpc";
  static constexpr std::string_view kDoc =
      "one drop when the occupancy reaches maxth, then none until that much was delivered";
  enum class Form : std::uint8_t { one_threshold, two_thresholds };
  static constexpr std::array<std::string_view, 2> kForms{"one-threshold", "two-thresholds"};

  struct Config {
    Form form = Form::one_threshold;
    Amount minth{10};
    Amount maxth{30};
    std::uint32_t counter = 20;
    bool ecn = false;
    constexpr std::optional<Conflict> conflict() const noexcept {
      if (form == Form::one_threshold) return std::nullopt;  // has no minth
      return conflict_of(minth, maxth);
    }
    friend bool operator==(const Config&, const Config&) = default;

    // clang-format off
    static constexpr std::tuple kFields{
        Field{"form", &Config::form, kForms,
              "one-threshold as 000 has it, the counter being the bytes queued at the drop; or the original "
              "with two, the counter being a number of SDUs", "000 Fig. 3; WCNC 2003"},
        Field{"minth", &Config::minth, Unit::sdus, Amount{0}, Amount{1'000'000},
              "two-thresholds: below it none is dropped, whatever the counter says", "WCNC 2003"},
        Field{"maxth", &Config::maxth, Unit::sdus, Amount{1}, Amount{1'000'000},
              "occupancy that calls for a drop; in the original form: for one with each SDU", "000 Table 2"},
        Field{"counter", &Config::counter, Unit::count, 1u, 1'000'000u,
              "two-thresholds: SDUs that pass after a drop", "WCNC 2003"},
        Field{"ecn", &Config::ecn, "mark ECN-capable packets instead of dropping them", "RFC 3168"},
    };
    // clang-format on
  };

  Pdpc(const Config& config, Rng) noexcept : config_(config) {}

  Verdict on_enqueue(const Sdu&, const QueueView& queue, Time) noexcept {
    const Gauge gauge(config_.minth, config_.maxth);
    const double occupancy = gauge.occupancy(queue);
    return config_.form == Form::one_threshold ? one_threshold(gauge, occupancy, queue)
                                               : two_thresholds(gauge, occupancy);
  }

  // 000 Fig. 3.
  void on_delivered(std::uint32_t bytes, const QueueView&, Time) noexcept {
    if (config_.form == Form::one_threshold) counter_ -= std::min<std::uint64_t>(counter_, bytes);
  }

  void reconfigure(const Config& config, const QueueView&, Time) noexcept {
    if (config.form != config_.form) counter_ = 0;  // it counts something else
    config_ = config;
  }
  const Config& config() const noexcept { return config_; }
  // Bytes, or SDUs in the original form, until the next drop may follow.
  std::uint64_t counter() const noexcept { return counter_; }

 private:
  Verdict one_threshold(const Gauge& gauge, double occupancy, const QueueView& queue) noexcept {
    if (occupancy < gauge.of(config_.maxth) || counter_ != 0) return Verdict::pass;
    counter_ = queue.bytes;
    return verdict(config_.ecn, true);
  }

  // Below minth the counter rests; from minth to maxth an SDU in so many is dropped; from maxth on each.
  Verdict two_thresholds(const Gauge& gauge, double occupancy) noexcept {
    if (occupancy < gauge.of(config_.minth)) return Verdict::pass;
    if (occupancy < gauge.of(config_.maxth) && counter_ != 0) return --counter_, Verdict::pass;
    counter_ = config_.counter;
    return verdict(config_.ecn, true);
  }

  Config config_;
  std::uint64_t counter_ = 0;
};

}  // namespace dp
