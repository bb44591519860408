#include <gtest/gtest.h>

#include "tools/bench/cell.h"

namespace bench {
namespace {

SlotCell slots_measured(std::uint32_t cells, std::uint32_t bearers, double cycles) {
  return {"constant", cells, bearers, {{cycles, cycles, cycles / 2}, {}, {cycles}}};
}

TEST(CellBench, TargetGrowsWithTheBearersAndWithFading) {
  EXPECT_DOUBLE_EQ(slot_target(4, "constant"), 448);
  EXPECT_DOUBLE_EQ(slot_target(4, "hdr"), 1048);
}

TEST(CellBench, TableSaysWhatIsMet) {
  EXPECT_NE(slot_table({slots_measured(1, 4, 448)}).find("yes"), std::string::npos);
  EXPECT_NE(slot_table({slots_measured(1, 4, 449)}).find("no"), std::string::npos);
  EXPECT_FALSE(slot_figures({"hdr", 1, 4, {{}, {}}}));
}

TEST(CellBench, AThousandCellsTakeTheirPartOfACore) {
  EXPECT_EQ(slot_verdict({slots_measured(100, 4, 400)}), "");
  const std::string verdict = slot_verdict({slots_measured(1000, 4, 450)});
  EXPECT_NE(verdict.find("9.0 % of a core at 3 GHz (target 10 %: met)"), std::string::npos) << verdict;
  EXPECT_NE(slot_verdict({slots_measured(1000, 4, 600)}).find("not met"), std::string::npos);
}

TEST(CellBench, ASlotIsGivenInEveryRoundOfEveryCell) {
  const auto subject = dp::yardstick::make_cells({.cells = 3, .bearers = 5, .scheduler = {}, .radio = [] {
                                                    dp::RadioConfig radio;
                                                    radio.radio = static_cast<dp::RadioChoice>(
                                                        dp::RadioList::index_of("constant"));
                                                    return radio;
                                                  }()});
  for (int i = 0; i < 600; ++i) subject->round();
  EXPECT_NEAR(static_cast<double>(subject->given()), 3 * 600, 3);
}

}  // namespace
}  // namespace bench
