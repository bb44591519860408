#include <string>

#include <gtest/gtest.h>

#include "tools/bench/handoff.h"
#include "tools/bench/machine.h"

namespace bench {
namespace {

// Two turns: 4 and 6 cycles to give, 10 to take, 50 a look, of which the second turn has none.
HandoffCell handoff_cell() { return {32, true, {{{4, 4, 4}, {10, 10}, {50}}, {{6, 6, 6}, {10, 10}, {}}}}; }

TEST(Handoff, FiguresAreTheMedianOverTheTurnsThatHaveSome) {
  const HandoffCell cell = handoff_cell();
  EXPECT_DOUBLE_EQ(handoff_figures(cell, HandoffPart::give).p50, 5);
  EXPECT_DOUBLE_EQ(handoff_figures(cell, HandoffPart::take).p10, 10);
  EXPECT_DOUBLE_EQ(handoff_figures(cell, HandoffPart::look).p50, 50);
  EXPECT_DOUBLE_EQ(handoff_figures({}, HandoffPart::look).p50, 0);
}

TEST(Handoff, TheTableHasBothEndsAndTheirSum) {
  const std::string text = handoff_table({handoff_cell()});
  for (const char* figure : {"32", "yes", "5.0", "10.0", "15.0", "50.0"})
    EXPECT_NE(text.find(figure), std::string::npos) << figure << " in\n" << text;
  const auto json = handoff_json({handoff_cell()}, {}, {});
  EXPECT_DOUBLE_EQ(json["cells"][0]["give_cycles_p50"], 5);
}

TEST(Handoff, FramesGoRoundAndAreTimedAtBothEnds) {
  const auto cpus = last_cpus(2);
  dp::yardstick::HandoffPlan plan{{cpus.front(), cpus.back()}, 8};
  plan.spell = std::chrono::milliseconds(200);
  const std::atomic<bool> stop{false};
  const auto chunks = dp::yardstick::hand_off(plan, stop);
  EXPECT_FALSE(chunks.give.empty());
  EXPECT_FALSE(chunks.take.empty());
}

}  // namespace
}  // namespace bench
