// Pictures of a sweep: their names and printed points, which for the papers' sweeps are those of their
// tables.
#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "config/notation/files.h"
#include "tests/unit/lab/support.h"
#include "tools/common/process.h"
#include "tools/lab/batch/sweep.h"
#include "tools/lab/papers/catalogue.h"

namespace lab {
namespace {

constexpr std::string_view kSweep = R"(version: 1
scenario: base.yaml
grid: {flows.0.count: [1, 4], buffer: [20, 50], rate: [64k, 128k]}
beside: {drop-tail: {aqm: drop-tail}}
pictures:
  Somebody's Fig. 1:
    of: [4]
    printed:
      - {at: [20, 128k], goodput_kbit_s: [100, 5], delay_s: [0.5, 0.1]}
      - {at: [drop-tail], goodput_kbit_s: [90, 4]}
)";

config::Checked<Sweep> changed(std::string_view from = "", std::string_view to = "") {
  std::string text(kSweep);
  text.replace(text.find(from), from.size(), to);
  return load_sweep(text, "s.yaml");
}

TEST(SweepPictures, OfChoicesThatTheGridHasNotAreRefused) {
  const auto fault = [](std::string_view from, std::string_view to) {
    const auto loaded = changed(from, to);
    return loaded ? "" : to_string(loaded.problems.front());
  };
  EXPECT_NE(fault("of: [4]", "of: [2]").find("found 2, expected a choice of `flows.0.count`"),
            std::string::npos);
  EXPECT_NE(fault("of: [4]", "of: []").find("found 0 choices, expected 1, one of each label"),
            std::string::npos);
  EXPECT_NE(fault("[20, 128k]", "[30, 128k]").find("found 30, expected a choice of `buffer`"),
            std::string::npos);
  EXPECT_NE(fault("[drop-tail]", "[red]").find("found 1 choices, expected 2"), std::string::npos);
  EXPECT_NE(fault("{flows.0.count: [1, 4], buffer: [20, 50], rate: [64k, 128k]}", "{rate: [64k, 128k]}")
                .find("expected two labels in `grid`"),
            std::string::npos);
}

Json made_up_row(const std::string& id) {
  RunFigures run;
  run.goodput = 99;
  run.delay = 0.4;
  return row_json(id, 1, RowSummary(std::span(&run, 1)));
}

TEST(SweepPictures, HaveTheNameAndThePrintedPointsBesideOurs) {
  const auto sweep = changed();
  ASSERT_TRUE(sweep) << to_string(sweep.problems.front());
  std::vector<SweepRow> rows;
  for (const SweepPoint& point : sweep->points) rows.push_back({point.choices, made_up_row(point.label)});
  const tools::ScratchFolder scratch;
  draw_sweep(scratch.path(), "base.yaml", sweep->axes, rows, sweep->pictures);
  const auto of = [&](const std::string& file) { return testing::content(scratch.path() / file); };
  EXPECT_NE(of("sweep-count-4.gp").find("\"Somebody's Fig. 1: base.yaml: count 4\""), std::string::npos);
  EXPECT_NE(of("sweep-count-1.gp").find("title \"base.yaml: count 1\""), std::string::npos);
  const std::string csv = of("sweep-count-4.csv");
  EXPECT_NE(csv.find("\"buffer 20 printed goodput_kbit_s\",\"buffer 20 printed goodput_ci90\""),
            std::string::npos);
  EXPECT_NE(csv.find("\"128k\",99,0,0.4,0,99,0,0.4,0,99,0,0.4,0,100,5,0.5,0.1,90,4,nan,0\n"),
            std::string::npos)
      << csv;
  EXPECT_NE(csv.find("\"64k\",99,0,0.4,0,99,0,0.4,0,99,0,0.4,0,nan,nan,nan,nan,90,4,nan,0\n"),
            std::string::npos)
      << csv;
  EXPECT_EQ(of("sweep-count-1.csv").find("printed"), std::string::npos);
  EXPECT_GT(std::filesystem::file_size(scratch.path() / "sweep-count-4.png"), 1'000u);
}

// The rows of the papers' tables with these values.
std::vector<const PaperRow*> rows_with(const PrintedPoint& point) {
  std::vector<const PaperRow*> all;
  for (const char* name : {"000", "002"}) {
    for (const PaperRow& row : (*find_paper(name))->rows) {
      if (row.goodput_kbit_s.mean == point.goodput_kbit_s.mean &&
          row.goodput_kbit_s.ci90 == point.goodput_kbit_s.ci90 && row.delay_s.mean == point.delay_s.mean &&
          row.delay_s.ci90 == point.delay_s.ci90) {
        all.push_back(&row);
      }
    }
  }
  return all;
}

TEST(SweepPictures, OfThePapersHaveTheFiguresNumbersAndTheirTablesPoints) {
  std::string names;
  std::size_t points = 0;
  for (const char* name : {"000-fig1.yaml", "000-ack-rate.yaml", "002-sbd.yaml", "002-red.yaml"}) {
    const std::string path = std::string(RNCD_SOURCE_ROOT) + "/tools/lab/scenarios/" + name;
    const auto text = config::read_file(path);
    ASSERT_TRUE(text) << path;
    const auto sweep = load_sweep(*text, name);
    ASSERT_TRUE(sweep) << to_string(sweep.problems.front());
    for (const SweepPicture& picture : sweep->pictures) {
      names += picture.name + "; ";
      for (const PrintedPoint& point : picture.printed) {
        SCOPED_TRACE(picture.name + ", " + point.at[0]);
        const auto rows = rows_with(point);
        ASSERT_GE(rows.size(), 1u) << "of a row of a table, which may have another form";
        const PaperRow& row = *rows[0];
        ++points;
        if (picture.of.empty()) {
          EXPECT_EQ(row.value("flows"), point.at[0]);
          EXPECT_EQ(row.value("buffer"), point.at[1]);
          continue;
        }
        EXPECT_EQ(row.value("flows"), picture.of[0]);
        if (row.paper == "000") continue;
        EXPECT_EQ(row.value("rate"), picture.of[1]);
        EXPECT_NE(row.value("aqm").find("minth: " + point.at[0]), std::string::npos) << row.value("aqm");
        EXPECT_NE(row.value("aqm").find(": " + point.at[1] + ","), std::string::npos) << row.value("aqm");
      }
    }
  }
  EXPECT_EQ(points, 4u + 8 + 8 + 8);
  for (const char* figure : {"000 Fig. 1, 002 Fig. 1;", "000 Fig. 7 (a);", "000 Fig. 7 (b);", "000 Fig. 8;",
                             "000 Fig. 9;", "000 Fig. 10;", "000 Fig. 11;"}) {
    EXPECT_NE(names.find(figure), std::string::npos) << figure << names;
  }
  for (int figure = 6; figure <= 13; ++figure) {
    EXPECT_NE(names.find("002 Fig. " + std::to_string(figure) + ";"), std::string::npos) << figure << names;
  }
}

}  // namespace
}  // namespace lab
