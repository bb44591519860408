// The key `queue` of a downlink: how its SDUs wait.
#include <string>

#include <gtest/gtest.h>

#include "config/json.h"
#include "config/print.h"
#include "tests/unit/config/support.h"

namespace config {
namespace {

using testing::all_problems;

Loaded load_queue(const std::string& downlink, const std::string& more = "") {
  return load_text(testing::minimal("classes: {a: {downlink: {" + downlink + "}" + more + "}}\n"), "t");
}

TEST(Queue, IsAFifoUnlessSfpIsNamed) {
  const auto plain = load_queue("rate: 1M"), fifo = load_queue("rate: 1M, queue: fifo");
  ASSERT_TRUE(plain && fifo);
  EXPECT_EQ(plain->classes[0].downlink, fifo->classes[0].downlink);
  EXPECT_FALSE(to_json(plain->classes[0].downlink).contains("queue"));
  const auto sfp = load_queue("rate: 1M, queue: sfp, aqm: codel");
  ASSERT_TRUE(sfp) << all_problems(sfp);
  EXPECT_EQ(sfp->classes[0].downlink.queue, dp::QueueConfig(dp::SfpSpec::Config{}));
}

TEST(Queue, SfpTakesItsSettingsAndTellsThemAgain) {
  const auto loaded = load_queue(
      "rate: 1M, queue: {sfp: {short: 30kB, reset: 500ms, flows: 128, victim: front, count: arrival}}");
  ASSERT_TRUE(loaded) << all_problems(loaded);
  const dp::LegSettings& leg = loaded->classes[0].downlink;
  EXPECT_EQ(leg.queue, dp::QueueConfig(dp::SfpSpec::Config{.short_bytes = 30'000,
                                                           .reset = dp::Duration{500'000'000},
                                                           .flows = 128,
                                                           .victim = dp::SfpSpec::DropFrom::front,
                                                           .count = dp::SfpSpec::Count::arrival}));
  const auto again =
      read_settings({{"downlink", to_json(leg)}}, "p", settings_of(load_queue("rate: 2M")->classes, 0));
  ASSERT_TRUE(again) << all_problems(again);
  EXPECT_EQ(again->downlink, leg);
}

TEST(Queue, ABearerGoesBackToTheFifoOfAClassThatHasSfp) {
  const auto loaded = load_queue("rate: 1M, queue: sfp");
  ASSERT_TRUE(loaded);
  const auto back = read_settings({{"downlink", {{"queue", "fifo"}}}}, "p", settings_of(loaded->classes, 0));
  ASSERT_TRUE(back) << all_problems(back);
  EXPECT_EQ(back->downlink.queue, dp::QueueConfig(dp::FifoSpec::Config{}));
}

TEST(Queue, WhatCannotBeIsRefusedWithBothNames) {
  const auto expect = [](const Loaded& loaded, const std::string& problem) {
    ASSERT_FALSE(loaded);
    EXPECT_NE(all_problems(loaded).find(problem), std::string::npos) << all_problems(loaded);
  };
  expect(load_queue("rate: 1M, aqm: fq-codel, queue: sfp"),
         "classes.a.downlink.queue: found `queue: sfp` beside `aqm: fq-codel`, which has queues of its own; "
         "write `queue: fifo`, or another AQM");
  expect(load_queue("rate: 1M, queue: sfq"), "found 'sfq', expected fifo or sfp");
  expect(load_queue("rate: 1M, queue: {sfp: {flows: 0}}"), "expected a whole number from 1 to 4096");
  expect(load_queue("link: wire, queue: sfp"), "found `queue`, but the link of this leg is `wire`");
  expect(load_queue("rate: 1M", ", uplink: {rate: 1M, queue: sfp}"), "found the unknown key `queue`");
  EXPECT_TRUE(load_queue("rate: 1M, aqm: fq-codel, queue: fifo"));
  const auto loaded = load_queue("rate: 1M, queue: sfp");
  ASSERT_TRUE(loaded);
  const auto change =
      read_settings({{"downlink", {{"aqm", "fq-codel"}}}}, "p", settings_of(loaded->classes, 0));
  ASSERT_FALSE(change);
  EXPECT_NE(all_problems(change).find("p.downlink.aqm: found `queue: sfp` beside `aqm: fq-codel`"),
            std::string::npos)
      << all_problems(change);
}

}  // namespace
}  // namespace config
