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

TEST(TunnelCommands, ShowTunnelsListsThoseOfAUeOrThatLeadToAPeer) {
  FakeCaller caller;
  const Json tunnel{{"ue", "10.45.0.2"},
                    {"direction", "downlink"},
                    {"endpoint", "192.0.2.12"},
                    {"teid", 34},
                    {"qfi", 9},
                    {"stale", true},
                    {"changes", 3},
                    {"since_seconds", 12.5}};
  caller.answers = {{{"items", {tunnel}}, {"next", nullptr}}};
  const std::string text =
      shown(caller, {"show", "tunnels", "10.45.0.2", "--peer", "192.0.2.0/28", "--wide"}).out;
  EXPECT_EQ(caller.asked.at(0).first, "tunnel.list");
  EXPECT_EQ(caller.asked.at(0).second, (Json{{"ue", "10.45.0.2"}, {"peer", "192.0.2.0/28"}, {"limit", 100}}));
  for (const char* part : {"10.45.0.2", "downlink", "192.0.2.12", "0x00000022", " 9 ", "  3\n", "yes"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  FakeCaller none;
  none.answers = {{{"items", Json::array()}, {"next", nullptr}}};
  EXPECT_EQ(shown(none, {"show", "tunnels"}).out, "no tunnels\n");
  EXPECT_EQ(none.asked.at(0).second, (Json{{"limit", 100}}));
}

}  // namespace
}  // namespace ctl
