#include "control/loop/log.h"

#include <utility>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace control::log {
namespace {

using config::LogFormat;

TEST(Log, TextIsKeysAndValuesQuotedWhereNeeded) {
  EXPECT_EQ(format_event(LogFormat::text, Level::info, "bearer.set",
                         {{"pid", 12}, {"ue", "10.45.0.1"}, {"why", "a \"b\"\nc"}, {"empty", ""}}),
            R"(level=info event=bearer.set pid=12 ue=10.45.0.1 why="a \"b\"\nc" empty="")");
}

TEST(Log, WhatIsNotVisibleIsEscapedInBothFormats) {
  // Turns of direction, what has no width, line ends of Unicode, C0, C1, tags beyond the first plane.
  for (const auto& [character, escaped] : {std::pair{"\u202e", "\\u202e"},
                                           {"\u2066", "\\u2066"},
                                           {"\u200b", "\\u200b"},
                                           {"\u061c", "\\u061c"},
                                           {"\u2028", "\\u2028"},
                                           {"\u0085", "\\u0085"},
                                           {"\ufeff", "\\ufeff"},
                                           {"\x1b", "\\u001b"},
                                           {"\x7f", "\\u007f"},
                                           {"\U000e0041", "\\udb40\\udc41"}}) {
    const Fields fields{{"file", std::string("a") + character + "b"}};
    const std::string wanted = std::string("\"a") + escaped + "b\"";
    for (const auto format : {config::LogFormat::text, config::LogFormat::json}) {
      const std::string line = format_event(format, Level::info, "x", fields);
      EXPECT_NE(line.find(wanted), std::string::npos) << line;
      EXPECT_EQ(line.find(character), std::string::npos) << line;
    }
  }
  EXPECT_NE(
      format_event(config::LogFormat::text, Level::info, "x", {{"file", "caf\u00e9"}}).find("file=caf\u00e9"),
      std::string::npos);
}

TEST(Log, JsonKeepsNumbersAndEscapesText) {
  const std::string line = format_event(LogFormat::json, Level::warning, "x", {{"n", 3}, {"t", "a\"\xff"}});
  const auto json = nlohmann::json::parse("{" + line + "}");
  EXPECT_EQ(json["level"], "warning");
  EXPECT_EQ(json["n"], 3);
  EXPECT_EQ(json["t"], "a\"\xef\xbf\xbd");
}

}  // namespace
}  // namespace control::log
