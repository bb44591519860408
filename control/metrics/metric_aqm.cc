#include "control/metrics/metric_groups.h"

namespace control {
namespace {

struct PolicySum {
  std::int64_t bearers = 0;
  std::uint64_t drops = 0, marks = 0;
};

PolicySum sum_of(dp::Runtime& runtime, const View& view, dp::Direction d, std::size_t policy) {
  PolicySum sum{.bearers = view.policies[dp::index(d)][policy]};
  for (std::size_t w = 0; w < runtime.workers(); ++w) {
    for (const dp::ClassCounters& cls : runtime.shared(w).classes) {
      const dp::ClassAqmCounters& stats = cls.legs[dp::index(d)].aqm[policy];
      sum.drops += stats.dropped_sdus.get();
      sum.marks += stats.marked_sdus.get();
    }
  }
  return sum;
}

}  // namespace

// Adds each policy of the list, used by a bearer or not.
void add_aqm_metrics(Families& out, dp::Runtime& runtime, const View& view) {
  FamilyGroup<PolicySum> policies;
  policies
      .gauge("rncd_aqm_bearers", "Bearers whose buffer in this direction has the policy.",
             [](const PolicySum& sum) { return static_cast<double>(sum.bearers); })
      .counter("rncd_aqm_dropped_sdus_total", "SDUs that the policy dropped.",
               [](const PolicySum& sum) { return sum.drops; })
      .counter("rncd_aqm_marked_sdus_total", "SDUs that the policy had marked with CE.",
               [](const PolicySum& sum) { return sum.marks; });
  for (const dp::Direction d : dp::kDirections) {
    for (std::size_t p = 0; p < dp::AqmList::kSize; ++p) {
      policies.add({label("policy", dp::AqmList::kNames[p]), label("direction", dp::name(d))},
                   sum_of(runtime, view, d, p));
    }
  }
  policies.into(out);
}

}  // namespace control
