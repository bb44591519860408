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
  Family bearers = Family::gauge("rncd_bearers", "Bearers, by class.");
  Family sdus = Family::gauge("rncd_buffer_sdus", "SDUs in bearer buffers.");
  Family bytes = Family::gauge("rncd_buffer_bytes", "IP bytes in bearer buffers.");
  Family delivered = Family::counter("rncd_delivered_sdus_total", "SDUs whose last bit has been sent.");
  Family delivered_bytes = Family::counter("rncd_delivered_bytes_total", "IP bytes of SDUs delivered.");
  Family dropped = Family::counter("rncd_dropped_sdus_total", "SDUs dropped by bearers, by the reason.");
  Family marked =
      Family::counter("rncd_marked_sdus_total", "SDUs that bearers sent on with CE set, not dropped.");
  Family sojourn("rncd_sojourn_seconds", "Time from an SDU's arrival to its last bit sent.",
                 prometheus::MetricType::Histogram);
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
      sdus.add(labels, sum.sdus);
      bytes.add(labels, sum.bytes);
      delivered.add(labels, sum.delivered_sdus);
      delivered_bytes.add(labels, sum.delivered_bytes);
      for (std::size_t r = 0; r < sum.dropped.size(); ++r) {
        dropped.add({labels[0], labels[1], label("reason", dp::kDropReasonNames[r])}, sum.dropped[r]);
      }
      marked.add(labels, sum.marked);
      fill_histogram(sojourn.append(labels).histogram, sum.sojourn, sum.sojourn_ns);
      am.add(labels, sum.am);
    }
  }
  for (Family* family :
       {&bearers, &sdus, &bytes, &delivered, &delivered_bytes, &dropped, &marked, &sojourn}) {
    family->into(out);
  }
  am.into(out);
}

}  // namespace control
