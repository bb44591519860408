#include "control/told/after.h"

#include <chrono>

#include <gtest/gtest.h>

namespace control::told {
namespace {

TEST(AfterTime, ATimeThatCannotBeWrittenIsNever) {
  EXPECT_EQ(after(dp::time_ns(5), dp::Duration{7}), dp::time_ns(12));
  EXPECT_EQ(after(dp::kNever, std::chrono::seconds(1)), dp::kNever);
  EXPECT_EQ(after(dp::kNever - dp::Duration{5}, dp::Duration{6}), dp::kNever);
  EXPECT_EQ(after(dp::Time::min(), dp::Duration::max()), dp::time_ns(-1));
}

}  // namespace
}  // namespace control::told
