// The questions of `rncctl events`, and its output.
#include <cstdlib>
#include <ctime>

#include <gtest/gtest.h>

#include "tests/support/fake_caller.h"

namespace ctl {
namespace {

Json event(int number, double time, const char* code, Json fields) {
  return {
      {"number", number}, {"time", time}, {"level", "info"}, {"event", code}, {"fields", std::move(fields)}};
}

class Events : public ::testing::Test {
 protected:
  Events() {
    setenv("TZ", "UTC", 1);
    tzset();
  }
  FakeCaller caller;
};

TEST_F(Events, AreALineEachWithTheirValues) {
  caller.answers = {
      {{"items",
        {event(7, 1764403200.25, "port_state", {{"port", "core"}, {"index", 4}}),
         event(9, 1764403201, "bearer.set", {{"for", "10.45.0.2"}, {"changes", "rate 8M to 2M"}})}},
       {"next", nullptr},
       {"last", 9},
       {"earlier", 12},
       {"forgotten", 0}}};
  const Shown text = shown(caller, {"events", "10.45.0.2", "--level", "info", "--limit", "5"});
  EXPECT_EQ(text.out,
            "2025-11-29 08:00:00.250  info  port_state  index=4  port=core\n"
            "2025-11-29 08:00:01.000  info  bearer.set  changes=\"rate 8M to 2M\"  for=10.45.0.2\n");
  EXPECT_EQ(text.notes, "rncctl: there are 12 earlier events (--limit N, --since TIME)\n");
  ASSERT_EQ(caller.asked.size(), 1u);
  EXPECT_EQ(caller.asked[0], (std::pair<std::string, Json>(
                                 "event.list", {{"about", "10.45.0.2"}, {"level", "info"}, {"limit", 5}})));
}

TEST_F(Events, OfALastTimeAreReadFromTheBeginningPageByPage) {
  const double now = static_cast<double>(std::time(nullptr));
  Json first = Json::array();
  for (int i = 1; i <= 500; ++i) first.push_back(event(i, now - 7200, "signal", Json::object()));
  caller.answers = {
      {{"items", first}, {"next", 500}, {"last", 500}, {"forgotten", 3}},
      {{"items", {event(501, now - 60, "reloaded", Json::object())}}, {"next", nullptr}, {"last", 501}}};
  const Shown text = shown(caller, {"events", "--since", "10m", "--event", "reloaded"}, true);
  ASSERT_EQ(caller.asked.size(), 2u);
  EXPECT_EQ(caller.asked[0].second, (Json{{"after", 0}, {"event", "reloaded"}, {"limit", 500}}));
  EXPECT_EQ(caller.asked[1].second["after"], 500);
  const Json printed = Json::parse(text.out);
  ASSERT_EQ(printed["items"].size(), 1u);
  EXPECT_EQ(printed["items"][0]["number"], 501);
  EXPECT_EQ(printed["next"], nullptr);
  EXPECT_EQ(printed["earlier"], 0);
}

TEST_F(Events, RefuseATimeWithoutAUnitThatIsKnown) {
  EXPECT_THROW(shown(caller, {"events", "--since", "10 fortnights"}), CLI::ValidationError);
  EXPECT_THROW(shown(caller, {"events", "--since", "1h", "--limit", "5"}), CLI::ExcludesError);
}

}  // namespace
}  // namespace ctl
