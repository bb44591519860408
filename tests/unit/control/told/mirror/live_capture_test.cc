#include "control/told/mirror/live_capture.h"

#include <gtest/gtest.h>

namespace control::told {
namespace {

// Frames of an interface are for the system tests, which have one of their own.
TEST(LiveCapture, NamesTheInterfaceThatItCannotOpen) {
  const auto none = LiveCapture::open("no-such-port", 8805);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message.find("cannot capture on no-such-port: "), 0u) << none.error().message;
}

}  // namespace
}  // namespace control::told
