// Files of recorded links, and the settings of a cell's radio.
#include "config/radio.h"

#include <gtest/gtest.h>

#include "config/choice.h"
#include "config/notation/yaml.h"
#include "dataplane/link/registry.h"
#include "tests/unit/config/support.h"

namespace config {
namespace {

std::string problems_of_radio_trace(std::string_view text) {
  return testing::all_problems(parse_radio_trace(text, "a.trace"));
}

TEST(RadioTrace, EachLineIsAMillisecondAndBlankLinesAndCommentsAreNone) {
  const auto trace = parse_radio_trace("# LTE\n0\n1\r\n\n 1 \n30", "a.trace");
  ASSERT_TRUE(trace);
  EXPECT_EQ((*trace)->at, (std::vector<std::uint32_t>{0, 1, 1, 30}));
  EXPECT_EQ((*trace)->path, "a.trace");
}

TEST(RadioTrace, WhatIsNoMillisecondIsToldByItsLineAndNotByItsWords) {
  EXPECT_EQ(
      problems_of_radio_trace("1\nsecret\n2 3\n"),
      "a.trace:2:1: found what is no number of milliseconds, expected the millisecond in which 1500 bytes "
      "may leave, in ascending order\n"
      "a.trace:3:1: found what is no number of milliseconds, expected the millisecond in which 1500 bytes "
      "may leave, in ascending order\n");
  for (const auto* word : {"-1", "1.5", "4294967296", "0x10", "1ms"}) {
    EXPECT_NE(problems_of_radio_trace(word).find("a.trace:1:1: found what is no number"), std::string::npos)
        << word;
  }
  EXPECT_NE(problems_of_radio_trace("5\n4\n").find(
                "a.trace:2:1: found a millisecond before that of the line above"),
            std::string::npos);
}

TEST(RadioTrace, WithoutALengthItIsRefused) {
  EXPECT_EQ(problems_of_radio_trace("# 1\n"), "a.trace: found no milliseconds, expected one a line\n");
  EXPECT_EQ(
      problems_of_radio_trace("0\n0\n"),
      "a.trace: found 0 as the last millisecond, expected the length of the trace, which repeats then\n");
}

TEST(RadioTrace, AFileOfAnotherKindGetsAFewProblemsAndNotAThousand) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "no trace\n";
  EXPECT_EQ(parse_radio_trace(text, "a.trace").problems.size(), 10u);
}

std::string read_link(const std::string& text, dp::LinkConfig& into, bool strict = false) {
  Tree tree("t");
  std::vector<Problem> problems;
  Reader reader(tree, "link", strict);
  const auto root = parse_yaml(text, tree, 0, problems);
  if (root) load_value(reader, tree.node(*root), Choice<dp::LinkList>{}, into);
  std::string out;
  for (const auto& p : reader.take()) out += to_string(p) + "\n";
  return out;
}
dp::CellSpec::Config cell_of(const std::string& text) {
  dp::LinkConfig link;
  EXPECT_EQ(read_link(text, link), "");
  return std::get<dp::CellSpec::Config>(link);
}
std::string_view model_of(const dp::CellSpec::Config& cell) {
  return dp::RadioList::kNames[static_cast<std::size_t>(cell.radio)];
}

TEST(CellRadio, IsHdrUnlessAnotherIsNamed) {
  const auto old = cell_of("{cell: {doppler: 5, snr: 3}}");
  EXPECT_EQ(model_of(old), "hdr");
  EXPECT_EQ(old.doppler, 5);
  EXPECT_EQ(model_of(cell_of("cell")), "hdr");
}

TEST(CellRadio, IsANameWithItsSettingsBesideItOrAMapOfItsOwn) {
  const auto beside = cell_of("{cell: {radio: constant, rate: 2M}}");
  EXPECT_EQ(model_of(beside), "constant");
  EXPECT_EQ(beside.rate, 2'000'000u);
  EXPECT_EQ(cell_of("{cell: {radio: {constant: {rate: 2M}}}}"), beside);
  const auto reported = cell_of("{cell: {radio: {reported: {initial: 1M, valid: 200ms}}}}");
  EXPECT_EQ(model_of(reported), "reported");
  EXPECT_EQ(reported.valid, dp::Duration{200'000'000});
  dp::LinkConfig link;
  EXPECT_NE(read_link("{cell: {radio: {constant: {snr: 1}}}}", link).find("snr"), std::string::npos)
      << "a map has the model's own settings";
  EXPECT_NE(read_link("{cell: {radio: hrd}}", link).find("hdr"), std::string::npos);
}

TEST(CellRadio, IsPrintedAsItIsRead) {
  const auto made = cell_of("{cell: {radio: constant, rate: 3M, snr: 2}}");
  EXPECT_EQ(cell_of(Choice<dp::LinkList>{}.print(made).dump()), made);
}

TEST(CellRadio, ARequestNamesNoFile) {
  dp::LinkConfig link;
  EXPECT_NE(read_link(R"({"cell": {"radio": "trace", "trace": "/etc/passwd"}})", link, true)
                .find("expected none; a recorded link is named in a scenario"),
            std::string::npos);
}

}  // namespace
}  // namespace config
