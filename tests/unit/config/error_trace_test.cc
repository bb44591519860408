// Files of channel errors, and the setting that names one.
#include "config/traces/error_trace.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "config/choice.h"
#include "config/notation/yaml.h"
#include "tests/unit/config/support.h"

namespace config {
namespace {

std::string problems_of_trace(std::string_view text) {
  return testing::all_problems(parse_error_trace(text, "a.trace"));
}

TEST(ErrorTrace, EachMarkIsAFrameAndSpaceAndCommentsAreNone) {
  const auto trace = parse_error_trace("# 2 frames: 01\n01 .x\r\n\n\t1 # 111\n0", "a.trace");
  ASSERT_TRUE(trace);
  EXPECT_EQ((*trace)->lost, (std::vector<bool>{false, true, false, true, true, false}));
  EXPECT_EQ((*trace)->path, "a.trace");
}

TEST(ErrorTrace, WhatIsNoMarkIsToldByItsPlaceAndNotByItsWords) {
  EXPECT_EQ(
      problems_of_trace("01\n0 1yes 2\n"),
      "a.trace:2:4: found what is no mark, expected 0 or . (received), 1 or x (lost), white space, or # "
      "and a comment\n");
  EXPECT_EQ(problems_of_trace("2\n01\nsecret").find("secret"), std::string::npos);
  EXPECT_NE(problems_of_trace("2\n01\nX").find("a.trace:3:1: found what is no mark"), std::string::npos);
  EXPECT_NE(problems_of_trace("0\xff\n").find("a.trace:1:2: found what is no mark"), std::string::npos);
}

TEST(ErrorTrace, AFileOfAnotherKindGetsAFewProblemsAndNotAThousand) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "no trace\n";
  EXPECT_EQ(parse_error_trace(text, "a.trace").problems.size(), 10u);
}

TEST(ErrorTrace, WithoutAMarkItIsRefused) {
  for (const auto* text : {"", "\n\n", "# 0101\n", "   "}) {
    EXPECT_EQ(problems_of_trace(text),
              "a.trace: found no marks, expected one a TTI: 0 or . (received), 1 or x (lost)\n");
  }
}

TEST(ErrorTrace, AFileThatCannotBeReadSaysWhy) {
  EXPECT_EQ(testing::all_problems(load_error_trace("no/such.trace")),
            "no/such.trace: cannot be read: No such file or directory; give the path of an error trace\n");
  EXPECT_EQ(testing::all_problems(load_error_trace("/dev/zero")),
            "/dev/zero: is no regular file; give the path of an error trace\n");
}

// A family with a channel, as the `am` link is one.
struct Fading {
  static constexpr std::string_view kName = "fading";
  static constexpr std::string_view kDoc = "has a channel";
  struct Config : dp::ChannelSettings {
    static constexpr auto kFields = dp::kChannelFields;
  };
};
using FadingList = dp::TypeList<Fading>;

class TraceSetting : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }

  std::string read(const std::string& text, FadingList::Configs& into) {
    Tree tree("t");
    std::vector<Problem> problems;
    Reader reader(tree, "link", false);
    const auto root = parse_yaml(text, tree, 0, problems);
    if (root) load_value(reader, tree.node(*root), Choice<FadingList>{}, into);
    std::string out;
    for (const auto& p : reader.take()) out += to_string(p) + "\n";
    return out;
  }

  std::string path_ =
      (std::filesystem::temp_directory_path() / ("rncd-" + std::to_string(getpid()) + ".trace")).string();
};

TEST_F(TraceSetting, IsReadWithTheSettingsAndPrintedAsItsPath) {
  std::ofstream(path_) << "0011";
  FadingList::Configs value;
  EXPECT_EQ(read("{fading: {fer: 20%, trace: " + path_ + "}}", value), "");
  const auto& config = std::get<0>(value);
  EXPECT_EQ(config.fer, 0.2);
  ASSERT_TRUE(config.trace);
  EXPECT_EQ(config.trace->lost, (std::vector<bool>{false, false, true, true}));
  FadingList::Configs again;
  EXPECT_EQ(read(Choice<FadingList>{}.print(value).dump(), again), "");
  EXPECT_EQ(static_cast<const dp::ChannelSettings&>(std::get<0>(again)), config);
}

TEST_F(TraceSetting, CanBeNone) {
  FadingList::Configs value;
  EXPECT_EQ(read("{fading: {trace: none}}", value), "");
  EXPECT_FALSE(std::get<0>(value).trace);
  EXPECT_EQ(Choice<FadingList>{}.print(value)["fading"]["trace"], "none");
}

TEST_F(TraceSetting, ABrokenFileIsAProblemOfTheKeyThatNamesIt) {
  std::ofstream(path_) << "00\n0?";
  FadingList::Configs value;
  const auto problems = read("{fading: {trace: " + path_ + "}}", value);
  EXPECT_EQ(problems.rfind(
                "t:1:18: link.fading.trace: " + path_ + ":2:2: found what is no mark, expected 0 or .", 0),
            0u)
      << problems;
  EXPECT_NE(read("{fading: {trace: [a]}}", value).find("found a list, expected none, or the path of a file"),
            std::string::npos);
}

}  // namespace
}  // namespace config
