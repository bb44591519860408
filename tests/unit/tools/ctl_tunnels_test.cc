// Commands of rncctl about tunnels.
#include <gtest/gtest.h>

#include "tests/support/fake_caller.h"

namespace ctl {
namespace {

TEST(TunnelCommands, BearerSetTellsTunnels) {
  const auto asked = asked_by({"bearer", "set", "10.45.0.2", "--tunnel", "192.0.2.12,0x22,9",
                               "--uplink-tunnel", "2001:db8:1::7,4294967295", "--handover", "send"});
  EXPECT_EQ(asked.second, (Json{{"ue", "10.45.0.2"},
                                {"tunnel",
                                 {{"downlink", {{"endpoint", "192.0.2.12"}, {"teid", 34}, {"qfi", 9}}},
                                  {"uplink", {{"endpoint", "2001:db8:1::7"}, {"teid", 4294967295}}},
                                  {"handover", "send"}}}}));
  for (const char* bad : {"192.0.2.12", "192.0.2.12,", "192.0.2.12,x", "192.0.2.12,1,2,3", "192.0.2.12,1x"}) {
    EXPECT_THROW(asked_by({"bearer", "set", "10.45.0.2", "--tunnel", bad}), CLI::ValidationError) << bad;
  }
}

}  // namespace
}  // namespace ctl
