// The key `gate` of both legs: whether packets pass.
#include "dataplane/base/gate.h"

#include <string>

#include <gtest/gtest.h>

#include "config/json.h"
#include "config/print.h"
#include "tests/unit/config/support.h"

namespace config {
namespace {

using testing::all_problems;

Loaded load_gates(const std::string& legs) {
  return load_text(testing::minimal("classes: {a: {" + legs + "}}\n"), "t");
}

TEST(Gate, IsOpenUnlessItIsNamedAndShownOnlyThen) {
  const auto open = load_gates("downlink: {rate: 1M}"),
             named = load_gates("downlink: {rate: 1M, gate: open}");
  ASSERT_TRUE(open && named);
  EXPECT_EQ(open->classes[0].downlink, named->classes[0].downlink);
  EXPECT_FALSE(to_json(open->classes[0].downlink).contains("gate"));
  const auto held = load_gates("downlink: {rate: 1M, gate: hold}");
  ASSERT_TRUE(held) << all_problems(held);
  EXPECT_EQ(held->classes[0].downlink.gate, dp::Gate::hold);
  EXPECT_EQ(to_json(held->classes[0].downlink)["gate"], "hold");
}

TEST(Gate, OfAnUplinkWithoutARateIsKeptAsLongAsItIsNotNamed) {
  const auto loaded = load_gates("downlink: {rate: 1M}, uplink: {gate: closed}");
  ASSERT_TRUE(loaded) << all_problems(loaded);
  const dp::BearerSettings closed = settings_of(loaded->classes, 0);
  EXPECT_EQ(closed.uplink.gate, dp::Gate::closed);
  EXPECT_FALSE(dp::buffers(closed.uplink.link));
  const auto faster = read_settings({{"uplink", {{"rate", 1'000'000}}}}, "p", closed);
  ASSERT_TRUE(faster) << all_problems(faster);
  EXPECT_EQ(faster->uplink.gate, dp::Gate::closed);
  const auto opened = read_settings({{"uplink", {{"gate", "open"}}}}, "p", closed);
  ASSERT_TRUE(opened) << all_problems(opened);
  EXPECT_EQ(opened->uplink, dp::LegSettings{});
}

TEST(Gate, AnotherWordIsRefusedWithThoseThatThereAre) {
  const auto loaded = load_gates("downlink: {rate: 1M, gate: shut}");
  ASSERT_FALSE(loaded);
  EXPECT_NE(all_problems(loaded).find("classes.a.downlink.gate: found 'shut', expected open, hold or closed"),
            std::string::npos)
      << all_problems(loaded);
}

}  // namespace
}  // namespace config
