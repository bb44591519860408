// Dedicated bearers of UEs in rncctl's words and views.
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "tests/support/fake_caller.h"
#include "tools/ctl/commands.h"
#include "tools/ctl/views.h"

namespace ctl {
namespace {

TEST(Commands, ADedicatedBearerIsNamedByItsQfiOrTeid) {
  const Json by_qfi{{"ue", "10.45.0.2"}, {"qfi", 1}}, by_teid{{"ue", "10.45.0.2"}, {"teid", "0x21"}};
  EXPECT_EQ(asked_by({"show", "bearer", "10.45.0.2", "--qfi", "1"}).second, by_qfi);
  EXPECT_EQ(asked_by({"show", "bearer", "10.45.0.2", "--teid", "0x21"}).second, by_teid);
  EXPECT_EQ(asked_by({"show", "bearer", "10.45.0.2", "--teid", "33"}).second["teid"], 33);
  EXPECT_EQ(asked_by({"bearer", "set", "10.45.0.2", "--teid", "0x21", "--downlink-teid", "0x11"}).second,
            (Json{{"ue", "10.45.0.2"}, {"teid", "0x21"}, {"downlink_teid", "0x11"}}));
  EXPECT_EQ(asked_by({"bearer", "remove", "10.45.0.2", "--qfi", "1"}).second, (Json{{"ues", {by_qfi}}}));
  EXPECT_EQ(asked_by({"bearer", "move", "10.45.0.2", "--qfi", "1", "--worker", "1"}).second["qfi"], 1);
  EXPECT_EQ(asked_by({"rrc", "10.45.0.2", "--qfi", "1", "--rate", "2M"}).second,
            (Json{{"bearer", "10.45.0.2"}, {"qfi", 1}, {"rate", "2M"}}));
  EXPECT_EQ(asked_by({"relocate", "10.45.0.2", "north", "--qfi", "1"}).second["qfi"], 1);
  EXPECT_EQ(asked_by({"proxy", "drain", "10.45.0.2", "--qfi", "1"}).second, by_qfi);
  EXPECT_THROW(parse({"show", "bearer", "10.45.0.2", "--qfi", "64"}), CLI::ValidationError);
  EXPECT_THROW(parse({"show", "bearer", "10.45.0.2", "--qfi", "1", "--teid", "1"}), CLI::ParseError);
  EXPECT_THROW(parse({"show", "tunnels", "--qfi", "1"}), CLI::ParseError);
  EXPECT_THROW(parse({"bearer", "set", "10.45.0.2", "--downlink-teid", "1"}), CLI::ParseError);
}

TEST(Views, ADedicatedBearerHasItsQfiOrTeidBehindItsUe) {
  const Json list = Json::array({{{"ue", "10.45.0.2"}, {"class", "internet"}},
                                 {{"ue", "10.45.0.2"}, {"class", "voice"}, {"qfi", 1}},
                                 {{"ue", "10.45.0.2"}, {"class", "video"}, {"teid", 33}}});
  const auto text = text_of_list(views::kBearers, list, {});
  for (const char* row :
       {"\n10.45.0.2            internet", "\n10.45.0.2 qfi 1      voice", "\n10.45.0.2 teid 0x21  video"}) {
    EXPECT_NE(text.find(row), std::string::npos) << text;
  }
  EXPECT_TRUE(
      views::bearer(Json{{"ue", "10.45.0.2"}, {"class", "video"}, {"teid", 33}, {"downlink_teid", 17}})
          .starts_with("UE 10.45.0.2 teid 0x21, class video, downlink TEID 0x00000011\n"));
  const Json tunnel{{"ue", "10.45.0.2"}, {"dedicated", {{"qfi", 1}}}, {"teid", 5}, {"qfi", 1}};
  EXPECT_NE(text_of_list(views::kTunnels, Json::array({tunnel}), {}).find("\n10.45.0.2 qfi 1  "),
            std::string::npos);
  const Json changed{{"bearer", "10.45.0.2"}, {"qfi", 1}, {"changed", Json::object()}};
  EXPECT_EQ(views::reconfigured(changed), "10.45.0.2 qfi 1 unchanged\n");
}

}  // namespace
}  // namespace ctl
