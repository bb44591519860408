#include "config/difference.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "config/load.h"
#include "tests/unit/config/support.h"

namespace config {
namespace {

Config loaded(const std::string& more) {
  auto config = load_text(testing::minimal(more), "t");
  EXPECT_TRUE(config) << testing::all_problems(config);
  return config ? *config : Config{};
}

const std::string kClasses = "classes:\n  a: {downlink: {rate: 8M}}\n  b: {downlink: {rate: 2M}}\n";

TEST(Difference, OfTheSameIsNothing) {
  const Config config = loaded(kClasses + "bearers: [{ue: 10.45.0.2, class: a}]\n");
  const Difference none = difference(config, config);
  EXPECT_TRUE(none.keys.empty() && none.frozen.empty() && none.more_keys == 0);
  EXPECT_EQ(none.bearers.added + none.bearers.removed + none.bearers.changed, 0u);
}

TEST(Difference, NamesEachKeyWithOldAndNewAndWhatCannotChange) {
  const Difference found =
      difference(loaded(kClasses), loaded("classes:\n  a: {downlink: {rate: 4M}}\n  b: {downlink: {rate: "
                                          "2M}}\n  c: {downlink: {rate: 1M}}\nlog: {level: debug}\nmetrics: "
                                          "{listen: off}\n"));
  const auto key = [&](const std::string& path) {
    const auto at = std::ranges::find(found.keys, path, &Difference::Key::path);
    return at == found.keys.end() ? std::string("not there") : at->was.dump() + " " + at->now.dump();
  };
  EXPECT_EQ(key("classes.a.downlink.rate"), R"("8M" "4M")");
  EXPECT_EQ(key("log.level"), R"("info" "debug")");
  EXPECT_EQ(key("metrics.listen"), R"("127.0.0.1:9464" "off")");
  EXPECT_TRUE(key("classes.c").starts_with("null {")) << key("classes.c");
  EXPECT_EQ(found.keys.size(), 4u);
  EXPECT_EQ(found.frozen, std::vector<std::string>{"metrics.listen"});
}

TEST(Difference, NamesBearersAndRulesByTheNamesOfTheirClasses) {
  const Config was = loaded(kClasses +
                            "bearers: [{ue: 10.45.0.2, class: a}, {ue: 10.45.0.3, class: a}, {ue: "
                            "10.46.0.0/16, class: a, learn: uplink}]\n");
  // The classes are the same, in another order, and so have other numbers.
  const Config now = loaded(
      "classes:\n  b: {downlink: {rate: 2M}}\n  a: {downlink: {rate: 8M}}\nbearers: [{ue: "
      "10.45.0.2, class: a}, {ue: 10.45.0.4, class: b}, {ue: 10.46.0.0/16, class: b, learn: "
      "uplink}]\n");
  const Difference found = difference(was, now);
  EXPECT_TRUE(found.keys.empty());
  EXPECT_EQ(found.bearers.first, (std::vector<std::string>{"10.45.0.3 removed", "10.45.0.4 new, class b"}));
  EXPECT_EQ(found.bearers.changed, 0u);
  ASSERT_EQ(found.rules.changed, 1u);
  EXPECT_NE(found.rules.first[0].find("10.46.0.0/16 class a, learn uplink"), std::string::npos)
      << found.rules.first[0];
}

TEST(Difference, NamesNetworksAndTellsEqualAddressesApartByThem) {
  const auto config = [](const std::string& networks, const std::string& listed) {
    return loaded(kClasses + "networks: {" + networks + "}\nbearers: [" + listed + "]\n");
  };
  const std::string in_x = "{ue: 10.45.0.2, network: x, class: a}",
                    in_y = "{ue: 10.45.0.2, network: y, class: a}",
                    rule_x = "{ue: 10.46.0.0/16, network: x, class: a, learn: uplink}",
                    rule_y = "{ue: 10.46.0.0/16, network: y, class: a, learn: uplink}";
  // The networks are in another order, and so have other numbers.
  const Config was =
      config("x: {vlans: [1]}, y: {vlans: [2]}", in_x + "," + in_y + "," + rule_x + "," + rule_y);
  const Config alike =
      config("y: {vlans: [2]}, x: {vlans: [1]}", in_y + "," + in_x + "," + rule_y + "," + rule_x);
  const Difference none = difference(was, alike);
  EXPECT_TRUE(none.keys.empty());
  EXPECT_TRUE(none.bearers.first.empty() && none.rules.first.empty());

  const Difference found =
      difference(was, config("y: {vlans: [2, 3]}, x: {vlans: [1]}", in_y + "," + rule_x));
  ASSERT_EQ(found.keys.size(), 1u);
  EXPECT_EQ(found.keys[0].path, "networks.y.vlans");
  EXPECT_EQ(found.bearers.first, std::vector<std::string>{"10.45.0.2@x removed"});
  EXPECT_EQ(found.rules.first, std::vector<std::string>{"10.46.0.0/16@y removed"});
}

TEST(Difference, IsBounded) {
  std::string bearers = "bearers:\n", cells = "cells:\n";
  for (int i = 0; i < 250; ++i) {
    bearers += "  - {ue: 10.45.0." + std::to_string(i) + ", class: a}\n";
    cells += "  c" + std::to_string(i) + ": {}\n";
  }
  const Difference found =
      difference(loaded(kClasses + "cells: {c: {}}\n"), loaded(kClasses + cells + bearers));
  EXPECT_EQ(found.bearers.added, 250u);
  EXPECT_EQ(found.bearers.first.size(), Difference::kMostBearers);
  EXPECT_EQ(found.keys.size(), Difference::kMostKeys);
  EXPECT_EQ(found.keys.size() + found.more_keys, 251u);
}

}  // namespace
}  // namespace config
