// Also the merge of two configurations (control/plane/reload_merge.h).
#include "control/plane/reloader.h"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/plane_bench.h"

namespace control {
namespace {

class ReloaderTest : public PlaneBench {};

TEST_F(ReloaderTest, TheBearersOfTheFileRunAfterBegin) {
  start();
  ASSERT_NE(plane->registry().find(ue("10.45.0.1")), nullptr);
  EXPECT_EQ(plane->registry().find(ue("10.45.0.1"))->bearer->downlink.rate(), 8'000'000u);
  EXPECT_TRUE(poll_until([&] { return snapshot().bearers == 1; }));
}

TEST_F(ReloaderTest, AReloadTakesOverTheKeysOfTheDataPlaneThatAreLive) {
  start();
  config::Config file = config_of(kFile);
  file.dataplane.rebalance = 0.5;
  file.dataplane.link_propagation = true;
  file.dataplane.unknown = dp::Unknown::drop;
  reload(file);
  EXPECT_EQ(plane->config().dataplane, file.dataplane);
  EXPECT_TRUE(kept.empty());
}

TEST_F(ReloaderTest, AReloadFollowsTheFileAndNamesWhatCannotChange) {
  start();
  const config::Config file = config_of(R"(version: 1
dataplane: {mode: tap, memory: 100MiB, ports: {core: {device: "null"}, radio: {device: "null"}}}
classes:
  voice: {downlink: {rate: 128k}}
  video: {downlink: {rate: 4M}}
bearers:
  - {ue: 10.45.0.9, class: video}
)");
  EXPECT_EQ(counts(reload(file)), (Counts{1, 0, 0, 1}));
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_NE(kept[0].find("dataplane.memory"), std::string::npos);
  EXPECT_NE(kept[1].find("class internet"), std::string::npos);
  EXPECT_EQ(plane->registry().find(ue("10.45.0.9"))->bearer->downlink.rate(), 4'000'000u);
  EXPECT_EQ(plane->registry().find(ue("10.45.0.9"))->settings->cls, 2);
  EXPECT_TRUE(poll_until([&] { return snapshot().mode == dp::Mode::tap; }));
}

TEST_F(ReloaderTest, AReloadThatIsRefusedLeavesTheFileAndWhatRuns) {
  start(1);
  const config::Config before = plane->config();
  const config::Config file = config_of(R"(version: 1
dataplane: {ports: {core: {device: "null"}, radio: {device: "null"}}}
cells: {north: {members: 4}}
classes: {internet: {downlink: {rate: 8M}}, voice: {downlink: {rate: 64k}}}
bearers: [{ue: 10.45.0.1, class: internet}, {ue: 10.45.0.2, class: internet}]
)");
  EXPECT_EQ(refusal(reload(file)).why, Refusal::Why::table_full);
  EXPECT_EQ(plane->config(), before);
  EXPECT_EQ(plane->reloader().file(), before);
  EXPECT_TRUE(plane->cells().records().all().empty()) << "a cell that was made for it is gone";
}

TEST_F(ReloaderTest, SettingsMadeOverTheSocketStayUnlessTheFileIsComparedWithWhatRuns) {
  start();
  const config::Config file = plane->reloader().file();
  wait_for<Modes::Change>([&](auto done) { plane->modes().set(dp::Mode::tap, done); });
  reload(file);
  EXPECT_EQ(plane->modes().mode(), dp::Mode::tap);
  wait_for<Applied>([&](auto done) {
    plane->reloader().reload(
        file, [](const std::string&) {}, std::move(done), Against::running);
  });
  EXPECT_EQ(plane->modes().mode(), dp::Mode::inline_);
}

}  // namespace
}  // namespace control
