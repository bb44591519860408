#include "control/plane/learning_log.h"

#include <gtest/gtest.h>

namespace control {
namespace {

std::string line(const std::optional<log::Fields>& fields) {
  return fields ? log::format_event(config::LogFormat::text, log::Level::warning, "ues_not_learnt", *fields)
                : "";
}

TEST(LearningLog, TellsOfRefusedUesAtMostOnceAMinute) {
  LearningLog learning;
  dp::FrameAccount account;
  const LearningLog::Clock::time_point start{};
  const std::vector<std::string> full{"10.46.0.0/16"};
  EXPECT_EQ(line(learning.sample(account, full, start)), "") << "nothing was refused";
  account.passed[1][dp::index(dp::PassReason::learn_limit)].frames = 5;
  account.dropped[1][dp::index(dp::DropReason::learn_limit)].frames = 2;
  const std::string first = line(learning.sample(account, full, start));
  EXPECT_NE(first.find("frames_limit=7"), std::string::npos) << first;
  EXPECT_NE(first.find("10.46.0.0/16"), std::string::npos) << first;
  account.passed[1][dp::index(dp::PassReason::learn_limit)].frames = 1000;
  EXPECT_EQ(line(learning.sample(account, full, start + std::chrono::seconds(59))), "");
  const std::string later = line(learning.sample(account, full, start + std::chrono::seconds(60)));
  EXPECT_NE(later.find("frames_limit=995"), std::string::npos) << later;
  EXPECT_EQ(line(learning.sample(account, full, start + std::chrono::hours(1))), "");
}

TEST(LearningLog, AnEmptyPoolIsReportedApart) {
  LearningLog learning;
  dp::FrameAccount account;
  account.passed[1][dp::index(dp::PassReason::stock_empty)].frames = 3;
  const std::string text = line(learning.sample(account, {}, {}));
  EXPECT_NE(text.find("frames_limit=0 frames_stock_empty=3"), std::string::npos) << text;
}

TEST(LearningLog, AFullCellIsToldWithItsMend) {
  LearningLog learning;
  dp::FrameAccount account;
  account.dropped[0][dp::index(dp::DropReason::cell_full)].frames = 4;
  const std::string text = line(learning.sample(account, {}, {}));
  EXPECT_NE(text.find("frames_stock_empty=0 frames_cell_full=4"), std::string::npos) << text;
  EXPECT_NE(text.find("more `members` of the cell"), std::string::npos) << text;
}

}  // namespace
}  // namespace control
