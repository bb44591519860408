// `rnclab paper FILE`: every kind of file that the program has, and what a user's own file can get wrong.
#include <fstream>

#include "tests/unit/lab/papers/command.h"
#include "tests/unit/lab/support.h"
#include "tools/lab/batch/pool.h"
#include "tools/lab/figures/embedded.h"

namespace lab {
namespace {

using testing::Ran;
using testing::ran_paper;

// Short enough for all papers; means are of nothing.
PaperOptions hurried() {
  PaperOptions options;
  options.set = {"duration=2s", "measure_from=0s"};
  options.runs = 1;
  options.jobs = default_jobs();
  return options;
}

PaperOptions hurried(const Paper& paper) {
  PaperOptions options = hurried();
  options.brief = paper.rows.empty();
  if (!paper.rows.empty()) options.rows = {paper.rows.front().id};
  return options;
}

class OwnFile : public ::testing::Test {
 protected:
  std::string file(const std::string& name, std::string_view text) {
    const auto path = scratch_.path() / name;
    std::ofstream(path) << text;
    return path.string();
  }
  // Runs a file with that text.
  Ran ran(const std::string& text, const std::string& part = "") {
    PaperOptions options = hurried();
    options.name = file("mine.yaml", text);
    options.part = part;
    return ran_paper(options);
  }

 private:
  tools::ScratchFolder scratch_;
};

TEST_F(OwnFile, OfEachOfTheProgramsPapersSaysWhatItsNameSays) {
  for (const Paper& paper : papers()) {
    SCOPED_TRACE(paper.file);
    PaperOptions options = hurried(paper);
    options.name = paper.name;
    options.part = paper.part;
    const Ran named = ran_paper(options);
    options.name = file(paper.file.substr(paper.file.find('/') + 1), embedded_file(paper.file));
    options.part.clear();
    const Ran own = ran_paper(options);
    EXPECT_LE(own.code, 1) << own.said;
    EXPECT_EQ(own.code, named.code);
    ASSERT_GE(own.json["rows"].size(), 1u);
    EXPECT_EQ(own.json, named.json);
  }
}

const char* const kCell = R"(version: 1
duration: 20s
runs: 2
cell: {scheduler: round-robin}
classes:
  user: {downlink: {rate: 2.5M, link: {cell: {radio: {constant: {rate: 600k}}}}}, uplink: {rate: 1M}}
bearers: [{ue: 10.45.0.1, class: user}, {ue: 10.45.0.2, class: user}]
wires: {w: {delay: 20ms}}
servers: {s: {address: 192.0.2.1, wire: w}}
flows:
  - {name: web1, server: s, ue: 10.45.0.1, traffic: {web: {gap: 1s}}}
  - {name: ftp2, server: s, ue: 10.45.0.2}
)";
const char* const kScenes = R"(version: 1
title: Two users of mine
scenario: cell.yaml
part: anything
lines:
  turns: {}
  the fastest: {cell.scheduler: max-rate}
scenes:
  both: {title: Pages beside a download, web: [1], ftp: [2]}
statements:
  - {text: shares of the slots, of: [both/jain/turns], at: [0], at_least: 0.1, shown: "{:.2f}"}
)";

TEST_F(OwnFile, WithASceneOfItsOwnRunsInTheUsersCell) {
  file("cell.yaml", kCell);
  PaperOptions options = hurried();
  options.name = file("mine.yaml", kScenes);
  options.set.clear();
  const Ran ran = ran_paper(options);
  ASSERT_EQ(ran.code, 0) << ran.said;
  EXPECT_NE(ran.out.find("Pages beside a download"), std::string::npos) << ran.out;
  ASSERT_EQ(ran.json["rows"].size(), 2u);
  for (const Json& row : ran.json["rows"]) {
    ASSERT_EQ(row["slot_shares"].size(), 2u);
    EXPECT_GT(row["slot_shares"][1]["mean"].get<double>(), row["slot_shares"][0]["mean"].get<double>());
    EXPECT_GT(row["ftp_goodput_kbit_s"]["mean"].get<double>(), 100);
  }
  EXPECT_EQ(ran.json["claims"].size(), 1u);
  options.part = "anything";
  EXPECT_EQ(ran_paper(options).code, 0) << "as the file itself says";
}

TEST_F(OwnFile, WhoseFlowsDoNotFitItsSceneIsRefused) {
  const auto refused = [&](const std::string& from, const std::string& to, const std::string& said) {
    std::string text = kCell;
    text.replace(text.find(from), from.size(), to);
    file("cell.yaml", text);
    const Ran ran = this->ran(kScenes);
    EXPECT_EQ(ran.code, 3);
    EXPECT_NE(ran.said.find(said), std::string::npos) << ran.said;
  };
  refused("name: ftp2", "name: ftp3", "scene both/turns: found no flow ftp2 in the scenario");
  refused("ftp2, server: s, ue: 10.45.0.2", "ftp2, server: s, ue: 10.45.0.1",
          "found the flow ftp2 with count 1 and the UE of bearer 1, expected count 1 and the UE of bearer 2");
  refused("name: web1,", "name: web1, count: 2,", "found the flow web1 with count 2");
}

const char* const kPoints = R"(version: 1
title: Rates of mine
scenario: s.yaml
lines: {here: {}, there: {wires.w.delay: <x+1>ms}}
figures:
  delay: {users: [1], lines: [here, there], x: [10, 20]}
charts: {delay: {title: Goodput, axis: delay, figure: delay, users: 1}}
)";

TEST_F(OwnFile, WithAFigureOfItsOwnHasItsPoints) {
  file("s.yaml", testing::kShaped);
  const Ran ran = this->ran(kPoints);
  ASSERT_EQ(ran.code, 0) << ran.said;
  EXPECT_EQ(ran.json["rows"].size(), 4u);
  EXPECT_NE(ran.out.find("Goodput: kbit/s"), std::string::npos) << ran.out;
  EXPECT_EQ(this->ran(kPoints, "other").code, 2);
}

TEST_F(OwnFile, WhoseFiguresCannotBeIsRefused) {
  file("s.yaml", testing::kShaped);
  const auto refused = [&](const std::string& from, const std::string& to, const std::string& said) {
    std::string text = kPoints;
    text.replace(text.find(from), from.size(), to);
    const Ran ran = this->ran(text);
    EXPECT_EQ(ran.code, 3);
    EXPECT_NE(ran.said.find(said), std::string::npos) << ran.said;
  };
  refused("users: [1], lines: [here, there]", "users: [1, 3], lines: [here, there]",
          "found 1 flows that come before those of the name cross, expected 3");
  refused("lines: [here, there], x", "lines: [here, nowhere], x", "found nowhere, expected one of `lines`");
  refused("x: [10, 20]", "x: []", "found 1 `users`, 2 `lines` and 0 `x`");
  refused("<x+1>", "<x-1>", "<x-1>ms");
  refused("charts:", "rows: {one: {}}\ncharts:", "found `rows` and `figures`, expected one of them");
  refused(
      "figures:\n  delay: {users: [1], lines: [here, there], x: [10, 20]}\ncharts: {delay: {title: Goodput, "
      "axis: delay, figure: delay, users: 1}}",
      "", "found nothing to simulate, expected `rows`, `figures` or `scenes`");
}

}  // namespace
}  // namespace lab
