// Recorded links in scenarios: the rate that a leg has where the file gives none, the warning where a given
// one is a cap, and the figures that show what was carried.
#include "tools/lab/scenario/trace_cap.h"

#include <cmath>
#include <fstream>

#include "tests/unit/lab/support.h"
#include "tools/common/process.h"
#include "tools/lab/figures/summary.h"

namespace lab {
namespace {

// Per 100 ms: four packets in the first millisecond, one 50 ms later.
class TraceCapTest : public ::testing::Test {
 protected:
  TraceCapTest() {
    std::ofstream file(path());
    for (int ms = 1; ms < 10'000; ms += 100) {
      for (int i = 0; i < 4; ++i) file << ms << '\n';
      file << ms + 50 << '\n';
    }
    file << "10000\n";
  }
  std::string path() const { return (folder_.path() / "bursts.trace").string(); }

  // The flags that make the downlink the recorded link, with `rate` as its key.
  std::vector<std::string> recorded(const std::string& rate, std::vector<std::string> more = {}) const {
    more.push_back("classes.a.downlink={" + rate +
                   " buffer: {sdus: 1000, bytes: 64MiB}, link: {cell: {radio: trace, trace: " + path() +
                   "}}}");
    return more;
  }
  Scenario scenario(const std::string& rate) const {
    return testing::shaped(recorded(
        rate, {"cell.slots=1000", "flows.0.sink={window: 60kB}", "duration=60s", "measure_from=10s"}));
  }

 private:
  tools::ScratchFolder folder_;
};

TEST_F(TraceCapTest, WithoutARateNoSlotIsCappedHoweverManyThereAre) {
  for (const char* slots : {"100", "600", "1000", "8000"}) {
    const Scenario made = testing::shaped(recorded("", {std::string("cell.slots=") + slots}));
    EXPECT_TRUE(warnings_of(made).empty()) << slots;
    const dp::LegSettings& leg = made.classes[0].downlink;
    const auto& trace = *std::get<dp::CellSpec::Config>(leg.link).trace;
    EXPECT_EQ(cap_of(trace, made.cell.slots, leg.rate).carried, 1) << slots;
  }
}

TEST_F(TraceCapTest, ARateBelowThatOfASlotIsWarnedOfWithWhatItLeaves) {
  const auto warnings = warnings_of(scenario("rate: 24M,"));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0],
            "classes.a.downlink: `rate` is 24M, but slots of " + path() +
                " have up to 48M: 60.1 % of the recorded link can be carried; leave `rate` out, or raise it");
  EXPECT_TRUE(warnings_of(scenario("rate: 48M,")).empty());
}

TEST_F(TraceCapTest, AChangeIsWarnedOfToo) {
  const auto warnings = warnings_of(testing::shaped(
      recorded("", {"cell.slots=1000", "changes=[{at: 5s, ue: 10.45.0.2, downlink: {rate: 12M}}]"})));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].find("changes, 10.45.0.2: `rate` is 12M, but slots of "), 0u);
}

TEST_F(TraceCapTest, FiguresHaveWhatTheRecordedLinkCouldCarryAndWhatPartItDid) {
  const RunFigures whole = figures_of(simulate(scenario(""), 1));
  EXPECT_NEAR(whole.capacity, 601, 1) << "kbit/s: 501 packets in 10 s";
  EXPECT_GT(whole.carried, 0.99);
  EXPECT_LE(whole.carried, 1.001);
  const RunFigures capped = figures_of(simulate(scenario("rate: 24M,"), 1));
  EXPECT_NEAR(capped.capacity, 601, 1) << "whatever caps it";
  EXPECT_NEAR(capped.carried, 0.6, 0.01);
}

TEST_F(TraceCapTest, CapacityIsTheRateOfAShaperAlsoWhenThatChanges) {
  const RunFigures figures = figures_of(simulate(
      testing::shaped({"changes=[{at: 10s, ue: 10.45.0.2, downlink: {rate: 4M}}]", "measure_from=5s"}), 1));
  EXPECT_NEAR(figures.capacity, (5 * 8'000 + 10 * 4'000) / 15.0, 1);
  EXPECT_NEAR(figures.carried, figures.utilisation, 1e-9);
}

TEST_F(TraceCapTest, CapacityOfARadioThatFadesByChanceIsNotKnown) {
  const RunFigures figures =
      figures_of(simulate(testing::shaped({"classes.a.downlink={rate: 8M, link: {cell: {radio: hdr}}}"}), 1));
  EXPECT_TRUE(std::isnan(figures.capacity));
  EXPECT_TRUE(std::isnan(figures.carried));
}

// The UE's packets pass a recorded link before the box: 601 kbit/s, of which ACKs take a part.
TEST_F(TraceCapTest, AWireMayBeARecordedLinkInPlaceOfARate) {
  const auto run = [&](const std::string& wires) {
    return figures_of(simulate(testing::shaped({wires, "radio={a: {back: air}}"}), 1));
  };
  const RunFigures free = run("wires={w: {delay: 20ms}, air: {}}");
  const RunFigures recorded = run("wires={w: {delay: 20ms}, air: {trace: " + path() + "}}");
  EXPECT_GT(recorded.rtt, free.rtt + 0.02) << "an ACK waits for 38 ms on average";
  EXPECT_GT(recorded.carried, 0.6);
  const auto both =
      testing::load(testing::kShaped, {"wires={w: {delay: 20ms, rate: 1M, trace: " + path() + "}}"});
  EXPECT_NE(
      testing::problems_of(both).find("wires.w.rate: found a rate beside a trace, which has rates of its "
                                      "own; remove one of them"),
      std::string::npos)
      << testing::problems_of(both);
}

}  // namespace
}  // namespace lab
