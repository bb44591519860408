#include <array>
#include <limits>

#include "control/metrics/metric_am.h"
#include "control/metrics/metric_groups.h"
#include "dataplane/base/histogram.h"

namespace control {
namespace {

using dp::DurationHistogram;

// The workers' parts of one class and direction, added up.
struct LegSum {
  std::uint64_t sdus = 0, bytes = 0, delivered_sdus = 0, delivered_bytes = 0, marked = 0;
  std::array<std::uint64_t, dp::kDropReasons> dropped{};
  std::array<std::uint64_t, DurationHistogram::kBounds.size() + 1> sojourn{};
  std::uint64_t sojourn_ns = 0;
  dp::AmEventTotals am;

  void add(const dp::ClassLegCounters& leg) {
    sdus += leg.buffer_sdus.get();
    bytes += leg.buffer_bytes.get();
    delivered_sdus += leg.delivered_sdus.get();
    delivered_bytes += leg.delivered_bytes.get();
    for (std::size_t r = 0; r < dropped.size(); ++r) dropped[r] += leg.dropped_sdus[r].get();
    marked += leg.marked_sdus.get();
    for (std::size_t b = 0; b < sojourn.size(); ++b) sojourn[b] += leg.sojourn.bucket(b);
    sojourn_ns += leg.sojourn.sum_ns();
    for (std::size_t e = 0; e < dp::kAmEvents; ++e) am.counts[e] += leg.am[e].get();
  }
};

FamilyGroup<LegSum> leg_families() {
  FamilyGroup<LegSum> legs;
  legs.gauge("rncd_buffer_sdus", "SDUs in bearer buffers.", [](const LegSum& sum) { return sum.sdus; })
      .gauge("rncd_buffer_bytes", "IP bytes in bearer buffers.", [](const LegSum& sum) { return sum.bytes; })
      .counter("rncd_delivered_sdus_total", "SDUs whose last bit has been sent.",
               [](const LegSum& sum) { return sum.delivered_sdus; })
      .counter("rncd_delivered_bytes_total", "IP bytes of SDUs delivered.",
               [](const LegSum& sum) { return sum.delivered_bytes; })
      .counter("rncd_dropped_sdus_total", "SDUs dropped by bearers, by the reason.",
               [](Series series, const LegSum& sum) {
                 series.add_named("reason", dp::kDropReasonNames, sum.dropped);
               })
      .counter("rncd_marked_sdus_total", "SDUs that bearers sent on with CE set, not dropped.",
               [](const LegSum& sum) { return sum.marked; })
      .declare(Family("rncd_sojourn_seconds", "Time from an SDU's arrival to its last bit sent.",
                      prometheus::MetricType::Histogram),
               [](Series series, const LegSum& sum) {
                 fill_histogram(series.append().histogram, sum.sojourn, sum.sojourn_ns);
               });
  return legs;
}

}  // namespace

void fill_histogram(prometheus::ClientMetric::Histogram& out, std::span<const std::uint64_t> buckets,
                    std::uint64_t sum_ns) {
  std::uint64_t count = 0;
  for (std::size_t b = 0; b < buckets.size(); ++b) {
    count += buckets[b];
    const bool last = b == DurationHistogram::kBounds.size();
    const double bound = last ? std::numeric_limits<double>::infinity()
                              : static_cast<double>(DurationHistogram::kBounds[b]) / 1e9;
    out.bucket.push_back({count, bound});
  }
  out.sample_count = count;
  out.sample_sum = static_cast<double>(sum_ns) / 1e9;
}

void add_class_metrics(Families& out, dp::Runtime& runtime, const View& view) {
  FamilyGroup<std::uint64_t> bearers;
  bearers.gauge("rncd_bearers", "Bearers, by class.", [](std::uint64_t count) { return count; });
  FamilyGroup<LegSum> legs = leg_families();
  AmFamilies am("rncd_rlc", "");
  for (std::size_t cls = 0; cls < view.classes.size(); ++cls) {
    std::uint64_t count = 0;
    std::array<LegSum, 2> sums;
    for (std::size_t w = 0; w < runtime.workers(); ++w) {
      const dp::ClassCounters& stats = runtime.shared(w).classes[cls];
      count += stats.bearers.get();
      for (std::size_t d = 0; d < 2; ++d) sums[d].add(stats.legs[d]);
    }
    bearers.add({label("class", view.classes[cls])}, count);
    for (const dp::Direction d : dp::kDirections) {
      const LegSum& sum = sums[dp::index(d)];
      const Labels labels{label("class", view.classes[cls]), label("direction", dp::name(d))};
      legs.add(labels, sum);
      am.add(labels, sum.am);
    }
  }
  bearers.into(out);
  legs.into(out);
  am.into(out);
}

}  // namespace control
