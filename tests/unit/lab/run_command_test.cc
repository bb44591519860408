// `rnclab run`: what its table and its JSON have beside the rows.
#include <fstream>

#include "tests/unit/lab/papers/command.h"
#include "tests/unit/lab/support.h"
#include "tools/lab/cmd_run.h"

namespace lab {
namespace {

constexpr const char* kSector = R"(version: 1
duration: 5s
runs: 2
cell: {scheduler: round-robin}
classes:
  user: {downlink: {rate: 2.5M, link: {cell: {radio: {constant: {rate: 600k}}}}}, uplink: {rate: 1M}}
bearers: [{ue: 10.45.0.1, class: user}, {ue: 10.45.0.2, class: user}, {ue: 10.45.0.3, class: user}]
wires: {w: {delay: 20ms}}
servers: {s: {address: 192.0.2.1, wire: w}}
flows:
  - {server: s, ue: 10.45.0.1}
  - {server: s, ue: 10.45.0.2}
)";

class RunCommand : public ::testing::Test {
 protected:
  testing::Ran ran(const std::string& scenario) {
    RunOptions options;
    options.file = (scratch_.path() / "s.yaml").string();
    options.json = (scratch_.path() / "out.json").string();
    std::ofstream(options.file) << scenario;
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    testing::Ran ran;
    ran.code = run_run(options, "test");
    ran.out = ::testing::internal::GetCapturedStdout();
    ran.said = ::testing::internal::GetCapturedStderr();
    ran.json = Json::parse(testing::content(options.json));
    return ran;
  }

 private:
  tools::ScratchFolder scratch_;
};

TEST_F(RunCommand, GivesEachBearersShareOfTheCellsSlots) {
  const auto ran = this->ran(kSector);
  ASSERT_EQ(ran.code, 0) << ran.said;
  EXPECT_NE(ran.out.find("slots, %"), std::string::npos) << ran.out;
  const Json& bearers = ran.json["bearers"];
  ASSERT_EQ(bearers.size(), 3u);
  EXPECT_EQ(bearers[1]["ue"], "10.45.0.2");
  EXPECT_NEAR(bearers[0]["slot_share"]["mean"].get<double>(), 0.5, 0.05) << "in turns with the second";
  EXPECT_NEAR(bearers[1]["slot_share"]["mean"].get<double>(), 0.5, 0.05);
  EXPECT_EQ(bearers[2]["slot_share"]["mean"], 0.0) << "who has no flow";
}

TEST_F(RunCommand, OutsideCellsHasNoSlots) {
  const auto ran = this->ran(testing::kShaped);
  EXPECT_EQ(ran.code, 0) << ran.said;
  EXPECT_EQ(ran.out.find("slots"), std::string::npos) << ran.out;
  EXPECT_EQ(ran.json["bearers"].dump(), R"([{"ue":"10.45.0.2","slot_share":null}])");
  EXPECT_EQ(ran.out.find("flow-seconds"), std::string::npos) << "of the clock on the wall";
  EXPECT_NE(ran.said.find("flow-seconds"), std::string::npos) << ran.said;
}

}  // namespace
}  // namespace lab
