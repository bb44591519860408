// `rncctl show ports`.
#include <string>

#include <gtest/gtest.h>

#include "tools/ctl/views.h"

namespace ctl {
namespace {

TEST(Views, PortsShowTheirStateAndWhyOneIsNotBound) {
  const std::string text = views::ports(
      {{"core", {{"device", "af_xdp:d0"}, {"state", "up"}, {"rebinds", 2}, {"reason", ""}}},
       {"radio", {{"device", "af_xdp:d1"}, {"state", "unbound"}, {"reason", "found MTU 9000"}}}});
  EXPECT_NE(text.find("STATE"), std::string::npos) << text;
  EXPECT_NE(text.find("unbound"), std::string::npos) << text;
  EXPECT_NE(text.find("not bound: found MTU 9000\n"), std::string::npos) << text;
}

TEST(Views, AHintThatBothPortsHaveIsShownOnce) {
  const Json port{{"device", "af_xdp:d0"}, {"hint", "tunnels are spread by their ends"}};
  const std::string text = views::ports({{"core", port}, {"radio", port}});
  const auto first = text.find("\ntunnels are spread by their ends\n");
  EXPECT_NE(first, std::string::npos) << text;
  EXPECT_EQ(text.find("tunnels are", first + 2), std::string::npos) << text;
}

}  // namespace
}  // namespace ctl
