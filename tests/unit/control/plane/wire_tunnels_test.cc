#include <gtest/gtest.h>

#include "control/plane/shortcut_keeper.h"
#include "tests/support/test_runtime.h"
#include "tests/support/tunnels.h"

namespace control {
namespace {

using dp::GtpUSettings;

class WireTunnelsTest : public ::testing::Test {
 protected:
  std::size_t sent() const { return runtime.wire_tunnels.size(); }

  dp::test::TestRuntime runtime{16};
  WireTunnels tunnels{runtime};
};

TEST_F(WireTunnelsTest, AreSentFirstAndWhenTheyChange) {
  tunnels.configure({});
  ASSERT_EQ(sent(), 1u);
  EXPECT_TRUE(runtime.wire_tunnels.back().peers.empty());
  tunnels.configure({});
  EXPECT_EQ(sent(), 1u);
  const GtpUSettings some = dp::test::tunnels_of_tests();
  tunnels.configure(some);
  tunnels.configure(some);
  ASSERT_EQ(sent(), 2u);
  EXPECT_EQ(runtime.wire_tunnels.back(), some);
  tunnels.configure({});
  EXPECT_EQ(sent(), 3u);
}

TEST_F(WireTunnelsTest, AreSentAgainAfterAnError) {
  const GtpUSettings some = dp::test::tunnels_of_tests();
  tunnels.configure({});
  runtime.takes_wire_tunnels = false;
  tunnels.configure(some);
  runtime.takes_wire_tunnels = true;
  tunnels.configure(some);
  EXPECT_EQ(sent(), 3u);
  // An error leaves neither the former settings nor the new ones in force.
  runtime.takes_wire_tunnels = false;
  tunnels.configure({});
  runtime.takes_wire_tunnels = true;
  tunnels.configure(some);
  EXPECT_EQ(sent(), 5u);
}

}  // namespace
}  // namespace control
