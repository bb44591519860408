// A policy of the tests' own: an SDU is dropped when so many wait already. That this file and its name in the
// list are enough is what toy_test.cc shows.
#pragma once
#include <optional>
#include <string_view>
#include <tuple>

#include "dataplane/aqm/policy.h"
#include "dataplane/base/fields.h"

namespace dp {

class QueueCap : public IdlePolicy {
 public:
  static constexpr std::string_view kName = "queue-cap";
  static constexpr std::string_view kDoc = "drops arriving SDUs while so many wait";
  struct Config {
    std::uint32_t most = 25;
    std::uint32_t urgent = 35;
    bool ecn = false;
    constexpr std::optional<Conflict> conflict() const noexcept {
      return most < urgent ? std::nullopt : std::optional(Conflict{"most", "urgent"});
    }
    friend bool operator==(const Config&, const Config&) = default;
    static constexpr std::tuple kFields{
        Field{"most", &Config::most, Unit::sdus, 15u, 1000u, "SDUs that may wait", "a toy"},
        Field{"urgent", &Config::urgent, Unit::sdus, 16u, 1001u, "from so many on marks do not help",
              "a toy"},
        Field{"ecn", &Config::ecn, "mark ECN-capable packets instead of dropping them", "RFC 3168"},
    };
  };

  QueueCap(const Config& config, Rng) noexcept : config_(config) {}
  Verdict on_enqueue(const Sdu&, const QueueView& queue, Time) noexcept {
    const bool ecn = config_.ecn && queue.waiting < config_.urgent;
    return queue.waiting > config_.most ? verdict(ecn, false) : Verdict::pass;
  }
  void reconfigure(const Config& config, const QueueView&, Time) noexcept { config_ = config; }
  const Config& config() const noexcept { return config_; }

 private:
  Config config_;
};

}  // namespace dp
