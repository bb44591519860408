// `dataplane.gtp_u`: the tunnels that are looked into.
#include "config/gtp_u.h"

#include <string>

#include <gtest/gtest.h>

#include "config/difference.h"
#include "config/hints.h"
#include "config/schema.h"
#include "tests/unit/config/support.h"

namespace config {
namespace {

using testing::all_problems;

const std::string kRest =
    "classes: {web: {downlink: {rate: 2M}}}\n"
    "networks: {blue: {}, east: {vlans: [100]}}\n";

Loaded load_tunnels(const std::string& gtp_u, const std::string& more = kRest) {
  return load_text(
      "version: 1\ndataplane:\n  ports: {core: {device: \"af_xdp:eth1\"}, radio: {device: null}}\n  gtp_u: " +
          gtp_u + "\n" + more,
      "t");
}
// The text has one problem, which says so.
void expect_no_tunnels(const std::string& gtp_u, const std::string& words, const std::string& more = kRest) {
  SCOPED_TRACE(gtp_u);
  const auto loaded = load_tunnels(gtp_u, more);
  ASSERT_EQ(loaded.problems.size(), 1u) << all_problems(loaded);
  EXPECT_NE(to_string(loaded.problems.front()).find(words), std::string::npos) << all_problems(loaded);
}
std::string with_bearers(const std::string& listed) { return kRest + "bearers: [" + listed + "]\n"; }

TEST(GtpU, HasPeersPortsAndTheTreatmentOfSequenceNumbersAndHandovers) {
  const auto loaded = load_tunnels(
      "{peers: [192.0.2.0/24, {prefix: \"2001:db8:1::/48\", network: blue}], ports: [2152, 2153], "
      "sequence: ignore, on_handover: rewrite}");
  ASSERT_TRUE(loaded) << all_problems(loaded);
  const dp::GtpUSettings settings = settings_of(loaded->dataplane.gtp_u, loaded->networks);
  ASSERT_EQ(settings.peers.size(), 2u);
  EXPECT_EQ(settings.peers[0], (dp::GtpUPeer{*dp::parse_prefix("2001:db8:1::/48"), 1}));
  EXPECT_EQ(settings.peers[1], (dp::GtpUPeer{*dp::parse_prefix("192.0.2.0/24"), dp::kNoNetwork}));
  EXPECT_EQ(settings.ports, (std::vector<std::uint16_t>{2152, 2153}));
  EXPECT_EQ(settings.sequence, dp::GtpUSequence::ignore);
  EXPECT_EQ(settings.on_handover, dp::OnHandover::rewrite);

  const auto again = load_text(print_config(*loaded).dump(), "printed");
  ASSERT_TRUE(again) << all_problems(again);
  EXPECT_EQ(*again, *loaded);
}

TEST(GtpU, IsNotThereUnlessItIsWritten) {
  const auto without = load_text(testing::minimal(), "t"), none = load_tunnels("none");
  ASSERT_TRUE(without && none) << all_problems(none);
  EXPECT_EQ(settings_of(without->dataplane.gtp_u, {}), dp::GtpUSettings{});
  EXPECT_FALSE(none->dataplane.gtp_u);
  const auto defaults = load_tunnels("{peers: [192.0.2.1/32]}");
  ASSERT_TRUE(defaults) << all_problems(defaults);
  EXPECT_EQ(defaults->dataplane.gtp_u->ports, std::vector<std::uint16_t>{2152});
  EXPECT_EQ(defaults->dataplane.gtp_u->sequence, dp::GtpUSequence::observe);
  EXPECT_EQ(defaults->dataplane.gtp_u->on_handover, dp::OnHandover::keep);
}

TEST(GtpU, TheLongestPrefixWithAnAddressCounts) {
  const auto loaded = load_tunnels("{peers: [192.0.2.0/24, {prefix: 192.0.2.8/29, network: blue}]}");
  ASSERT_TRUE(loaded) << all_problems(loaded);
  const dp::GtpUSettings settings = settings_of(loaded->dataplane.gtp_u, loaded->networks);
  EXPECT_EQ(settings.peer_ipv4(0xc0000209)->network, 1);
  EXPECT_EQ(settings.peer_ipv4(0xc0000201)->network, dp::kNoNetwork);
}

TEST(GtpU, WithoutAPeerItIsRefused) {
  expect_no_tunnels("{peers: []}", "dataplane.gtp_u.peers: found an empty list, expected a list of prefixes");
  expect_no_tunnels("{ports: [2152]}", "the key `peers` is missing");
  expect_no_tunnels("", "the key `peers` is missing");
  expect_no_tunnels("192.0.2.0/24", "expected none, or a map such as {peers: [192.0.2.0/24]}");
  expect_no_tunnels("{peers: [192.0.2.0]}", "peers[0]: found '192.0.2.0', expected a prefix such as");
  expect_no_tunnels("{peers: [192.0.2.1/24]}", "write 192.0.2.0/24");
  expect_no_tunnels("{peers: [{network: blue}]}", "peers[0]: the key `prefix` is missing");
  std::string many;
  for (int i = 0; i < 65; ++i) many += (i == 0 ? "10.0." : ", 10.0.") + std::to_string(i) + ".0/24";
  expect_no_tunnels("{peers: [" + many + "]}", "peers: found 65 items, expected at most 64");
}

TEST(GtpU, PortsAreUdpPortsOnceEach) {
  const std::string peers = "{peers: [192.0.2.0/24], ports: ";
  expect_no_tunnels(peers + "[0]}", "ports[0]: found '0', expected a whole number from 1 to 65535");
  expect_no_tunnels(peers + "[65536]}", "expected a whole number from 1 to 65535");
  expect_no_tunnels(peers + "[]}", "ports: found an empty list, expected a list of UDP ports");
  expect_no_tunnels(peers + "[1, 2, 3, 4, 5]}", "ports: found 5 items, expected at most 4");
  expect_no_tunnels(peers + "[2152, 2152]}", "ports[1]: found the port 2152 twice; keep one");
  expect_no_tunnels("{peers: [192.0.2.0/24], sequence: ignored}", "did you mean `ignore`?");
  expect_no_tunnels("{peers: [192.0.2.0/24], on_handover: drop}", "expected keep, rewrite or send");
}

TEST(GtpU, APrefixIsOfOneNetworkThatThereIs) {
  expect_no_tunnels("{peers: [192.0.2.0/24, 192.0.2.0/24]}",
                    "peers[1]: found 192.0.2.0/24 twice, the first time in line 4; keep one");
  expect_no_tunnels("{peers: [{prefix: 192.0.2.0/24, network: blue}, {prefix: 192.0.2.0/24, network: east}]}",
                    "peers[1]: found 192.0.2.0/24 in the network east, and in line 4 in the network blue, "
                    "expected it in one; keep one");
  expect_no_tunnels("{peers: [192.0.2.0/24, {prefix: 192.0.2.0/24, network: east}]}",
                    "in the network east, and in line 4 in no network");
  expect_no_tunnels("{peers: [{prefix: 192.0.2.0/24, network: bleu}]}",
                    "peers[0].network: found 'bleu', expected a network that is defined under `networks`; "
                    "did you mean `blue`?");
  expect_no_tunnels("{peers: [{prefix: 192.0.2.0/24, network: \"\"}]}", "peers[0].network: found ''");
  expect_no_tunnels("{peers: [{prefix: 192.0.2.0/24, network: blue}]}", "there is none",
                    "classes: {web: {downlink: {rate: 2M}}}\n");
}

TEST(GtpU, APeerIsNoUe) {
  const std::string peers = "{peers: [192.0.2.0/24, {prefix: \"2001:db8::/32\", network: blue}]}";
  expect_no_tunnels(peers,
                    "dataplane.gtp_u.peers[0]: found 192.0.2.0/24, which has addresses of UEs, 192.0.2.7/32; "
                    "expected those of tunnels' ends only",
                    with_bearers("{ue: 192.0.2.7, class: web}"));
  expect_no_tunnels(peers, "addresses of UEs, 192.0.2.7/32@east;",
                    with_bearers("{ue: 192.0.2.7, class: web, network: east}"));
  expect_no_tunnels(peers, "addresses of UEs, 192.0.2.64/26@blue and 1 more of `bearers`;",
                    kRest +
                        "bearers:\n  - {ue: 192.0.0.0/16, class: web, learn: uplink}\n"
                        "  - {ue: 192.0.2.64/26, class: web, learn: both, network: blue}\n");
  expect_no_tunnels(peers, "peers[1]: found 2001:db8::/32, which has addresses of UEs, 2001:db8:4::/64;",
                    with_bearers("{ue: \"2001:db8:4::/64\", class: web}"));
  const auto apart =
      load_tunnels(peers, with_bearers("{ue: \"2001:db8:4::/64\", class: web, network: east}"));
  EXPECT_TRUE(apart) << all_problems(apart);
}

TEST(GtpU, ANetworkThatOnlyPeersNameHasBearers) {
  const auto loaded = load_tunnels("{peers: [{prefix: 192.0.2.0/24, network: blue}]}",
                                   with_bearers("{ue: 10.45.0.2, class: web, network: blue}"));
  ASSERT_TRUE(loaded) << all_problems(loaded);
  EXPECT_EQ(loaded->bearers[0].ue.network, 1);
  EXPECT_TRUE(hints_of(*loaded).empty());
}

TEST(GtpU, ANetworkWithoutVlansAndPeersIsHintedAt) {
  const auto loaded = load_tunnels("none", with_bearers("{ue: 10.45.0.2, class: web, network: blue}"));
  ASSERT_TRUE(loaded) << all_problems(loaded);
  const auto hints = hints_of(*loaded);
  ASSERT_EQ(hints.size(), 1u);
  EXPECT_NE(hints[0].find("networks.blue: has no VLAN, and no peer of dataplane.gtp_u names it"),
            std::string::npos)
      << hints[0];
}

TEST(GtpU, AChangeIsADifferenceThatTakesEffectLive) {
  const auto was = load_tunnels("{peers: [192.0.2.0/24]}"),
             now = load_tunnels("{peers: [192.0.2.0/24, 198.51.100.0/24]}");
  ASSERT_TRUE(was && now);
  const Difference found = difference(*was, *now);
  ASSERT_EQ(found.keys.size(), 1u);
  EXPECT_EQ(found.keys[0].path, "dataplane.gtp_u.peers");
  EXPECT_EQ(found.keys[0].now.dump(), R"(["192.0.2.0/24","198.51.100.0/24"])");
  EXPECT_TRUE(found.frozen.empty());
}

}  // namespace
}  // namespace config
