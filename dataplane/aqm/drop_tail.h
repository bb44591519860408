// No active management: an SDU is lost only when the buffer's own limits refuse it. The papers' baseline.
#pragma once
#include <string_view>
#include <tuple>

#include "dataplane/aqm/policy.h"

namespace dp {

class DropTail : public IdlePolicy {
 public:
  static constexpr std::string_view kName = "drop-tail";
  static constexpr std::string_view kDoc = "drops arriving SDUs when the buffer's limit is reached";
  struct Config {
    static constexpr std::tuple<> kFields{};
    friend bool operator==(const Config&, const Config&) = default;
  };

  DropTail(const Config&, Rng) noexcept {}
  void reconfigure(const Config&, const QueueView&, Time) noexcept {}
  const Config& config() const noexcept { return kConfig; }

 private:
  static constexpr Config kConfig{};
};

}  // namespace dp
