// The workers' counters of split proxies, added up: for one class, or for all.
#pragma once
#include <array>
#include <cstdint>

#include "dataplane/split/class_split_counters.h"
#include "dataplane/worker/runtime.h"

namespace control {

struct ProxySum {
  std::array<std::uint64_t, dp::kSplitStates> flows{};
  std::uint64_t stored = 0, at_risk = 0, acked = 0, retransmissions = 0, timeouts = 0, window_closed = 0,
                gave_way = 0;
  std::array<std::uint64_t, dp::kUnsplits> unsplit{};
  std::array<std::uint64_t, dp::kSplitResets> resets{};

  bool operator==(const ProxySum&) const = default;
  void add(const dp::ClassSplitCounters& split) {
    for (std::size_t i = 0; i < flows.size(); ++i) flows[i] += split.flows[i].get();
    for (std::size_t i = 0; i < unsplit.size(); ++i) unsplit[i] += split.unsplit[i].get();
    for (std::size_t i = 0; i < resets.size(); ++i) resets[i] += split.resets[i].get();
    stored += split.stored_bytes.get();
    at_risk += split.at_risk_bytes.get();
    acked += split.acked_bytes.get();
    retransmissions += split.retransmissions.get();
    timeouts += split.timeouts.get();
    window_closed += split.window_closed.get();
    gave_way += split.gave_way.get();
  }
};

inline ProxySum proxies_of_class(dp::Runtime& runtime, std::size_t cls) {
  ProxySum sum;
  for (std::size_t w = 0; w < runtime.workers(); ++w) sum.add(runtime.shared(w).classes[cls].split);
  return sum;
}

inline ProxySum all_proxies(dp::Runtime& runtime) {
  ProxySum sum;
  for (std::size_t w = 0; w < runtime.workers(); ++w) {
    for (const dp::ClassCounters& cls : runtime.shared(w).classes) sum.add(cls.split);
  }
  return sum;
}

}  // namespace control
