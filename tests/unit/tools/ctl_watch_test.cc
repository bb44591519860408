// The lines of `rncctl watch`, from the bearer's counters.
#include <gtest/gtest.h>

#include "tests/support/fake_caller.h"

namespace ctl {
namespace {

Json bearer(std::uint64_t rate, std::uint64_t delivered, std::uint64_t dropped = 0) {
  Json leg = {
      {"rate", rate},      {"delivered_bytes", delivered}, {"dropped_sdus", dropped}, {"marked_sdus", 0},
      {"queued_sdus", 20}, {"queued_bytes", 30'000}};
  return {{"ue", "10.45.0.2"}, {"downlink", leg}, {"uplink", {{"rate", 0}}}};
}

std::vector<Json> watched(FakeCaller& caller, std::size_t count) {
  const Shown text =
      shown(caller, {"watch", "10.45.0.2", "--interval", "0.1", "--count", std::to_string(count)}, true);
  std::vector<Json> lines;
  std::istringstream in(text.out);
  for (std::string line; std::getline(in, line);) lines.push_back(Json::parse(line));
  return lines;
}

TEST(Watch, ShowsWhatCameBetweenTwoReadings) {
  FakeCaller caller;
  caller.answers = {bearer(8'000'000, 1000), bearer(8'000'000, 101'000, 3), bearer(4'000'000, 101'000, 3)};
  const auto lines = watched(caller, 2);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(caller.asked[0], (std::pair<std::string, Json>("bearer.get", {{"ue", "10.45.0.2"}})));
  // 100,000 bytes in a little more than 0.1 s, or in much more on a busy machine.
  const double rate = lines[0]["delivered_rate"];
  EXPECT_GT(rate, 0);
  EXPECT_LE(rate, 8'000'000);
  EXPECT_DOUBLE_EQ(lines[0]["used_ratio"].get<double>() * 8'000'000, rate);
  EXPECT_DOUBLE_EQ(lines[0]["queue_seconds"], 0.03);
  EXPECT_GT(lines[0]["dropped_sdus_per_second"], 0);
  EXPECT_EQ(lines[1]["direction"], "uplink");
  EXPECT_EQ(lines[1]["used_ratio"], nullptr) << "no limit";
  EXPECT_EQ(lines[2]["delivered_rate"], 0);
  EXPECT_DOUBLE_EQ(lines[2]["queue_seconds"], 0.06);
}

TEST(Watch, KnowsNothingOfABearerThatWasMadeAnew) {
  FakeCaller caller;
  caller.answers = {bearer(8'000'000, 101'000), bearer(8'000'000, 1000)};
  EXPECT_EQ(watched(caller, 1).at(0)["delivered_rate"], nullptr);
}

TEST(Watch, FitsEightyColumns) {
  FakeCaller caller;
  caller.answers = {bearer(10'000'000'000, 0), bearer(10'000'000'000, 99'999'999'999, 1'000'000)};
  const Shown text = shown(caller, {"watch", "10.45.0.2", "--interval", "0.1", "--count", "1"});
  std::istringstream in(text.out);
  std::size_t lines = 0;
  for (std::string line; std::getline(in, line); ++lines) EXPECT_LE(line.size(), 80u) << line;
  EXPECT_EQ(lines, 3u);
}

}  // namespace
}  // namespace ctl
