// No active management: an SDU is lost only when the buffer's own limits refuse it. The papers' baseline.
#pragma once
#include <string_view>
#include <tuple>

#include "dataplane/aqm/policy.h"

namespace dp {

class DropTail {
 public:
  static constexpr std::string_view kName = "drop-tail";
  static constexpr std::string_view kDoc = "drops arriving SDUs when the buffer's limit is reached";
  struct Config {
    static constexpr std::tuple<> kFields{};
    friend bool operator==(const Config&, const Config&) = default;
  };

  explicit DropTail(const Config&) noexcept {}
  Verdict on_enqueue(const Sdu&, const QueueView&, Time) noexcept { return Verdict::pass; }
  Verdict on_dequeue(const Sdu&, const QueueView&, Time) noexcept { return Verdict::pass; }
};

}  // namespace dp
