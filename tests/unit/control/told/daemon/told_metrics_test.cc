#include "control/told/daemon/told_metrics.h"

#include <gtest/gtest.h>

namespace control::told {
namespace {

TEST(ToldMetrics, ThePageHasEachReading) {
  ToldReadings readings;
  readings.sources.push_back({"radius", {3, 2, 1}, {{{"start", "applied"}, 7}}, 4, 5});
  readings.apply.add(std::chrono::milliseconds(15));
  readings.drift = 6;
  readings.connected = true;
  const std::string page = page_of(readings);
  for (const char* const line :
       {"rncd_told_sessions{source=\"radius\",state=\"stale\"} 2\n",
        "rncd_told_messages_total{source=\"radius\",kind=\"start\",result=\"applied\"} 7\n",
        "rncd_told_dropped_datagrams_total{source=\"radius\"} 4\n",
        "rncd_told_sessions_not_taken_total{source=\"radius\"} 5\n",
        "rncd_told_apply_seconds_bucket{le=\"0.01\"} 0\n", "rncd_told_apply_seconds_bucket{le=\"0.02\"} 1\n",
        "rncd_told_apply_seconds_bucket{le=\"+Inf\"} 1\n", "rncd_told_drift 6\n",
        "rncd_told_connected 1\n"}) {
    EXPECT_NE(page.find(line), std::string::npos) << line;
  }
}

}  // namespace
}  // namespace control::told
