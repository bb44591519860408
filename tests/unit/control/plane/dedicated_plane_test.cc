// Dedicated bearers of the configuration and of a saved state in a running data plane.
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "config/schema.h"
#include "control/bearers/dedicated.h"
#include "control/state/saved_state.h"
#include "control/state/state_text.h"
#include "tests/support/polled_plane.h"

namespace control {
namespace {

const std::string kDedicatedPlaneHead = R"(version: 1
dataplane:
  ports: {core: {device: "null"}, radio: {device: "null"}}
  gtp_u: {peers: [192.0.2.0/24]}
classes: {internet: {downlink: {rate: 8M}}, voice: {downlink: {rate: 1M}}}
bearers:
)";

std::string with_bearers(const std::string& dedicated) {
  return kDedicatedPlaneHead + "  - {ue: 10.45.0.2, class: internet, dedicated: [" + dedicated + "]}\n";
}
const std::string kBothKinds =
    with_bearers("{qfi: 1, class: voice}, {teid: {downlink: 0x11, uplink: 0x21}, class: voice}");

class DedicatedPlaneTest : public PolledPlane {
 protected:
  void start(const config::Config& config) {
    runtime = std::make_unique<dp::test::TestRuntime>(64, 2);
    plane = std::make_unique<DataPlane>(*runtime, config, 64);
    begin();
  }
  void start(const std::string& text) { start(config_of(text)); }
  Applied reload(const std::string& text) {
    auto ended = PolledPlane::reload(config_of(text));
    EXPECT_EQ(ended.why, nullptr);
    return ended.done.value_or(Applied{});
  }
  // Each bearer with its class and, by TEID, that of its downlink.
  std::string running() const {
    std::string text;
    for (const auto& [ue, record] : plane->registry().all()) {
      text += plane->registry().text_of(ue) + " " + plane->config().classes[record.settings->cls].name;
      if (record.downlink_teid != 0) text += " " + std::to_string(record.downlink_teid);
      text += "; ";
    }
    return text;
  }
  // A tunnel of the downlink of 10.45.0.2 teid 0x21.
  Wish told(std::uint32_t teid) const {
    Wish wish;
    wish.tunnels.push_back(
        {kByTeid, dp::Direction::downlink, {0, 0xc0000201, teid, false}, dp::GtpUChain::kNoQfi, {}});
    return wish;
  }
  SavedState saved() const {
    std::string text;
    write_state(*plane, 1, text).finish();
    const std::string path = ::testing::TempDir() + "rncd_dedicated." + std::to_string(::getpid());
    std::filesystem::remove(path);
    std::ofstream(path) << text;
    auto state = read_state(path);
    std::filesystem::remove(path);
    if (!state) ADD_FAILURE() << state.error().message;
    return state && *state ? std::move(**state) : SavedState{};
  }

  static constexpr dp::UeAddress kUe = dp::ue_ipv4(0x0a2d0002);
  static constexpr dp::UeAddress kByTeid = dp::dedicated_by_teid(kUe, 0x21);
};

TEST_F(DedicatedPlaneTest, AReloadAddsChangesAndRemovesThem) {
  start(kBothKinds);
  EXPECT_EQ(running(), "10.45.0.2 internet; 10.45.0.2 qfi 1 voice; 10.45.0.2 teid 0x21 voice 17; ");
  const Applied applied = reload(with_bearers("{qfi: 1, class: internet}, {qfi: 2, class: voice}"));
  EXPECT_EQ(applied.created, 1u);
  EXPECT_EQ(applied.changed, 1u);
  EXPECT_EQ(applied.removed, 1u);
  EXPECT_EQ(running(), "10.45.0.2 internet; 10.45.0.2 qfi 1 internet; 10.45.0.2 qfi 2 voice; ");
  reload(kDedicatedPlaneHead + "  - {ue: 10.45.0.2, dedicated: [{qfi: 2, class: voice}]}\n");
  EXPECT_EQ(running(), "10.45.0.2 qfi 2 voice; ");
  const auto printed = config::load_text(config::print_config(plane->config()).dump(), "printed");
  ASSERT_TRUE(printed) << config::to_string(printed.problems.front());
  EXPECT_EQ(printed->bearers, plane->config().bearers);
}

TEST_F(DedicatedPlaneTest, AReloadWithAnotherDownlinkTeidMakesTheBearerAnew) {
  start(kBothKinds);
  const std::string other =
      with_bearers("{qfi: 1, class: voice}, {teid: {downlink: 18, uplink: 33}, class: voice}");
  const Applied applied = reload(other);
  EXPECT_EQ(applied.created, 1u);
  EXPECT_EQ(applied.removed, 1u);
  EXPECT_EQ(plane->registry().find(kByTeid)->downlink_teid, 18u);
  EXPECT_EQ(reload(other).created, 0u);
}

TEST_F(DedicatedPlaneTest, ADownlinkTeidThatWasToldStaysWhileTheFileSaysTheSame) {
  start(kBothKinds);
  ASSERT_EQ(apply(told(0x15)).why, nullptr);
  EXPECT_EQ(plane->registry().find(kByTeid)->downlink_teid, 0x15u);
  EXPECT_EQ(reload(kBothKinds).removed, 0u);
  EXPECT_EQ(plane->registry().find(kByTeid)->downlink_teid, 0x15u);
}

TEST_F(DedicatedPlaneTest, AReloadThatWouldGiveAUeMoreThanFifteenIsRefused) {
  start(kBothKinds);
  Wish wish;
  for (std::uint32_t qfi = 20; qfi < 33; ++qfi) {
    wish.set.push_back({dp::dedicated_by_qfi(kUe, qfi), plane->bearers().settings_of(1), Origin::socket});
  }
  ASSERT_EQ(apply(wish).why, nullptr);
  const auto ended = PolledPlane::reload(config_of(
      with_bearers("{qfi: 1, class: voice}, {qfi: 2, class: voice}, {teid: {uplink: 33}, class: voice}")));
  ASSERT_NE(ended.why, nullptr);
  EXPECT_EQ(plane->registry().size(), 16u);
}

TEST_F(DedicatedPlaneTest, ASavedStateBringsThemBack) {
  start(kBothKinds);
  Wish wish = told(0x15);
  dp::BearerSettings own = *plane->bearers().settings_of(1);
  own.downlink.rate = 2'000'000;
  wish.set.push_back({dp::dedicated_by_qfi(kUe, 9), own, Origin::socket});
  wish.set.push_back(
      {dp::dedicated_by_teid(kUe, 7), plane->bearers().settings_of(1), Origin::socket, nullptr, 8});
  ASSERT_EQ(apply(wish).why, nullptr);
  const std::string before = running();
  const SavedState state = saved();
  ASSERT_EQ(state.bearers.size(), 5u);
  runtime->stop();

  const config::Config next = to_start_with(state, config_of(kBothKinds));
  EXPECT_EQ(next.bearers, config_of(kBothKinds).bearers) << "what was told is not the configuration's";
  start(next);
  Unrestored unrestored;
  const auto restored = wait_for<Applied>([&](auto done) {
    plane->bearers().restore([&](Wish& made) { return wish_again(state.bearers, *plane, made, unrestored); },
                             std::move(done));
  });
  EXPECT_EQ(restored.why, nullptr);
  EXPECT_EQ(unrestored.bearers, 0u) << unrestored.first;
  EXPECT_EQ(running(), before);
  const Record& record = *plane->registry().find(dp::dedicated_by_qfi(kUe, 9));
  EXPECT_EQ(record.settings->downlink.rate, 2'000'000u);
  EXPECT_EQ(record.origin, Origin::socket);
  EXPECT_EQ(reload(kBothKinds).removed, 0u);
  EXPECT_EQ(running(), before);
}

TEST_F(DedicatedPlaneTest, EachCountsInTheFingerprint) {
  start(kBothKinds);
  const config::Config config = config_of(kBothKinds);
  config::Config other = config;
  other.bearers[1].ue.id = 2;
  EXPECT_NE(fingerprint(other), fingerprint(config));
  other = config;
  other.bearers[2].downlink_teid = 5;
  EXPECT_NE(fingerprint(other), fingerprint(config));
}

}  // namespace
}  // namespace control
