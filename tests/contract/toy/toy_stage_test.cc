// Compiled with a list of ACK stages that has one more (with_toy.py): all that speaks of stages must know it.
// The contract tests of the family run beside this with the same list.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>
#include <prometheus/text_serializer.h>

#include "config/help.h"
#include "config/load.h"
#include "config/print.h"
#include "config/schema.h"
#include "control/metrics/metric_groups.h"
#include "dataplane/ack/registry.h"
#include "tests/support/test_runtime.h"

namespace {

config::Loaded load(const std::string& ack) {
  return config::load_text(
      "version: 1\n"
      "dataplane: {ports: {core: {device: \"null\"}, radio: {device: \"null\"}}}\n"
      "classes: {c: {downlink: {rate: 1M}, uplink: {ack: " +
          ack + "}}}\n",
      "toy.yaml");
}

std::string refusal(const std::string& ack) {
  const auto loaded = load(ack);
  EXPECT_EQ(loaded.problems.size(), 1u);
  return loaded.problems.empty() ? "" : config::to_string(loaded.problems[0]);
}

TEST(ToyStage, IsInTheList) { EXPECT_EQ(std::ranges::count(dp::AckList::kNames, "later"), 1); }

TEST(ToyStage, IsLoadedWithItsSettingsAndPrintedWithThem) {
  const auto loaded = load("[{later: {by: 4ms, off: yes}}]");
  for (const auto& problem : loaded.problems) ADD_FAILURE() << config::to_string(problem);
  ASSERT_TRUE(loaded);
  const auto& acks = loaded->classes.at(0).uplink.ack;
  ASSERT_EQ(acks.stages, 1u);
  const auto* toy = std::get_if<dp::LaterSpec::Config>(&acks.stage[0]);
  ASSERT_NE(toy, nullptr);
  EXPECT_EQ(toy->by, std::chrono::milliseconds(4));
  EXPECT_TRUE(toy->off);
  const auto again = config::load_text(config::print_config(*loaded).dump(), "again.yaml");
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, *loaded);
}

TEST(ToyStage, ItsLimitsAreCheckedAndItsNameIsOffered) {
  EXPECT_NE(refusal("[{later: {by: 2s}}]").find("1ms to 1s"), std::string::npos);
  EXPECT_NE(refusal("[latre]").find("did you mean `later`"), std::string::npos);
}

TEST(ToyStage, WhatItExcludesIsRefusedInEitherOrderWithItsReason) {
  for (const char* both : {"[later, ack-rate]", "[ack-rate, later]"}) {
    const std::string text = refusal(both);
    EXPECT_NE(text.find("with which it cannot work: a toy wants the ACKs for itself; keep one of them"),
              std::string::npos)
        << text;
  }
}

TEST(ToyStage, StandsInTheHelpAndInTheReference) {
  const auto text = config::help("ack");
  ASSERT_TRUE(text);
  for (const std::string& found : {*text, config::help_markdown()}) {
    EXPECT_NE(found.find("uplink.ack[].later"), std::string::npos);
    EXPECT_NE(found.find("uplink.ack[].later.by"), std::string::npos);
    EXPECT_NE(found.find("holds each ACK for a while. On a sudden bypass: safe: a toy. With asymmetric "
                         "routing: nothing to a toy"),
              std::string::npos);
  }
}

TEST(ToyStage, HasItsSeriesInTheMetrics) {
  dp::test::TestRuntime runtime;
  control::View view;
  view.classes = {"internet"};
  control::Families families;
  control::add_ack_metrics(families, runtime, view);
  EXPECT_NE(prometheus::TextSerializer().Serialize(families).find(
                R"(rncd_ack_events_total{class="internet",stage="later",event="held"} 0)"),
            std::string::npos);
}

}  // namespace
