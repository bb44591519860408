// Dedicated bearers of UEs in `bearers`, their class and cell (config/class_profiles.h), and the names of
// bearers.
#include "config/dedicated.h"

#include <string>

#include <gtest/gtest.h>

#include "config/difference.h"
#include "config/gtp_u.h"
#include "config/schema.h"
#include "tests/unit/config/support.h"

namespace config {
namespace {

using testing::all_problems;

const std::string kDedicatedHead = R"(version: 1
dataplane:
  ports: {core: {device: "null"}, radio: {device: "null"}}
)";
const std::string kDedicatedRest = R"(classes:
  internet: {downlink: {rate: 8M}}
  voice: {downlink: {rate: 1M}}
  sector: {downlink: {rate: 2M, link: cell}}
cells: {north: {}}
networks: {blue: {}}
bearers:
)";

Loaded load_dedicated_of(const std::string& bearers, const std::string& gtp_u = "{peers: [192.0.2.0/24]}") {
  return load_text(kDedicatedHead + "  gtp_u: " + gtp_u + "\n" + kDedicatedRest + bearers, "t");
}
// The bearers have one problem, with these words.
void expect_bearers_refused(const std::string& bearers, const std::string& words,
                            const std::string& gtp_u = "{peers: [192.0.2.0/24]}") {
  const auto loaded = load_dedicated_of(bearers, gtp_u);
  ASSERT_EQ(loaded.problems.size(), 1u) << bearers << "\n" << all_problems(loaded);
  EXPECT_NE(to_string(loaded.problems.front()).find(words), std::string::npos) << all_problems(loaded);
}
// The only dedicated bearer of a UE is refused with these words.
void expect_one_refused(const std::string& dedicated, const std::string& words) {
  expect_bearers_refused("  - {ue: 10.45.0.2, class: internet, dedicated: [" + dedicated + "]}\n", words);
}

const std::string kDedicatedUes = R"(
  - ue: 10.45.0.2
    class: internet
    network: blue
    dedicated:
      - {qfi: 1, class: voice}
      - {teid: {downlink: 0x11, uplink: 33}, class: sector, cell: north}
      - {teid: {uplink: 0xFFFFFFFF}, class: internet}
  - {ue: "2001:db8:1::/64", dedicated: [{qfi: 0, class: voice}, {qfi: 63, class: voice}]}
  - {ue: 10.45.0.4, class: internet}
  - {ue: 10.46.0.0/16, class: internet, learn: uplink}
)";

TEST(Dedicated, EachIsABearerBehindTheDefaultOneOfItsUe) {
  const auto loaded = load_dedicated_of(kDedicatedUes);
  ASSERT_TRUE(loaded) << all_problems(loaded);
  const std::vector<Bearer>& bearers = loaded->bearers;
  ASSERT_EQ(bearers.size(), 7u);
  const dp::UeAddress ue = dp::ue_ipv4(0x0a2d0002, 1);
  EXPECT_EQ(bearers[0], (Bearer{ue, 0}));
  EXPECT_EQ(bearers[1], (Bearer{dp::dedicated_by_qfi(ue, 1), 1}));
  EXPECT_EQ(bearers[2], (Bearer{dp::dedicated_by_teid(ue, 0x21), 2, 0, 0x11}));
  EXPECT_EQ(bearers[3], (Bearer{dp::dedicated_by_teid(ue, 0xffffffff), 0}));
  EXPECT_EQ(bearers[4], (Bearer{dp::dedicated_by_qfi(dp::ue_ipv6_64(0x20010db800010000), 0), 1}));
  EXPECT_EQ(bearers[5].ue.id, 63u);
  EXPECT_EQ(bearers[6].ue, *dp::parse_ue("10.45.0.4"));
}

TEST(Dedicated, IsPrintedUnderItsUeAndReadBack) {
  const auto loaded = load_dedicated_of(kDedicatedUes);
  ASSERT_TRUE(loaded) << all_problems(loaded);
  const Json printed = print_config(*loaded)["bearers"];
  ASSERT_EQ(printed.size(), 4u);
  EXPECT_EQ(printed[0]["dedicated"][1].dump(),
            R"({"teid":{"downlink":"0x11","uplink":"0x21"},"class":"sector","cell":"north"})");
  EXPECT_EQ(printed[1].dump(), R"({"ue":"2001:db8:1::/64","dedicated":[{"qfi":0,"class":"voice"},)"
                               R"({"qfi":63,"class":"voice"}]})");
  const auto again = load_text(print_config(*loaded).dump(), "printed");
  ASSERT_TRUE(again) << all_problems(again);
  EXPECT_EQ(*again, *loaded);
}

TEST(Dedicated, IsNamedByAQfiOrByATeid) {
  expect_one_refused("{class: voice}", "found neither `qfi` nor `teid`, expected one of them");
  expect_one_refused("{qfi: 1, teid: {uplink: 2}, class: voice}", "found both `qfi` and `teid`");
  expect_one_refused("{qfi: 64, class: voice}", "qfi: found '64', expected a whole number from 0 to 63");
  expect_one_refused("{teid: 0x21, class: voice}", "a map such as {downlink: 0x11, uplink: 0x21}");
  expect_one_refused("{teid: {downlink: 1}, class: voice}", "the key `uplink` is missing");
  for (const char* teid : {"0", "0x", "0x100000000", "4294967296", "-1", "1.5", "x", "21h", "true", "[1]"}) {
    expect_one_refused("{teid: {uplink: " + std::string(teid) + "}, class: voice}", std::string(kTeidForm));
  }
}

TEST(Dedicated, HasAClassAndACellAsAnyBearer) {
  expect_one_refused("{qfi: 1}", "class");
  expect_one_refused("{qfi: 1, class: vioce}",
                     "a class that is defined under `classes`; did you mean `voice`?");
  expect_one_refused("{qfi: 1, class: sector}", "write in which, `cell: NAME`");
  expect_one_refused("{qfi: 1, class: voice, cell: north}", "found `cell`, but");
  expect_one_refused("{qfi: 1, class: voice, network: blue}", "network");
}

TEST(Dedicated, NoTwoOfAUeHaveTheSameQfiOrTeid) {
  const auto twice = [](const std::string& dedicated, const std::string& words) {
    expect_one_refused(dedicated, words);
    const std::string half = dedicated.substr(0, dedicated.find("}, {") + 1);
    const auto apart =
        load_dedicated_of("  - {ue: 10.45.0.2, class: internet, dedicated: [" + half +
                          "]}\n  - {ue: 10.45.0.3, class: internet, dedicated: [" + half + "]}\n");
    EXPECT_TRUE(apart) << all_problems(apart);
  };
  twice("{qfi: 1, class: voice}, {qfi: 1, class: internet}",
        "found 10.45.0.2 qfi 1 twice, the first time in");
  twice("{class: voice, teid: {uplink: 33}}, {class: voice, teid: {uplink: 0x21}}",
        "found 10.45.0.2 teid 0x21 twice");
  twice("{class: voice, teid: {uplink: 1, downlink: 9}}, {class: voice, teid: {uplink: 2, downlink: 9}}",
        "found the downlink TEID 0x9 of 10.45.0.2 twice");
}

TEST(Dedicated, OneUeHasAtMostFifteen) {
  const auto with = [](int count) {
    std::string list;
    for (int qfi = 0; qfi < count; ++qfi) list += "{qfi: " + std::to_string(qfi) + ", class: voice}, ";
    return "  - {ue: 10.45.0.2, class: internet, dedicated: [" + list + "]}\n";
  };
  EXPECT_TRUE(load_dedicated_of(with(15)));
  expect_bearers_refused(with(16), "found 16 dedicated bearers of one UE, expected at most 15");
}

TEST(Dedicated, StandsBesideTheAddressOfOneUeAlone) {
  expect_bearers_refused(
      "  - {ue: 10.45.0.0/16, class: internet, learn: both, dedicated: [{qfi: 1, class: voice}]}\n",
      "found `dedicated` beside `learn`, expected it beside the address of one UE");
  expect_bearers_refused(
      "  - {ue: 10.45.0.2, class: internet}\n  - {ue: 10.45.0.2, dedicated: [{qfi: 1, class: voice}]}\n",
      "found 10.45.0.2 twice");
  expect_bearers_refused("  - {ue: 10.45.0.2, cell: north, dedicated: [{qfi: 1, class: voice}]}\n",
                         "found `cell` without `class`");
  expect_bearers_refused("  - {ue: 10.45.0.2}\n", "the key `class` is missing");
  expect_bearers_refused("  - {ue: 10.45.0.2, class: internet, dedicated: {qfi: 1, class: voice}}\n",
                         "dedicated bearers such as {qfi: 1, class: NAME}");
}

TEST(Dedicated, NeedsTunnelsThatAreLookedInto) {
  const std::string ue = "  - {ue: 10.45.0.2, class: internet, dedicated: [{qfi: 1, class: voice}]}\n";
  expect_bearers_refused(ue, "bearers[0].dedicated: found dedicated bearers, but rncd looks into no tunnels",
                         "none");
  EXPECT_TRUE(load_dedicated_of("  - {ue: 10.45.0.2, class: internet, dedicated: []}\n", "none"));
}

TEST(Dedicated, AUeWithinAPeersPrefixIsNamedOnce) {
  expect_bearers_refused("  - {ue: 192.0.2.9, class: internet, dedicated: [{qfi: 1, class: voice}]}\n",
                         "which has addresses of UEs, 192.0.2.9/32; expected");
}

TEST(Dedicated, ADifferenceNamesEachThatComesGoesOrChanges) {
  const auto was = load_dedicated_of(
      "  - {ue: 10.45.0.2, class: internet, dedicated: [{qfi: 1, class: voice}, {qfi: 2, class: voice},\n"
      "      {teid: {downlink: 1, uplink: 33}, class: voice}]}\n");
  const auto now = load_dedicated_of(
      "  - {ue: 10.45.0.2, class: internet, dedicated: [{qfi: 1, class: internet}, {qfi: 3, class: voice},\n"
      "      {teid: {downlink: 2, uplink: 33}, class: voice}]}\n");
  ASSERT_TRUE(was && now);
  const Difference::Many bearers = difference(*was, *now).bearers;
  const std::vector<std::string> expected{
      "10.45.0.2 qfi 1 class voice to class internet", "10.45.0.2 qfi 2 removed",
      "10.45.0.2 qfi 3 new, class voice",
      "10.45.0.2 teid 0x21 class voice, downlink TEID 0x1 to class voice, downlink TEID 0x2"};
  EXPECT_EQ(bearers.first, expected);
  EXPECT_EQ(bearers.added, 1u);
  EXPECT_EQ(bearers.removed, 1u);
  EXPECT_EQ(bearers.changed, 2u);
}

TEST(Dedicated, ABearerIsWrittenWithItsNetworkAndItsSelectorAndReadBack) {
  const Networks networks{{"blue", {}}};
  for (const char* text : {"10.45.0.1", "10.45.0.1@blue", "10.45.0.1 qfi 0", "10.45.0.1@blue qfi 63",
                           "2001:db8::/64@blue teid 0x21", "2001:db8::7/128 teid 0xffffffff"}) {
    const auto bearer = parse_bearer(text, networks);
    ASSERT_TRUE(bearer) << bearer.error().message;
    EXPECT_EQ(text_of(*bearer, networks), text);
  }
  EXPECT_EQ(selector_text(*parse_bearer("10.45.0.1@blue teid 33", networks)), "teid 0x21");
  EXPECT_EQ(selector_text(*parse_bearer("10.45.0.1@blue", networks)), "");
  for (const char* wrong : {"10.45.0.1 ", "10.45.0.1 qfi", "10.45.0.1 qfi ", "10.45.0.1 qfi 64",
                            "10.45.0.1 qfi -1", "10.45.0.1 q 1", "10.45.0.1 teid 0", "10.45.0.1 teid",
                            "10.45.0.1 qfi 1 ", "10.45.0.1 qfi 1@blue", " qfi 1"}) {
    EXPECT_FALSE(parse_bearer(wrong, networks)) << wrong;
  }
  EXPECT_EQ(
      parse_bearer("10.45.0.1 qfi 64", networks).error().message,
      "found '10.45.0.1 qfi 64', expected behind the UE the name of a dedicated bearer: `qfi 1` (0 to 63) "
      "or `teid 0x21`");
}

}  // namespace
}  // namespace config
