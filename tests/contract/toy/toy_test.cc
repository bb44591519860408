// Compiled with a list of AQM policies that has one more (with_toy.py): all that speaks of policies must know
// it. The contract tests of the family run beside this with the same list.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>
#include <prometheus/text_serializer.h>

#include "config/help.h"
#include "config/load.h"
#include "config/print.h"
#include "control/metrics/metric_groups.h"
#include "dataplane/aqm/registry.h"
#include "tests/support/test_runtime.h"
#include "tests/support/worker_bench.h"

namespace {

std::string file_with(const std::string& aqm) {
  return "version: 1\n"
         "dataplane: {ports: {core: {device: \"null\"}, radio: {device: \"null\"}}}\n"
         "classes:\n"
         "  c: {downlink: {rate: 1M, aqm: " +
         aqm + "}}\n";
}

TEST(ToyPolicy, IsInTheList) {
  EXPECT_EQ(std::ranges::count(dp::AqmList::kNames, "queue-cap"), 1);
  EXPECT_EQ(dp::AqmList::kSize, 8u);
}

TEST(ToyPolicy, IsLoadedWithItsSettings) {
  const auto loaded =
      config::load_text(file_with("{queue-cap: {most: 70, urgent: 80, ecn: yes}}"), "toy.yaml");
  for (const auto& problem : loaded.problems) ADD_FAILURE() << config::to_string(problem);
  ASSERT_TRUE(loaded);
  const auto* toy = std::get_if<dp::QueueCapSpec::Config>(&loaded->classes.at(0).downlink.aqm);
  ASSERT_NE(toy, nullptr);
  EXPECT_EQ(toy->most, 70u);
  EXPECT_TRUE(toy->ecn);
}

TEST(ToyPolicy, ItsLimitsAreCheckedAndItsNameIsOffered) {
  const auto low = config::load_text(file_with("{queue-cap: {most: 3}}"), "toy.yaml");
  ASSERT_EQ(low.problems.size(), 1u);
  EXPECT_NE(config::to_string(low.problems[0]).find("15sdu to 1000sdu"), std::string::npos)
      << config::to_string(low.problems[0]);
  const auto wrong = config::load_text(file_with("queue-kap"), "toy.yaml");
  ASSERT_EQ(wrong.problems.size(), 1u);
  EXPECT_NE(config::to_string(wrong.problems[0]).find("did you mean `queue-cap`"), std::string::npos)
      << config::to_string(wrong.problems[0]);
}

TEST(ToyPolicy, ItsSettingsMustNotContradictEachOther) {
  const auto loaded = config::load_text(file_with("{queue-cap: {most: 70}}"), "toy.yaml");
  ASSERT_EQ(loaded.problems.size(), 1u);
  EXPECT_NE(config::to_string(loaded.problems[0])
                .find("found most 70sdu (given) and urgent 35sdu (the default), expected most below urgent"),
            std::string::npos)
      << config::to_string(loaded.problems[0]);
}

TEST(ToyPolicy, HasSeriesOfItsOwnInTheMetrics) {
  dp::BearerSettings settings = dp::test::bearer_at(1'000'000);
  settings.downlink.aqm = dp::QueueCapSpec::Config{};
  control::BearerRegistry registry;
  registry.insert(dp::ue_ipv4(1), {settings});
  control::View view;
  view.policies = registry.policies();
  dp::test::TestRuntime runtime;
  const std::size_t place = dp::AqmList::index_of("queue-cap");
  runtime.shared(0).classes[3].legs[0].aqm[place].dropped_sdus.set(5);
  control::Families families;
  control::add_aqm_metrics(families, runtime, view);
  runtime.stop();
  const std::string text = prometheus::TextSerializer().Serialize(families);
  for (const char* line : {"rncd_aqm_bearers{policy=\"queue-cap\",direction=\"downlink\"} 1\n",
                           "rncd_aqm_bearers{policy=\"queue-cap\",direction=\"uplink\"} 0\n",
                           "rncd_aqm_dropped_sdus_total{policy=\"queue-cap\",direction=\"downlink\"} 5\n",
                           "rncd_aqm_marked_sdus_total{policy=\"queue-cap\",direction=\"downlink\"} 0\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  }
}

TEST(ToyPolicy, StandsInTheHelpAndInTheReference) {
  const auto text = config::help("classes");
  ASSERT_TRUE(text);
  for (const std::string& found : {*text, config::help_markdown()}) {
    EXPECT_NE(found.find("downlink.aqm.queue-cap"), std::string::npos);
    EXPECT_NE(found.find("downlink.aqm.queue-cap.most"), std::string::npos);
    EXPECT_NE(found.find("SDUs that may wait"), std::string::npos);
  }
}

}  // namespace
