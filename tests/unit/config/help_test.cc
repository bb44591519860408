#include "config/help.h"

#include <cstdlib>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "tests/unit/config/support.h"

namespace config {
namespace {

TEST(Help, NamesTypeRangeDefaultAndMeaningOfEveryKey) {
  const auto text = help();
  ASSERT_TRUE(text);
  for (const auto* expected :
       {"dataplane.mode\n", "inline, tap, bypass or block\n    default: inline\n",
        "classes.NAME.downlink.rate\n", "rate: 1k to 100G\n", "buffer.sdus\n", "default: 50sdu\n",
        "default: 1MiB\n", "bearers[].limit\n", "default: 4096\n", "default: 0660\n", "duration: 500ns"}) {
    EXPECT_NE(text->find(expected), std::string::npos) << expected << "\n" << *text;
  }
}

TEST(Help, OfASectionHasThatSectionOnly) {
  const auto text = help("log");
  ASSERT_TRUE(text);
  EXPECT_NE(text->find("log.level"), std::string::npos);
  EXPECT_EQ(text->find("dataplane."), std::string::npos);
}

TEST(Help, OfAnUnknownSectionListsTheKnown) {
  const auto text = help("lgo");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().message,
            "found the unknown section 'lgo', expected version, dataplane, modes, profiles, classes, cells, "
            "networks, bearers, control, metrics or "
            "log; did you mean `log`?");
  EXPECT_EQ(text.error().exit_code, 2);
}

TEST(Help, TheReferenceIsTheOneThatIsGenerated) {
  const std::string begin = "<!-- keys: begin -->\n", end = "<!-- keys: end -->";
  const std::string reference = testing::read_text("config/REFERENCE.md");
  const auto from = reference.find(begin), to = reference.find(end);
  ASSERT_NE(from, std::string::npos);
  ASSERT_NE(to, std::string::npos);
  const auto first = from + begin.size();
  if (std::getenv("RNCD_WRITE_REFERENCE") != nullptr) {
    std::ofstream(testing::source_path("config/REFERENCE.md"))
        << reference.substr(0, first) << help_markdown() << reference.substr(to);
    return;
  }
  EXPECT_EQ(reference.substr(first, to - first), help_markdown())
      << "write it anew: RNCD_WRITE_REFERENCE=1 unit_tests --gtest_filter='Help.*'";
}

}  // namespace
}  // namespace config
