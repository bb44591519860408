#include "control/loop/log.h"

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

TEST(Log, JsonKeepsNumbersAndEscapesText) {
  const std::string line = format_event(LogFormat::json, Level::warning, "x", {{"n", 3}, {"t", "a\"\xff"}});
  const auto json = nlohmann::json::parse("{" + line + "}");
  EXPECT_EQ(json["level"], "warning");
  EXPECT_EQ(json["n"], 3);
  EXPECT_EQ(json["t"], "a\"\xef\xbf\xbd");
}

}  // namespace
}  // namespace control::log
