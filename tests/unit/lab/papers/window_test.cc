// The bench of paper 001 section 5: wires on the radio side, wires in a row, the cell, and its statements in
// the short form.
#include <cmath>
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include "tests/unit/lab/papers/command.h"
#include "tests/unit/lab/support.h"
#include "tools/lab/batch/pool.h"

namespace lab {
namespace {

using testing::load;
using testing::loaded;
using testing::problems_of;
using testing::Ran;
using testing::ran_paper;

// A file of one packet to a UE behind wires.
const char* const kBehindWires = R"(version: 1
duration: 5s
classes:
  a:
    downlink: {rate: 8M, buffer: {sdus: 100}}
  b:
    downlink: {rate: 8M, buffer: {sdus: 100}}
bearers:
  - {ue: 10.45.0.2, class: a}
wires:
  shared: {rate: 1M, delay: 10ms, queue: 5}
  access: {rate: 10M, delay: 20ms, to: shared}
  fd: {delay: 70ms}
  rd: {rate: 64k, delay: 120ms}
radio:
  a: {wire: fd, back: rd}
servers:
  s: {address: 192.0.2.1, wire: access}
flows:
  - {server: s, ue: 10.45.0.2, traffic: {file: {size: 1460, times: 1}}}
)";

TEST(RadioWires, AddToTheWayOfAPacketAsDoWiresInARow) {
  const auto run = simulate(loaded(kBehindWires), 1);
  const double bits = 1500 * 8;
  EXPECT_NEAR(run.flows[0].delay_mean, 0.020 + bits / 10e6 + 0.010 + bits / 1e6 + bits / 8e6 + 0.070, 1e-8);
  EXPECT_EQ(run.frames.residue, 0);
  EXPECT_EQ(run.frames.damaged, 0u);
}

// The ACK: 40 bytes at 64 kbit/s, 120 ms, and one access wire back.
TEST(RadioWires, CarryTheUesPacketsToo) {
  const auto run = simulate(loaded(kBehindWires, {"flows.0.tcp.time_handshake=no"}), 1);
  EXPECT_NEAR(run.flows[0].rtt_mean, run.flows[0].delay_mean + 40 * 8 / 64e3 + 0.120 + 40 * 8 / 10e6 + 0.020,
              1e-6);
}

TEST(RadioWires, LosePacketsWithoutLosingCount) {
  const auto run = simulate(
      loaded(kBehindWires, {"flows.0.traffic=bulk", "wires.fd.loss=5%", "wires.rd.loss=5%", "duration=60s"}),
      3);
  EXPECT_GT(run.frames.lost, 10u);
  EXPECT_EQ(run.frames.residue, 0);
  EXPECT_EQ(run.frames.made, run.frames.arrived + run.frames.lost + run.frames.dropped + run.frames.underway);
}

TEST(RadioWires, AreRefusedWhereTheyCannotBe) {
  const auto says = [](const std::vector<std::string>& flags) {
    return problems_of(load(kBehindWires, flags));
  };
  EXPECT_NE(says({"radio.c={wire: fd}"}).find("a class that is defined under `classes`"), std::string::npos);
  EXPECT_NE(says({"radio.a.wire=fp"}).find("a wire that is defined under `wires`; did you mean `fd`?"),
            std::string::npos);
  EXPECT_NE(says({"wires.shared.to=access"}).find("wires.shared.to: found 'access'"), std::string::npos)
      << "only a wire above it: no circles";
  EXPECT_NE(says({"cell.scheduler=pg"}).find("cell.scheduler: found 'pg', expected pf"), std::string::npos);
}

const std::vector<std::string> kInCell{"classes.a.downlink={rate: 2457600, buffer: {sdus: 100}, link: cell}"};

TEST(CellInTheLab, ADownloadHasTheRateOfItsChannel) {
  auto flags = kInCell;
  for (const char* flag : {"flows.0.traffic=bulk", "duration=300s", "wires.shared.rate=100M",
                           "wires.shared.queue=unlimited", "classes.a.downlink.buffer.sdus=500"}) {
    flags.emplace_back(flag);
  }
  const auto run = simulate(loaded(kBehindWires, flags), 1);
  EXPECT_NEAR(run.flows[0].goodput_1500, 600e3, 30e3);
  EXPECT_EQ(run.frames.residue, 0);
  EXPECT_EQ(simulate(loaded(kBehindWires, flags), 1).flows[0].goodput_1500, run.flows[0].goodput_1500);
  EXPECT_NE(simulate(loaded(kBehindWires, flags), 2).flows[0].goodput_1500, run.flows[0].goodput_1500);
}

TEST(CellInTheLab, OfConstantRateIsShared) {
  auto flags = kInCell;
  for (const char* flag :
       {"flows.0.traffic=bulk", "duration=60s", "measure_from=20s", "wires.shared.rate=100M",
        "wires.shared.queue=unlimited", "classes.a.downlink.buffer.sdus=500",
        "classes.a.downlink.link={cell: {radio: {constant: {rate: 600k}}}}"}) {
    flags.emplace_back(flag);
  }
  for (const char* scheduler : {"pf", "pf-sp", "pf-rp", "round-robin", "max-rate"}) {
    auto with = flags;
    with.push_back(std::string("cell.scheduler=") + scheduler);
    const auto alone = simulate(loaded(kBehindWires, with), 1);
    EXPECT_NEAR(alone.flows[0].goodput_1500, 600e3, 10e3) << scheduler;
    with.emplace_back("bearers=[{ue: 10.45.0.2, class: a}, {ue: 10.45.0.3, class: a}]");
    with.emplace_back("flows=[{server: s, ue: 10.45.0.2}, {server: s, ue: 10.45.0.3}]");
    const auto both = simulate(loaded(kBehindWires, with), 1);
    for (const auto& flow : both.flows) EXPECT_NEAR(flow.goodput_1500, 300e3, 5e3) << scheduler;
    EXPECT_EQ(both.frames.residue, 0) << scheduler;
    for (const auto& bearer : both.bearers)
      EXPECT_NEAR(static_cast<double>(bearer.slots), 40 * 300, 40 * 5) << scheduler;
  }
}

// The made link lets a packet leave every 10 ms for 200 ms, and one at the end of the 200 ms after that.
TEST(CellInTheLab, OfARecordedLinkHasItsRate) {
  const auto path = std::filesystem::temp_directory_path() / ("rncd-" + std::to_string(getpid()) + ".radio");
  std::ofstream file(path);
  for (int ms = 10; ms <= 200; ms += 10) file << ms << "\n";
  file << "400\n";
  file.close();
  auto flags = kInCell;
  for (const char* flag : {"flows.0.traffic=bulk", "duration=60s", "measure_from=20s",
                           "wires.shared.rate=100M", "wires.shared.queue=unlimited",
                           "classes.a.downlink.buffer.sdus=500", "classes.a.downlink.rate=100M"}) {
    flags.emplace_back(flag);
  }
  flags.push_back("classes.a.downlink.link={cell: {radio: trace, trace: " + path.string() + "}}");
  const auto run = simulate(loaded(kBehindWires, flags), 1);
  std::filesystem::remove(path);
  EXPECT_NEAR(run.flows[0].goodput_1500, 21 * 12e3 / 0.4, 10e3);
  EXPECT_EQ(run.frames.residue, 0);
  EXPECT_EQ(run.frames.damaged, 0u);
}

TEST(CellInTheLab, ARadioThatCannotWorkIsRefused) {
  const auto says = [](const std::string& cell) {
    return problems_of(load(
        kBehindWires, {"classes.a.downlink={rate: 1M, buffer: {sdus: 100}, link: {cell: " + cell + "}}"}));
  };
  EXPECT_EQ(says("{radio: constant}"), "");
  EXPECT_NE(says("{radio: reported}").find("nobody reports rates to a cell of rnclab"), std::string::npos);
  EXPECT_NE(says("{radio: trace}").find("found `radio: trace` without a trace"), std::string::npos);
  EXPECT_NE(says("{radio: trace, trace: no/such.trace}").find("No such file"), std::string::npos);
}

TEST(CellInTheLab, NobodyJoinsOrLeavesWhileTheRunGoesOn) {
  auto flags = kInCell;
  flags.emplace_back("changes=[{at: 1s, ue: 10.45.0.2, downlink: {link: shaper, rate: 1M}}]");
  EXPECT_NE(problems_of(load(kBehindWires, flags)).find("from or to the link `cell`, expected none"),
            std::string::npos);
  flags.back() = "changes=[{at: 1s, ue: 10.45.0.2, downlink: {rate: 1M}}]";
  EXPECT_EQ(problems_of(load(kBehindWires, flags)), "");
}

PaperOptions window_options() {
  PaperOptions options;
  options.name = "001";
  options.part = "window";
  options.brief = true;
  options.jobs = default_jobs();
  return options;
}

// Claims that need more than a run of 300 s: small differences between two schemes.
bool needs_length(const std::string& claim) {
  for (const char* part : {"WRS is above DT", "four users: AR over WRD", "C7 congestion", "gap closes"}) {
    if (claim.find(part) != std::string::npos) return true;
  }
  return false;
}

TEST(PaperWindow, TheFairLimitsHoldInTheShortForm) {
  const Ran ran = ran_paper(window_options());
  ASSERT_EQ(ran.code, 0) << ran.said;
  std::size_t judged = 0;
  for (const Json& claim : ran.json["claims"]) {
    const std::string text = claim["text"];
    if (!claim["required"].get<bool>() || needs_length(text)) continue;
    ++judged;
    EXPECT_TRUE(claim["holds"].get<bool>()) << claim.dump();
  }
  EXPECT_GE(judged, 19u);
}

TEST(PaperWindow, TheSameSeedGivesTheSameFiguresWhateverTheJobs) {
  PaperOptions options = window_options();
  options.seconds = 40;
  options.jobs = 1;
  const Json rows = ran_paper(options).json["rows"];
  options.jobs = 3;
  EXPECT_EQ(ran_paper(options).json["rows"], rows);
}

TEST(PaperWindow, WrongUsageSaysWhatIsRight) {
  const auto says = [](const PaperOptions& options) {
    const Ran ran = ran_paper(options);
    EXPECT_EQ(ran.code, 2);
    return ran.said;
  };
  PaperOptions options;
  options.name = "001";
  EXPECT_EQ(says(options), "rnclab: --part: found none, expected window or web for paper 001\n");
  options.part = "windows";
  EXPECT_EQ(says(options), "rnclab: --part: found 'windows', expected window or web for paper 001\n");
  options.rows = {"C1"};
  EXPECT_EQ(says(options),
            "rnclab: --row: found it with paper 001, which has figures; write --part window or web\n");
  options.rows.clear();
  options.name = "000";
  EXPECT_EQ(says(options),
            "rnclab: --part: found it with paper 000, which has rows; leave it out, or take paper 001, 003 "
            "or 004\n");
}

}  // namespace
}  // namespace lab
