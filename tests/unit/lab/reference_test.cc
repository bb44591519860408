// The tables of tools/lab/REFERENCE.md are the ones that the code makes. RNCD_WRITE_REFERENCE=1 writes them
// anew.
#include <algorithm>
#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

#include "config/help.h"
#include "tests/unit/config/support.h"
#include "tools/lab/figures/embedded.h"
#include "tools/lab/figures/summary.h"
#include "tools/lab/papers/catalogue.h"
#include "tools/lab/scenario/scenario.h"

namespace lab {
namespace {

constexpr const char *kReference = "tools/lab/REFERENCE.md", *kManual = "tools/lab/README.md";

// Legs have rncd's keys, which config/REFERENCE.md has.
std::string scenario_keys() {
  auto rows = list_scenario();
  std::erase_if(rows, [](const config::HelpRow& row) { return row.path.starts_with("classes."); });
  return config::help_markdown(rows);
}

std::string quantities() {
  std::string out = "| member | is |\n| --- | --- |\n";
  for (const Quantity& q : kQuantities)
    out += "| `" + std::string(q.key) + "` | " + std::string(q.doc) + " |\n";
  return out;
}

void compare(const std::string& name, const std::string& made) {
  const std::string begin = "<!-- " + name + ": begin -->\n", end = "<!-- " + name + ": end -->";
  const std::string readme = config::testing::read_text(kReference);
  const auto from = readme.find(begin), to = readme.find(end);
  ASSERT_NE(from, std::string::npos);
  ASSERT_NE(to, std::string::npos);
  const auto first = from + begin.size();
  if (std::getenv("RNCD_WRITE_REFERENCE") != nullptr) {
    std::ofstream(config::testing::source_path(kReference))
        << readme.substr(0, first) << made << readme.substr(to);
    return;
  }
  EXPECT_EQ(readme.substr(first, to - first), made)
      << "write it anew: RNCD_WRITE_REFERENCE=1 lab_tests --gtest_filter='LabReference.*'";
}

TEST(LabReference, OfScenariosIsTheOneThatIsGenerated) { compare("keys", scenario_keys()); }

TEST(LabReference, OfExperimentsIsTheOneThatIsGenerated) {
  compare("experiment", config::help_markdown(list_paper()));
}

TEST(LabReference, OfFiguresIsTheOneThatIsGenerated) { compare("quantities", quantities()); }

// Members of a family have the names of the literature (`drop-tail`); keys are written with `_`.
TEST(LabReference, NoKeyHasAHyphen) {
  for (const config::HelpRow& row : list_scenario()) {
    if (row.section) continue;
    EXPECT_EQ(row.path.find('-', row.path.find_last_of('.') + 1), std::string::npos) << row.path;
  }
}

TEST(LabReference, NamesEveryRowOfTheCatalogue) {
  const std::string readme = config::testing::read_text(kManual);
  for (const char* paper : {"000", "002"}) {
    for (const PaperRow& row : (*find_paper(paper))->rows) {
      EXPECT_NE(readme.find(row.id), std::string::npos) << row.id;
    }
  }
}

// The file inside `rnclab paper` is the one that users read.
TEST(EmbeddedFile, IsTheFileOfTheTree) {
  for (const Paper& paper : papers()) {
    EXPECT_EQ(embedded_file(paper.file), config::testing::read_text("tools/lab/" + paper.file));
    EXPECT_EQ(paper.scenario_text, config::testing::read_text("tools/lab/scenarios/" + paper.scenario));
  }
  EXPECT_EQ(embedded_file("none.yaml"), "");
}

TEST(EmbeddedFile, LoadsForEveryRowOfTheCatalogue) {
  for (const char* name : {"000", "002"}) {
    const Paper& paper = **find_paper(name);
    for (const PaperRow& row : paper.rows) {
      const auto loaded = load_scenario(paper.scenario_text, "papers", row.overrides);
      ASSERT_TRUE(loaded) << row.id << ": " << config::testing::all_problems(loaded);
      EXPECT_EQ(loaded->flows[0].count, row.flows());
      EXPECT_EQ(loaded->classes[0].downlink.rate, std::stoul(row.value("rate")) * 1000);
      EXPECT_EQ(loaded->classes[0].downlink.buffer.sdus, std::stoul(row.value("buffer")));
      EXPECT_EQ(loaded->runs, 20u);
    }
  }
}

}  // namespace
}  // namespace lab
