#include "tools/lab/papers/paper_report.h"

#include <gtest/gtest.h>

#include "tests/unit/lab/support.h"
#include "tools/common/process.h"

namespace lab {
namespace {

using testing::keys;

RowSummary summary(double goodput, double delay) {
  RunFigures f;
  f.goodput = goodput;
  f.goodput_1460 = goodput * 1460 / 1500;
  f.delay = delay;
  f.bo = 23.5;
  f.overflow = 12;
  f.flow_seconds = 60;
  f.wall = 0.005;
  RunFigures g = f;
  g.goodput += 10;
  return RowSummary(std::vector{f, g});
}

Experiment experiment() {
  const Paper& paper = **find_paper("000");
  return rows_experiment(paper, *select_rows(paper, {}));
}

Outcome outcome() {
  Outcome o;
  o.results.emplace("A1", summary(280, 0.9));
  o.results.emplace("A6", summary(340, 1.1));
  o.setting = {"0.1.0", "000", 2, 7, 60, false};
  return o;
}

// Others read this: a member may be added, none may go or change its name.
TEST(PaperJson, HasTheDocumentedMembers) {
  const Json json = report_json(experiment(), outcome());
  EXPECT_EQ(keys(json), "version scenario runs seed duration_s partial rows set fitted verdicts claims ");
  const Json& row = json["rows"][0];
  EXPECT_EQ(keys(row),
            "id flows runs goodput_kbit_s goodput_1460_kbit_s delay_s delay_p95_s rtt_s bo_sdu sojourn_s "
            "wait_s drops "
            "retransmissions timeouts jain utilisation capacity_kbit_s carried rlc_retransmission_ratio "
            "transfer_s response_s paper "
            "ratio limit "
            "inside ");
  EXPECT_EQ(
      row["paper"].dump(),
      R"({"goodput_kbit_s":{"mean":281.9,"ci90":8.9},"delay_s":{"mean":0.85,"ci90":0.05},"source":"000 Table 2"})");
  EXPECT_EQ(keys(row["ratio"]), "goodput_kbit_s delay_s ");
  EXPECT_EQ(row["inside"].dump(), R"({"goodput_kbit_s":true,"delay_s":true})");
  EXPECT_EQ(keys(json["claims"][0]), "text paper ours holds required ");
  EXPECT_EQ(json["verdicts"].size(), 5u);
}

TEST(PaperJson, OfAnInterruptedRunHasTheRowsThatThereAre) {
  Outcome o = outcome();
  o.results.erase("A1");
  o.setting.partial = true;
  const Json json = report_json(experiment(), o);
  EXPECT_EQ(json["rows"].size(), 1u);
  EXPECT_EQ(json["partial"], true);
  EXPECT_TRUE(json["claims"].empty());
}

TEST(PaperText, HasARowWithBothValuesTheirRatioAndWhetherItIsInside) {
  const std::string text = report_text(experiment(), outcome());
  EXPECT_NE(text.find("281.9 ± 8.9"), std::string::npos) << text;
  EXPECT_NE(text.find("285.0 ± 31.6  1.011  inside"), std::string::npos) << text;
  EXPECT_NE(text.find("1.150  OUTSIDE"), std::string::npos) << text;
  EXPECT_EQ(text.find("flow-seconds"), std::string::npos) << "of the clock on the wall\n" << text;
  EXPECT_NE(speed_text(outcome().results).find("12000 flow-seconds a second"), std::string::npos);
  EXPECT_EQ(text.find("PARTIAL"), std::string::npos) << text;
}

TEST(PaperText, NamesWhatIsFittedAndWhatTheUserMadeDifferent) {
  Outcome o = outcome();
  o.set = {"flows.0.tcp.min_rto=2s"};
  o.setting.partial = true;
  const std::string text = report_text(experiment(), o);
  EXPECT_NE(text.find("Fitted to the papers' figures"), std::string::npos);
  EXPECT_NE(text.find("--set flows.0.tcp.min_rto=2s"), std::string::npos);
  EXPECT_NE(text.find("PARTIAL"), std::string::npos);
}

TEST(DrawPaper, LeavesAPictureNamedAfterThePaper) {
  const tools::ScratchFolder scratch;
  experiment().draw(scratch.path(), outcome());
  EXPECT_TRUE(std::filesystem::exists(scratch.path() / "paper-000.png"));
}

TEST(CatalogueText, ShowsEveryRowWithItsSource) {
  const std::string text = catalogue_text();
  for (const Paper& paper : papers()) {
    for (const PaperRow& row : paper.rows) {
      EXPECT_NE(text.find("\n" + row.id + " "), std::string::npos) << row.id;
    }
  }
  EXPECT_NE(text.find("Table 6"), std::string::npos);
}

}  // namespace
}  // namespace lab
