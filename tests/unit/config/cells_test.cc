// The section `cells`, and the key `cell` of bearers and learning rules.
#include "config/cells.h"

#include <string>

#include <gtest/gtest.h>

#include "config/hints.h"
#include "config/schema.h"
#include "tests/unit/config/support.h"

namespace config {
namespace {

using testing::all_problems;
using testing::minimal;

const std::string kClass = "classes: {web: {downlink: {rate: 2M, link: {cell: {radio: reported}}}}}\n";

Loaded load_cells(const std::string& more) { return load_text(minimal(kClass + more), "t"); }

TEST(Cells, BearersAndRulesNameTheirs) {
  const auto loaded = load_cells(
      "cells: {north: {}, south: {scheduler: {pf-rp: {rmin: 20k}}, slots: 1000, members: 200, share: 90%}}\n"
      "bearers:\n"
      "  - {ue: 10.45.0.1, class: web, cell: south}\n"
      "  - {ue: 10.45.0.0/24, class: web, cell: north, learn: uplink, limit: 50}\n");
  ASSERT_TRUE(loaded) << all_problems(loaded);
  ASSERT_EQ(loaded->cells.size(), 2u);
  EXPECT_EQ(loaded->bearers[0].cell, 1u);
  EXPECT_EQ(loaded->learn[0].cell, 0u);
  const dp::CellSettings& south = loaded->cells[1].settings;
  EXPECT_EQ(dp::SchedulerList::kNames[south.scheduler.index()], "pf-rp");
  EXPECT_EQ(south.slots, 1000u);
  EXPECT_EQ(south.members, 200u);
  EXPECT_DOUBLE_EQ(south.share, 0.9);

  const auto again = load_text(print_config(*loaded).dump(), "printed");
  ASSERT_TRUE(again) << all_problems(again);
  EXPECT_EQ(*again, *loaded);
}

// A cell of the papers lets short flows have all slots, and newcomers begin at nothing.
TEST(Cells, AreSafeFromWhoIsAlwaysNewUnlessTheySayOtherwise) {
  const auto loaded =
      load_cells("cells: {usual: {}, open: {short_share: 100%, newcomer: paper, idle: hold}}\n");
  ASSERT_TRUE(loaded) << all_problems(loaded);
  EXPECT_DOUBLE_EQ(loaded->cells[0].settings.short_share, 0.75);
  EXPECT_EQ(loaded->cells[0].settings.newcomer, dp::CellNewcomer::fair);
  EXPECT_DOUBLE_EQ(loaded->cells[1].settings.short_share, 1);
  EXPECT_EQ(loaded->cells[1].settings.newcomer, dp::CellNewcomer::paper);
  EXPECT_EQ(loaded->cells[1].settings.idle, dp::CellIdle::hold);
}

TEST(Cells, ABearerOfAnUnknownClassIsNotAskedForItsCell) {
  const auto loaded = load_cells("bearers: [{ue: 10.45.0.1, class: wbe}]\n");
  ASSERT_EQ(loaded.problems.size(), 1u) << all_problems(loaded);
  EXPECT_NE(to_string(loaded.problems[0]).find("did you mean `web`?"), std::string::npos);
}

TEST(Cells, WithoutAnyTheMessageSaysSo) {
  const auto loaded = load_cells("bearers: [{ue: 10.45.0.1, class: web, cell: north}]\n");
  ASSERT_EQ(loaded.problems.size(), 1u) << all_problems(loaded);
  EXPECT_NE(to_string(loaded.problems[0]).find("a cell that is defined under `cells`; there is none"),
            std::string::npos)
      << all_problems(loaded);
}

TEST(Cells, HintsTellOfMadeUpRatesAndOfRulesThatLearnMoreThanTheCellHolds) {
  const auto hints = [](const std::string& radio, const std::string& limit) {
    const auto loaded = load_text(
        minimal("classes: {web: {downlink: {rate: 2M, link: {cell: {" + radio + "}}}}}\n" +
                "cells: {north: {members: 8}}\n" +
                "bearers: [{ue: 10.45.0.0/24, class: web, cell: north, learn: uplink, limit: " + limit +
                "}]\n"),
        "t");
    EXPECT_TRUE(loaded) << all_problems(loaded);
    return loaded ? hints_of(*loaded) : std::vector<std::string>{};
  };
  EXPECT_TRUE(hints("radio: constant", "8").empty());
  const auto both = hints("", "9");
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[0].find("classes.web.downlink.link: `radio` is hdr, which emulates fading"), 0u) << both[0];
  EXPECT_EQ(both[1].find("bearers, 10.45.0.0/24: `limit` is 9, but the cell north has 8 places"), 0u)
      << both[1];
}

TEST(Cells, HintsNameTheNetworkOfARule) {
  const auto loaded = load_text(
      minimal(
          "classes: {web: {downlink: {rate: 2M, link: {cell: {radio: constant}}}}}\n"
          "cells: {north: {members: 8}}\nnetworks: {home: {vlans: [100]}}\n"
          "bearers: [{ue: 10.45.0.0/24, network: home, class: web, cell: north, learn: uplink, limit: 9}]\n"),
      "t");
  ASSERT_TRUE(loaded) << all_problems(loaded);
  const auto hints = hints_of(*loaded);
  ASSERT_EQ(hints.size(), 1u);
  EXPECT_EQ(hints[0].find("bearers, 10.45.0.0/24@home: `limit` is 9"), 0u) << hints[0];
}

}  // namespace
}  // namespace config
