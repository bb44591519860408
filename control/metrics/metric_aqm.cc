#include "control/metrics/metric_groups.h"

namespace control {

// Each policy of the list, whether a bearer uses it or not.
void add_aqm_metrics(Families& out, dp::Runtime& runtime, const View& view) {
  Family bearers =
      Family::gauge("rncd_aqm_bearers", "Bearers whose buffer in this direction has the policy.");
  Family dropped = Family::counter("rncd_aqm_dropped_sdus_total", "SDUs that the policy dropped.");
  Family marked = Family::counter("rncd_aqm_marked_sdus_total", "SDUs that the policy had marked with CE.");
  for (const dp::Direction d : dp::kDirections) {
    for (std::size_t p = 0; p < dp::AqmList::kSize; ++p) {
      std::uint64_t drops = 0, marks = 0;
      for (std::size_t w = 0; w < runtime.workers(); ++w) {
        for (const dp::ClassCounters& cls : runtime.shared(w).classes) {
          const dp::ClassAqmCounters& stats = cls.legs[dp::index(d)].aqm[p];
          drops += stats.dropped_sdus.get();
          marks += stats.marked_sdus.get();
        }
      }
      const Labels labels{label("policy", dp::AqmList::kNames[p]), label("direction", dp::name(d))};
      bearers.add(labels, static_cast<double>(view.policies[dp::index(d)][p]));
      dropped.add(labels, drops);
      marked.add(labels, marks);
    }
  }
  for (Family* family : {&bearers, &dropped, &marked}) family->into(out);
}

}  // namespace control
