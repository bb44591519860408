// Also the records of cells (control/bearers/cell_records.h).
#include "control/plane/cells.h"

#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "tests/support/plane_bench.h"

namespace control {
namespace {

class CellChangesTest : public PlaneBench {
 protected:
  template <class Ask>
  std::string refused(Ask ask) {
    return refusal(wait_for<Cells::SettingsChange>(std::move(ask))).what();
  }
};

TEST_F(CellChangesTest, WhatCannotBeDoneWithACellIsRefusedAndChangesNothing) {
  start();
  reload(config_of(R"(version: 1
dataplane: {ports: {core: {device: "null"}, radio: {device: "null"}}}
cells: {a: {members: 10}, b: {}}
classes:
  internet: {downlink: {rate: 8M}}
  voice: {downlink: {rate: 64k}}
  web: {downlink: {rate: 50M, link: {cell: {radio: {constant: {rate: 40M}}}}}}
bearers:
  - {ue: 10.45.0.1, class: web, cell: a}
  - {ue: 10.46.0.0/24, class: web, cell: b, learn: both, limit: 60}
)"));
  const config::Config before = plane->config();
  EXPECT_EQ(refused([&](auto done) { plane->cells().add("a", {}, done); }), "there is a cell a already");
  const auto more = [](dp::CellSettings settings) {
    settings.members = 11;
    return settings;
  };
  EXPECT_EQ(refused([&](auto done) { plane->cells().set("a", more, done); }),
            "the cell a keeps the 10 members that it was made with; make another");
  EXPECT_EQ(refused([&](auto done) { plane->cells().set("c", more, done); }), "no cell c");
  EXPECT_EQ(refused([&](auto done) { plane->cells().remove("b", done); }),
            "UEs of 10.46.0.0/24 are learnt into the cell b");
  EXPECT_EQ(refused([&](auto done) { plane->cells().remove("a", done); }),
            "the cell a holds 1 bearer; remove or relocate them first");
  EXPECT_EQ(plane->config(), before);
}

TEST_F(CellChangesTest, ACellIsMadeChangedAndRemovedAndTheConfigurationFollows) {
  start();
  const auto fewer_slots = [](dp::CellSettings settings) {
    settings.slots = 500;
    return settings;
  };
  ASSERT_TRUE(wait_for<Cells::SettingsChange>([&](auto done) { plane->cells().add("a", {}, done); }).done);
  const auto set =
      wait_for<Cells::SettingsChange>([&](auto done) { plane->cells().set("a", fewer_slots, done); });
  ASSERT_TRUE(set.done);
  EXPECT_NE(set.done->was.slots, 500u);
  EXPECT_EQ(set.done->now.slots, 500u);
  ASSERT_EQ(plane->config().cells.size(), 1u);
  EXPECT_EQ(plane->config().cells[0].settings.slots, 500u);
  EXPECT_EQ(plane->cells().records().find("a")->settings, set.done->now);
  ASSERT_TRUE(wait_for<Cells::SettingsChange>([&](auto done) { plane->cells().remove("a", done); }).done);
  EXPECT_TRUE(plane->config().cells.empty());
  EXPECT_TRUE(plane->cells().records().all().empty());
}

TEST_F(CellChangesTest, ACellThatTheHostLacksMemoryForIsRefused) {
  start();
  memory = 0;
  const Refusal lacking =
      refusal(wait_for<Cells::SettingsChange>([&](auto done) { plane->cells().add("a", {}, done); }));
  EXPECT_EQ(lacking.why, Refusal::Why::no_memory);
  EXPECT_TRUE(plane->cells().records().all().empty());
}

}  // namespace
}  // namespace control
