#include "config/notation/visible_output.h"

#include <sstream>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "config/notation/words.h"

namespace config {
namespace {

const std::pair<const char*, const char*> kHidden[]{
    {"\u202e", "\\u202e"},      {"\u2066", "\\u2066"},
    {"\u200b", "\\u200b"},      {"\u061c", "\\u061c"},
    {"\u2028", "\\u2028"},      {"\u2029", "\\u2029"},
    {"\u0085", "\\u0085"},      {"\ufeff", "\\ufeff"},
    {"\u00ad", "\\u00ad"},      {"\u180e", "\\u180e"},
    {"\x1b", "\\u001b"},        {"\x7f", "\\u007f"},
    {"\r", "\\u000d"},          {"\xff", "\\xff"},
    {"\xe2\x80", "\\xe2\\x80"}, {"\U000e0041", "\\udb40\\udc41"}};

TEST(Escaped, WhatATerminalObeysOrHidesIsWrittenAsJsonDoes) {
  for (const auto& [text, shown] : kHidden) EXPECT_EQ(escaped(text), shown);
  EXPECT_EQ(escaped(std::string_view("a\0b", 3)), "a\\u0000b");
}

TEST(Escaped, AllElseStays) {
  const std::string text = "caf\u00e9\t\u20ac \u0645\u0631\u062d\u0628\u0627\n\U0001f4f6\u00a0";
  EXPECT_EQ(escaped(text), text);
}

TEST(Shorten, CharactersThatAreNotVisibleAreQuestionMarks) {
  EXPECT_EQ(shorten("a\u202eb\u200bc\x1b"), "a?b?c?");
  EXPECT_EQ(shorten("caf\u00e9"), "caf\u00e9");
}

TEST(VisibleOutput, EscapesWhatIsWrittenUntilItsEnd) {
  std::ostringstream stream;
  {
    const VisibleOutput visible(stream);
    stream << "a\u202eb" << 7 << '\x1b' << std::endl;
  }
  EXPECT_EQ(stream.str(), "a\\u202eb7\\u001b\n");
  stream << "\u202e";
  EXPECT_TRUE(stream.str().ends_with("\u202e"));
}

}  // namespace
}  // namespace config
