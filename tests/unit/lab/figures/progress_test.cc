#include "tools/lab/figures/progress.h"

#include <gtest/gtest.h>

namespace lab {
namespace {

TEST(ProgressText, AtAThirdHasAThirdOfTheBarAndTwiceTheTimeLeft) {
  EXPECT_EQ(progress_text("runs", 10, 30, 6), "runs [##########--------------------] 10/30, 12 s left");
}

TEST(ProgressText, LongerThanAMinuteSaysMinutes) {
  EXPECT_EQ(progress_text("runs", 15, 30, 61), "runs [###############---------------] 15/30, 1 min 1 s left");
}

TEST(ProgressText, AtBothEndsSaysNothingOfTime) {
  EXPECT_EQ(progress_text("runs", 0, 2, 0), "runs [------------------------------] 0/2");
  EXPECT_EQ(progress_text("runs", 2, 2, 9), "runs [##############################] 2/2");
}

TEST(ProgressText, OfNothingIsAnEmptyBar) {
  EXPECT_EQ(progress_text("runs", 0, 0, 0), "runs [------------------------------] 0/0");
}

}  // namespace
}  // namespace lab
