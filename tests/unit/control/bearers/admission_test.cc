#include "control/bearers/admission.h"

#include <functional>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "control/bearers/cell_records.h"
#include "control/bearers/refusal.h"
#include "tests/support/shaped.h"

namespace control {
namespace {

class AdmissionTest : public ::testing::Test {
 protected:
  // A cell of that many members, of which so many have entered.
  CellRecord& cell(const std::string& name, std::uint32_t members, std::uint32_t entered) {
    CellRecord& made = cells.make(name, {.members = members});
    for (std::uint32_t n = 0; n < entered; ++n) EXPECT_TRUE(made.cell->reserve());
    return made;
  }
  static std::string refused(const std::function<void()>& admit) {
    try {
      admit();
    } catch (const Refusal& refusal) {
      return refusal.what();
    }
    return {};
  }

  std::unique_ptr<dp::Mailbox> mailbox = std::make_unique<dp::Mailbox>();
  CommandSender sender{{mailbox.get()}, nullptr};
  CellRecords cells{sender};
  BearerRegistry registry;
  Plan plan;
};

TEST_F(AdmissionTest, ThePlanIsAdmittedUpToTheTablesCapacity) {
  for (std::uint32_t n = 0; n < 3; ++n) registry.insert(dp::test::ue(n), {dp::test::shaped_at(1000)});
  plan.create = {{dp::test::ue(10), dp::test::shaped_at(1000)},
                 {dp::test::ue(11), dp::test::shaped_at(1000)}};
  EXPECT_EQ(refused([&] { admit_to_table(plan, registry, 5); }), "");
  EXPECT_EQ(
      refused([&] { admit_to_table(plan, registry, 4); }),
      "3 bearers exist and 2 would be added, the table holds 4; raise dataplane.max_bearers and restart");
  plan.remove = {dp::test::ue(0)};
  EXPECT_EQ(refused([&] { admit_to_table(plan, registry, 4); }), "") << "one leaves";
}

TEST_F(AdmissionTest, APlanThatCreatesNothingIsAdmittedToATableThatIsOverfull) {
  for (std::uint32_t n = 0; n < 3; ++n) registry.insert(dp::test::ue(n), {dp::test::shaped_at(1000)});
  plan.remove = {dp::test::ue(0)};
  EXPECT_EQ(refused([&] { admit_to_table(plan, registry, 1); }), "");
}

TEST_F(AdmissionTest, ACellAdmitsAsManyAsItHasPlaces) {
  CellRecord& north = cell("north", 4, 2);
  for (std::uint32_t n = 0; n < 2; ++n) {
    plan.create.push_back({dp::test::ue(n), dp::test::shaped_at(1000), Origin::socket, &north});
  }
  EXPECT_EQ(refused([&] { admit_to_cells(plan, registry); }), "");
  plan.change.push_back({dp::test::ue(2), dp::test::shaped_at(1000), Origin::socket, &north});
  EXPECT_EQ(refused([&] { admit_to_cells(plan, registry); }),
            "the cell north has 4 places, 2 taken, and 3 more would be");
}

TEST_F(AdmissionTest, ABearerThatLeavesACellMakesRoomForOneThatEnters) {
  CellRecord& north = cell("north", 1, 1);
  CellRecord& south = cell("south", 1, 0);
  registry.insert(dp::test::ue(1), {dp::test::shaped_at(1000), Origin::socket, nullptr, {}, &north});
  plan.create.push_back({dp::test::ue(2), dp::test::shaped_at(1000), Origin::socket, &north});
  EXPECT_EQ(refused([&] { admit_to_cells(plan, registry); }),
            "the cell north has 1 place, 1 taken, and 1 more would be");
  plan.change.push_back({dp::test::ue(1), dp::test::shaped_at(1000), Origin::socket, &south});
  EXPECT_EQ(refused([&] { admit_to_cells(plan, registry); }), "");
}

TEST_F(AdmissionTest, AnOverfullCellDoesNotHinderAPlanThatBringsItNobody) {
  CellRecord& north = cell("north", 2, 2);
  registry.insert(dp::test::ue(1), {dp::test::shaped_at(1000), Origin::socket, nullptr, {}, &north});
  plan.change.push_back({dp::test::ue(1), dp::test::shaped_at(2000), Origin::socket, &north});
  EXPECT_EQ(refused([&] { admit_to_cells(plan, registry); }), "");
}

}  // namespace
}  // namespace control
