// The section `networks`, and the key `network` of bearers and learning rules.
#include "config/networks.h"

#include <string>

#include <gtest/gtest.h>

#include "config/schema.h"
#include "tests/unit/config/support.h"

namespace config {
namespace {

using testing::all_problems;
using testing::minimal;

const std::string kPlainClass = "classes: {web: {downlink: {rate: 2M}}}\n";

Loaded load_networks(const std::string& more) { return load_text(minimal(kPlainClass + more), "t"); }
// The text has one problem, with these words.
void expect_refused(const std::string& more, const std::string& words) {
  const auto loaded = load_networks(more);
  ASSERT_EQ(loaded.problems.size(), 1u) << all_problems(loaded);
  EXPECT_NE(to_string(loaded.problems.front()).find(words), std::string::npos) << all_problems(loaded);
}

TEST(Networks, BearersAndRulesNameTheirsAndAnAddressMayBeInEach) {
  const auto loaded = load_networks(
      "networks: {east: {vlans: [100, 102-110]}, west: {vlans: [200]}, later: {vlans: []}}\n"
      "bearers:\n"
      "  - {ue: 10.45.0.1, class: web}\n"
      "  - {ue: 10.45.0.1, class: web, network: west}\n"
      "  - {ue: 10.45.0.1, class: web, network: east}\n"
      "  - {ue: 10.46.0.0/24, class: web, network: west, learn: uplink}\n"
      "  - {ue: 10.46.0.0/24, class: web, learn: uplink}\n");
  ASSERT_TRUE(loaded) << all_problems(loaded);
  ASSERT_EQ(loaded->bearers.size(), 3u);
  EXPECT_EQ(loaded->bearers[0].ue, *dp::parse_ue("10.45.0.1"));
  EXPECT_EQ(loaded->bearers[1].ue.network, 2u);
  EXPECT_EQ(loaded->bearers[2].ue.network, 1u);
  EXPECT_EQ(loaded->learn[0].network, 0u);
  EXPECT_EQ(loaded->learn[1].network, 2u);

  const auto again = load_text(print_config(*loaded).dump(), "printed");
  ASSERT_TRUE(again) << all_problems(again);
  EXPECT_EQ(*again, *loaded);

  const dp::NetworkMap map = map_of(loaded->networks);
  EXPECT_EQ(map[100], 1);
  EXPECT_EQ(map[101], 0);
  EXPECT_EQ(map[102], 1);
  EXPECT_EQ(map[110], 1);
  EXPECT_EQ(map[111], 0);
  EXPECT_EQ(map[200], 2);
}

TEST(Networks, AVlanIsOfOneNetwork) {
  expect_refused("networks:\n  east: {vlans: [100, 102-110]}\n  west: {vlans: [200, 110-115]}\n",
                 "networks.west.vlans[1]: found VLAN 110, which the network east has already");
  expect_refused("networks: {east: {vlans: [100-120, 110]}}\n",
                 "found VLAN 110, twice in this network; keep one");
}

TEST(Networks, OnlyVlanIdsAndRangesOfThemAreTaken) {
  for (const char* wrong : {"0", "4095", "-1", "20-10", "0-5", "4000-4095", "5-", "-5", "1.5", "a", "1 - 5",
                            "[5]", "true", "1-2-3", "70000"}) {
    SCOPED_TRACE(wrong);
    expect_refused("networks: {east: {vlans: [" + std::string(wrong) + "]}}\n",
                   "a VLAN id from 1 to 4094, or a range such as 101-110");
  }
}

TEST(Networks, TheNameIsOneThatIsDefined) {
  const std::string networks = "networks: {east: {vlans: [1]}}\n";
  expect_refused(networks + "bearers: [{ue: 10.45.0.1, class: web, network: esat}]\n",
                 "a network that is defined under `networks`; did you mean `east`?");
  expect_refused("bearers: [{ue: 10.45.0.0/24, class: web, network: east, learn: uplink}]\n",
                 "a network that is defined under `networks`; there is none");
  expect_refused("networks: {\"a b\": {vlans: [1]}}\n", "a network's name: 1 to 64 of");
}

TEST(Networks, WhoIsListedTwiceIsToldWithHisNetwork) {
  const std::string networks = "networks: {east: {vlans: [1]}}\n";
  expect_refused(networks +
                     "bearers:\n  - {ue: 10.45.0.1, class: web, network: east}\n"
                     "  - {ue: 10.45.0.1, class: web, network: east}\n",
                 "found 10.45.0.1@east twice");
  expect_refused(networks +
                     "bearers:\n  - {ue: 10.45.0.0/24, class: web, network: east, learn: both}\n"
                     "  - {ue: 10.45.0.0/24, class: web, network: east, learn: both}\n",
                 "found 10.45.0.0/24@east twice");
}

TEST(Networks, ThereAreAsManyAsAnOctetTells) {
  std::string text = "networks:\n";
  for (int i = 1; i <= 256; ++i)
    text += "  n" + std::to_string(i) + ": {vlans: [" + std::to_string(i) + "]}\n";
  expect_refused(text, "found 256 networks, expected at most 255");
}

TEST(Networks, AUeIsWrittenWithItsNetworkAndReadBack) {
  const config::Networks networks{{"east", {{1, 1}}}, {"we.st-2", {}}};
  for (const char* text : {"10.45.0.1", "10.45.0.1@east", "2001:db8::/64@we.st-2", "2001:db8::7/128@east"}) {
    const auto ue = parse_ue(text, networks);
    ASSERT_TRUE(ue) << ue.error().message;
    EXPECT_EQ(text_of(*ue, networks), text);
  }
  EXPECT_EQ(parse_ue("10.45.0.1@we.st-2", networks)->network, 2);
  for (const char* wrong :
       {"10.45.0.1@", "10.45.0.1@north", "10.45.0.1@east@east", "@east", "10.45.0@east"}) {
    EXPECT_FALSE(parse_ue(wrong, networks)) << wrong;
  }
  EXPECT_EQ(parse_ue("10.45.0.1@esat", networks).error().message,
            "found '10.45.0.1@esat', expected behind '@' a network that is defined under `networks`; did you "
            "mean `east`?");
  EXPECT_EQ(
      parse_ue("10.45.0.1@east", {}).error().message,
      "found '10.45.0.1@east', expected behind '@' a network that is defined under `networks`; there is "
      "none");
}

}  // namespace
}  // namespace config
