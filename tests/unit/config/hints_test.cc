#include "config/hints.h"

#include <string>

#include <gtest/gtest.h>

#include "config/load.h"
#include "tests/unit/config/support.h"

namespace config {
namespace {

using testing::all_problems;
using testing::minimal;

std::vector<std::string> hints(const std::string& buffer, const std::string& more = "") {
  const auto loaded = load_text(
      minimal() + "\nclasses:\n  c: {downlink: {rate: 8M, buffer: " + buffer + "}" + more + "}\n", "t");
  EXPECT_TRUE(loaded) << all_problems(loaded);
  return loaded ? hints_of(*loaded) : std::vector<std::string>{};
}

TEST(Hints, ALimitWhoseDefaultActsBeforeTheOneThatWasChosenIsNamedWithTheMend) {
  const auto many = hints("{sdus: 1000}");
  ASSERT_EQ(many.size(), 1u);
  EXPECT_EQ(many[0],
            "classes.c.downlink.buffer: `sdus` is 1000sdu, but packets of 1500 bytes reach `bytes`, which is "
            "1MiB where nothing is said, after 699; write `bytes: 1.5MB` too");
  const auto large = hints("{bytes: 512KiB}");
  ASSERT_EQ(large.size(), 1u);
  EXPECT_NE(large[0].find("write `sdus: 349` too"), std::string::npos) << large[0];
}

TEST(Hints, LimitsThatWereBothChosenOrBothLeftAloneNeedNone) {
  for (const char* buffer : {"{sdus: 1000, bytes: 1500kB}", "{sdus: 600}", "{bytes: 60kB}", "{}"}) {
    EXPECT_TRUE(hints(buffer).empty()) << buffer << ": " << hints(buffer)[0];
  }
}

TEST(Hints, EachLegIsLookedAt) {
  const auto both = hints("{sdus: 1000}", ", uplink: {rate: 2M, buffer: {sdus: 2000}}");
  ASSERT_EQ(both.size(), 2u);
  EXPECT_NE(both[1].find("classes.c.uplink.buffer"), std::string::npos) << both[1];
}

}  // namespace
}  // namespace config
