#include "config/notation/yaml.h"

#include <random>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/runs.h"
#include "tests/unit/config/support.h"

namespace config {
namespace {

using testing::all_problems;
using testing::minimal;

std::string problems_of(const std::string& text) { return all_problems(load_text(text, "t")); }

std::string with_classes(const std::string& classes) { return minimal("classes:\n" + classes); }

TEST(Yaml, AliasesAndMergeKeysWorkAndOwnKeysCountFirst) {
  const auto loaded = load_text(with_classes("  a: &a\n"
                                             "    downlink: &leg {rate: 1M, buffer: {sdus: 7}}\n"
                                             "    uplink: {rate: 2M}\n"
                                             "  b: {downlink: *leg}\n"
                                             "  c: {<<: *a, downlink: {<<: [*leg], rate: 3M}}\n"),
                                "t");
  ASSERT_TRUE(loaded) << all_problems(loaded);
  EXPECT_EQ(loaded->classes[1].downlink, loaded->classes[0].downlink);
  EXPECT_EQ(loaded->classes[2].uplink.rate, 2'000'000u);
  EXPECT_EQ(loaded->classes[2].downlink.rate, 3'000'000u);
  EXPECT_EQ(loaded->classes[2].downlink.buffer.sdus, 7u);
}

TEST(Yaml, AMergeOfSomethingElseThanAMapIsRefused) {
  EXPECT_NE(problems_of(with_classes("  a: {<<: 5}\n")).find("t:4:7: found `<<` without a map behind it"),
            std::string::npos);
}

TEST(Yaml, AnAliasOfItselfIsRefused) {
  EXPECT_NE(problems_of("version: &a [*a]\n").find("t:1:14: found an alias inside what it stands for"),
            std::string::npos);
}

TEST(Yaml, AnAliasWithoutAnchorIsRefused) {
  EXPECT_NE(
      problems_of("version: *a\n").find("t:1:10: this is not YAML: the referenced anchor is not defined"),
      std::string::npos);
}

TEST(Yaml, NestedAliasesDoNotMultiply) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 25; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before;
    for (int k = 0; k < 9; ++k) text += ", " + before;
    text += "]\n";
  }
  EXPECT_NE(problems_of(text + minimal("log: {level: *a24}\n")).find("log.level: found a list"),
            std::string::npos);
}

TEST(Yaml, MergesThatCopyMillionsOfKeysAreRefused) {
  std::string text = "base: &base {";
  for (int i = 0; i < 3000; ++i) text += "k" + std::to_string(i) + ": 1, ";
  text += "end: 1}\nlist:\n";
  for (int i = 0; i < 3000; ++i) text += "  - {<<: *base}\n";
  EXPECT_NE(problems_of(text).find("found too many entries copied by `<<`"), std::string::npos);
}

TEST(Yaml, DeepNestingIsRefusedWithoutCrash) {
  const std::string message = "found more than 32 lists or maps inside each other";
  EXPECT_NE(problems_of("a: " + std::string(1'000'000, '[')).find(message), std::string::npos);
  EXPECT_NE(problems_of("a: " + std::string(100'000, '{')).find(message), std::string::npos);
  std::string maps, dashes;
  for (std::size_t i = 0; i < 1000; ++i) maps += std::string(i, ' ') + "a:\n";
  EXPECT_NE(problems_of(maps).find(message), std::string::npos);
  for (int i = 0; i < 100'000; ++i) dashes += "- ";
  EXPECT_NE(problems_of(dashes).find(message), std::string::npos);
}

TEST(Yaml, ASecondDocumentIsRefused) {
  EXPECT_NE(problems_of(minimal() + "---\nversion: 1\n").find("found a second document"), std::string::npos);
}

TEST(Yaml, TheWordNullIsTextAndAnEmptyValueIsNone) {
  EXPECT_TRUE(load_text(minimal(), "t"));  // device: null
  EXPECT_NE(problems_of(minimal("log:\n  level:\n  format: text\n")).find("t:4:3: log.level: found nothing"),
            std::string::npos);
}

TEST(Yaml, ControlCharactersAndOtherEncodingsAreRefused) {
  EXPECT_NE(problems_of("version: 1\x04\n").find("t:1:11: found the byte 0x04"), std::string::npos);
  EXPECT_NE(problems_of(std::string("v\0e\0", 4)).find("t:1:2: found the byte 0x00"), std::string::npos);
}

TEST(Yaml, WhatIsNoUtf8IsRefusedWhereItStands) {
  for (const auto* bad : {"\xff", "\xc3", "\xc0\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xe2\x82"}) {
    EXPECT_NE(problems_of(minimal("control: {socket: '/a" + std::string(bad) + "b'}\n"))
                  .find("t:3:22: found the byte"),
              std::string::npos);
  }
  EXPECT_TRUE(load_text(minimal("control: {socket: '/\u20ac\U0001f4e1'}\n"), "t"));
}

TEST(Yaml, AByteOrderMarkAndWindowsLineEndsAreFine) {
  std::string text = minimal("log: {level: info}\n");
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2) text.insert(at, "\r");
  EXPECT_TRUE(load_text("\xef\xbb\xbf" + text, "t")) << problems_of(text);
}

TEST(Yaml, AKeyThatIsAListIsRefused) {
  EXPECT_NE(problems_of(minimal("? [a]\n: b\n")).find("found a key that is no text"), std::string::npos);
}

TEST(Yaml, LongAndStrangeTextIsShortenedInMessages) {
  const auto text = problems_of(minimal("log: {level: \"a\\tb" + std::string(5000, 'x') + "\"}\n"));
  EXPECT_LT(text.size(), 250u);
  EXPECT_NE(text.find("found 'a?bxxx"), std::string::npos) << text;
}

// Whatever the damage, the answer is a Config or problems.
TEST(Yaml, DamagedTextsNeverCrash) {
  const std::string good = testing::read_text("config/rncd.example.yaml");
  const std::string bytes = "{}[]:,-&*<|>!%@`\"'#?\n \t~01k\xff\x80";
  std::mt19937 random(1);
  for (auto left = dp::test::runs_of(3'000); left > 0; --left) {
    std::string text = good;
    for (auto edits = random() % 4 + 1; edits > 0; --edits) {
      const std::size_t at = random() % text.size(), span = random() % 40;
      const char byte = bytes[random() % bytes.size()];
      switch (random() % 4) {
        case 0:
          text[at] = byte;
          break;
        case 1:
          text.insert(at, 1, byte);
          break;
        case 2:
          text.erase(at, span);
          break;
        default:
          text.insert(at, text.substr(random() % text.size(), span));
          break;
      }
      if (text.empty()) text = " ";
    }
    const auto loaded = load_text(text, "t");
    ASSERT_NE(loaded.value.has_value(), !loaded.problems.empty()) << text;
  }
}

}  // namespace
}  // namespace config
