#include "control/told/daemon/told_metrics.h"

#include <limits>

#include <prometheus/text_serializer.h>

#include "control/loop/version.h"
#include "control/metrics/families.h"

namespace control::told {
namespace {

void add_sources(Families& out, const std::vector<ToldReadings::OfSource>& sources) {
  Family sessions = Family::gauge("rncd_told_sessions", "Sessions that cores have told.");
  Family messages = Family::counter("rncd_told_messages_total", "Messages by kind and result.");
  Family dropped =
      Family::counter("rncd_told_dropped_datagrams_total",
                      "Datagrams that were not read: the kernel's buffer was full, or they were too long.");
  Family not_taken =
      Family::counter("rncd_told_sessions_not_taken_total", "New sessions beyond max_sessions.");
  for (const ToldReadings::OfSource& one : sources) {
    const Labels source{label("source", one.name)};
    sessions.add_named(source, "state", kSessionStateNames, one.sessions);
    for (const auto& [what, count] : one.messages) {
      messages.add({source[0], label("kind", what.first), label("result", what.second)}, count);
    }
    dropped.add(source, one.dropped);
    not_taken.add(source, one.not_taken);
  }
  for (Family* const family : {&sessions, &messages, &dropped, &not_taken}) family->into(out);
}

void add_apply_times(Families& out, const ApplyTimes& times) {
  Family family{"rncd_told_apply_seconds", "Time from a message on the wire to rncd's answer, for each UE.",
                prometheus::MetricType::Histogram};
  prometheus::ClientMetric::Histogram& histogram = family.append({}).histogram;
  histogram.sample_count = times.count;
  histogram.sample_sum = times.sum_s;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < times.buckets.size(); ++i) {
    sum += times.buckets[i];
    const bool last = i == ApplyTimes::kBounds.size();
    histogram.bucket.push_back(
        {sum, last ? std::numeric_limits<double>::infinity() : ApplyTimes::kBounds[i]});
  }
  family.into(out);
}

}  // namespace

std::string page_of(const ToldReadings& readings) {
  Families out;
  add_sources(out, readings.sources);
  add_apply_times(out, readings.apply);
  Family::gauge("rncd_told_drift", "Bearers that are not, or not known to be, as they should be.")
      .add({}, std::uint64_t{readings.drift})
      .into(out);
  Family::gauge("rncd_told_connected", "1 while there is a connection to rncd.")
      .add({}, readings.connected ? 1.0 : 0.0)
      .into(out);
  Family::counter("rncd_told_refusals_total", "Calls that rncd has refused.")
      .add({}, readings.refusals)
      .into(out);
  Family::gauge("rncd_told_build_info", "1; what runs is in the label.")
      .add({label("version", kVersion)}, 1.0)
      .into(out);
  return prometheus::TextSerializer().Serialize(out);
}

}  // namespace control::told
