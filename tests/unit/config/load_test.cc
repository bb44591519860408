#include "config/load.h"

#include <cerrno>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "config/hints.h"
#include "tests/unit/config/support.h"

namespace config {
namespace {

using testing::all_problems;
using testing::minimal;
using testing::source_path;

// The first block of YAML of a page.
std::string yaml_of(const std::string& page) {
  const std::string text = testing::read_text(page), begin = "```yaml\n";
  const auto from = text.find(begin);
  if (from == std::string::npos) return "";
  return text.substr(from + begin.size(), text.find("```", from + begin.size()) - from - begin.size());
}

TEST(Load, TheConfigurationsOfThePagesLoadWithoutProblemAndWithoutHint) {
  for (const std::string& text : {yaml_of("README.md"), minimal(yaml_of("control/manual/cells.md"))}) {
    const auto loaded = load_text(text, "page");
    ASSERT_TRUE(loaded) << all_problems(loaded) << text;
    EXPECT_FALSE(loaded->classes.empty()) << text;
    EXPECT_EQ(hints_of(*loaded), std::vector<std::string>{}) << text;
  }
}

TEST(Load, TheExampleLoadsWithoutProblemAndWithoutHint) {
  const auto loaded = load_file(source_path("config/rncd.example.yaml"));
  ASSERT_TRUE(loaded) << all_problems(loaded);
  EXPECT_EQ(hints_of(*loaded), std::vector<std::string>{});
  ASSERT_EQ(loaded->classes.size(), 9u);
  EXPECT_EQ(loaded->classes[0].downlink.rate, 8'000'000u);
  EXPECT_EQ(loaded->classes[0].downlink.buffer.bytes, 128u * 1024);
  EXPECT_EQ(loaded->classes[2].name, "umts-128");
  EXPECT_EQ(loaded->classes[3].uplink.ack.stages, 1u);
  EXPECT_EQ(loaded->classes[4].profile, "low-delay");
  EXPECT_EQ(loaded->bearers.size(), 2u);
  EXPECT_EQ(loaded->learn.size(), 4u);
  EXPECT_EQ(loaded->learn[2].cell, 0u);
}

TEST(Load, TheLeastConfigurationHasTheStructsDefaults) {
  const auto loaded = load_text(minimal(), "t");
  ASSERT_TRUE(loaded) << all_problems(loaded);
  Config expected;
  expected.dataplane.devices = {"af_xdp:eth1", "null"};
  EXPECT_EQ(*loaded, expected);
}

TEST(Load, AChannelIsWrittenLikeEveryFamilyOrBesideItsSettings) {
  const auto loaded = load_text(minimal() + R"(
classes:
  family: {downlink: {rate: 384k, link: {am: {channel: {markov: {fer: 5%, doppler: 0.02}}}}}}
  flat:   {downlink: {rate: 384k, link: {am: {channel: markov, fer: 5%, doppler: 0.02}}}}
  clear:  {downlink: {rate: 384k, link: {am: {channel: {none: {}}, delay: 30ms}}}}
)",
                                "t");
  ASSERT_TRUE(loaded) << all_problems(loaded);
  EXPECT_EQ(loaded->classes[0].downlink.link, loaded->classes[1].downlink.link);
  EXPECT_EQ(std::get<dp::AmLinkConfig>(loaded->classes[2].downlink.link).delay, dp::ms(30));
}

TEST(Load, AChannelsMapTakesWhatItsModelUsesAndNothingIsSaidTwice) {
  const auto problems = [](const std::string& am) {
    const std::string file =
        minimal() + "\nclasses:\n  c: {downlink: {rate: 384k, link: {am: {" + am + "}}}}\n";
    return all_problems(load_text(file, "t"));
  };
  const auto says = [&](const std::string& am, const std::string& text) {
    EXPECT_NE(problems(am).find(text), std::string::npos) << problems(am);
  };
  says("channel: {bernoulli: {doppler: 0.1}}",
       "link.am.channel.bernoulli: found the unknown key `doppler`, expected fer");
  says("channel: {none: {fer: 1%}}", "found the unknown key `fer`");
  says("channel: {markof: {fer: 1%}}", "did you mean `markov`?");
  says("channel: {markov: {fer: 1%}}, fer: 2%", "found `fer` beside a `channel` that is a map");
  says("channel: {trace: {}}", "found `channel: trace` without a trace");
}

TEST(Load, MetricsCanBeTurnedOffInOneWord) {
  for (const char* text : {"metrics: off", "metrics: {listen: off}"}) {
    const auto loaded = load_text(minimal() + "\n" + text + "\n", "t");
    ASSERT_TRUE(loaded) << all_problems(loaded);
    EXPECT_TRUE(loaded->metrics.listen.empty()) << text;
  }
  const auto wrong = all_problems(load_text(minimal() + "\nmetrics: on\n", "t"));
  EXPECT_NE(wrong.find("metrics: found 'on', expected `off`, or a map"), std::string::npos) << wrong;
}

TEST(Load, ACapturePortMayOnlyReadOrOnlyWrite) {
  const auto loaded = load_text(R"(version: 1
dataplane:
  ports: {core: {device: "pcap:in.pcap,"}, radio: {device: "pcap:,out.pcap"}}
)",
                                "t");
  EXPECT_TRUE(loaded) << all_problems(loaded);
}

TEST(Load, TheUplinkOfAnAirTakesTheDownlinksLinkAndRateUntilItSaysOtherwise) {
  const auto loaded = load_text(minimal() + R"(
classes:
  mirrored: {downlink: {rate: 384k, link: {am: {fer: 5%, pdu_size: 82B}}}}
  slower: {downlink: {rate: 384k, link: am}, uplink: {rate: 64k, buffer: {sdus: 7}}}
  clearer: {downlink: {rate: 384k, link: am}, uplink: {rate: 64k, link: {am: {fer: 1%}}}}
)",
                                "t");
  ASSERT_TRUE(loaded) << all_problems(loaded);
  const auto& mirrored = loaded->classes[0];
  const auto& slower = loaded->classes[1];
  const auto& clearer = loaded->classes[2];
  EXPECT_EQ(mirrored.uplink.link, mirrored.downlink.link);
  EXPECT_EQ(std::get<dp::AmLinkConfig>(mirrored.uplink.link).pdu_size, 82u);
  EXPECT_EQ(mirrored.uplink.rate, 384'000u);
  EXPECT_EQ(slower.uplink.link, slower.downlink.link);
  EXPECT_EQ(slower.uplink.rate, 64'000u);
  EXPECT_EQ(slower.uplink.buffer.sdus, 7u);
  EXPECT_EQ(std::get<dp::AmLinkConfig>(clearer.downlink.link).fer, 0.1);
  EXPECT_EQ(std::get<dp::AmLinkConfig>(clearer.uplink.link).fer, 0.01);
}

TEST(Load, EveryKeyReachesItsField) {
  const auto loaded = load_text(R"(
version: 1
dataplane:
  ports: {core: {device: "0000:03:00.0"}, radio: {device: "pcap:in.pcap,out.pcap"}}
  workers: 1
  cpus: [2, 3]
  mode: block
  unknown: drop
  power: poll
  memory: 256MiB
  huge_pages: no
  max_bearers: 2000
  eal: ["--log-level=8"]
  wire: {shortcut: unparsed}
control: {socket: /run/s, mode: "0600", read_only: /run/r, read_only_mode: "0644"}
metrics: {listen: off, per_bearer: {top: 10}}
log: {level: debug, format: json}
)",
                                "t");
  ASSERT_TRUE(loaded) << all_problems(loaded);
  const auto& d = loaded->dataplane;
  EXPECT_EQ(d.devices[0], "0000:03:00.0");
  EXPECT_EQ(d.devices[1], "pcap:in.pcap,out.pcap");
  EXPECT_EQ(d.workers, 1u);
  EXPECT_EQ(d.cpus, (std::vector<unsigned>{2, 3}));
  EXPECT_EQ(d.mode, dp::Mode::block);
  EXPECT_EQ(d.unknown, dp::Unknown::drop);
  EXPECT_EQ(d.power, PowerChoice::poll);
  EXPECT_EQ(d.memory, std::uint64_t{256} << 20);
  EXPECT_EQ(d.huge_pages, false);
  EXPECT_EQ(d.max_bearers, 2000u);
  EXPECT_EQ(d.eal, std::vector<std::string>{"--log-level=8"});
  EXPECT_EQ(d.wire.shortcut, dp::Shortcut::unparsed);
  EXPECT_EQ(loaded->control,
            (Control{.socket = "/run/s", .mode = 0600, .read_only = "/run/r", .read_only_mode = 0644}));
  EXPECT_EQ(loaded->metrics, (Metrics{"", 10}));
  EXPECT_EQ(loaded->log, (Log{"debug", LogFormat::json}));
}

TEST(Load, AnUplinkWithARateIsAShaperAndOneWithoutIsAWire) {
  const auto loaded = load_text(
      minimal("classes: {a: {downlink: {rate: 1M}, uplink: {rate: 64k}}, b: {downlink: {link: wire}}}\n"),
      "t");
  ASSERT_TRUE(loaded) << all_problems(loaded);
  const dp::LinkConfig shaper = dp::ShaperSpec::Config{}, wire = dp::WireSpec::Config{};
  EXPECT_EQ(loaded->classes[0].downlink.link, shaper);
  EXPECT_EQ(loaded->classes[0].uplink.link, shaper);
  EXPECT_EQ(loaded->classes[0].uplink.rate, 64'000u);
  EXPECT_EQ(loaded->classes[1].downlink.link, wire);
  EXPECT_EQ(loaded->classes[1].uplink.link, wire);
}

TEST(Load, WhoseWordsTeachAndHowLongABearerLastsMayBeSaid) {
  const auto loaded = load_text(minimal("classes: {a: {downlink: {rate: 1M}}}\n"
                                        "bearers:\n"
                                        "  - {ue: 10.1.0.0/16, class: a, learn: uplink, idle: 2min}\n"
                                        "  - {ue: 10.2.0.0/16, class: a, learn: both, idle: off}\n"
                                        "  - {ue: 10.3.0.0/16, class: a, learn: true}\n"
                                        "  - {ue: 10.4.0.1, class: a, learn: no}\n"),
                                "t");
  ASSERT_TRUE(loaded) << testing::all_problems(loaded);
  ASSERT_EQ(loaded->learn.size(), 3u);
  EXPECT_EQ(loaded->learn[0].from, dp::LearnFrom::uplink);
  EXPECT_EQ(loaded->learn[0].idle, std::chrono::minutes(2));
  EXPECT_EQ(loaded->learn[1].from, dp::LearnFrom::both);
  EXPECT_EQ(loaded->learn[1].idle, dp::Duration{0});
  EXPECT_EQ(loaded->learn[2].from, dp::LearnFrom::uplink) << "yes is the uplink";
  EXPECT_EQ(loaded->learn[2].idle, std::chrono::hours(1));
  EXPECT_EQ(loaded->bearers.size(), 1u);
}

TEST(Load, LearntPrefixesAreSortedLongestFirst) {
  const auto loaded = load_text(minimal("classes: {a: {downlink: {rate: 1M}}}\nbearers:\n"
                                        "  - {ue: 10.0.0.0/8, class: a, learn: true}\n"
                                        "  - {ue: 10.1.2.0/24, class: a, learn: true, limit: 9}\n"
                                        "  - {ue: 10.1.0.0/16, class: a, learn: true}\n"
                                        "  - {ue: 2001:db8::/48, class: a, learn: yes}\n"),
                                "t");
  ASSERT_TRUE(loaded) << all_problems(loaded);
  std::vector<unsigned> lengths;
  for (const auto& l : loaded->learn) lengths.push_back(l.prefix.length);
  EXPECT_EQ(lengths, (std::vector<unsigned>{48, 24, 16, 8}));
  EXPECT_EQ(loaded->learn[1].limit, 9u);
}

TEST(Load, SectionsLeftEmptyHaveTheirDefaults) {
  const auto loaded = load_text(minimal("classes:\nbearers:\nlog:\n"), "t");
  EXPECT_TRUE(loaded) << all_problems(loaded);
}

TEST(Load, AFileThatIsNotThereIsAProblemWithItsErrno) {
  const auto loaded = load_file(source_path("config/none.yaml"));
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.problems.at(0).os_error, ENOENT);
  EXPECT_NE(all_problems(loaded).find("none.yaml: cannot be read: No such file"), std::string::npos);
}

TEST(Load, ADirectoryIsAProblem) {
  const auto loaded = load_file(source_path("config"));
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.problems.at(0).os_error, EISDIR);
}

TEST(Load, MoreThan64MiBIsRefused) {
  const auto loaded = load_text(std::string(kMaxFileBytes + 1, '\n'), "t");
  EXPECT_NE(all_problems(loaded).find("more than 64 MiB"), std::string::npos);
}

TEST(Load, SixtyFourClassesFitAndOneMoreIsRefused) {
  std::string classes = "classes:\n";
  for (int i = 0; i < 64; ++i) classes += "  c" + std::to_string(i) + ": {downlink: {rate: 1M}}\n";
  EXPECT_TRUE(load_text(minimal(classes), "t"));
  const auto loaded = load_text(minimal(classes + "  more: {downlink: {rate: 1M}}\n"), "t");
  EXPECT_NE(all_problems(loaded).find("found 65 classes, expected at most 64"), std::string::npos);
}

TEST(Load, MoreListedBearersThanMaxBearersAreRefused) {
  const std::string rest =
      "classes: {a: {downlink: {rate: 1M}}}\nbearers: [{ue: 10.0.0.1, class: a}, {ue: 10.0.0.2, class: a}]\n";
  const Overrides two{{"flag", "dataplane.max_bearers", "2"}}, one{{"flag", "dataplane.max_bearers", "1"}};
  EXPECT_TRUE(load_text(minimal(rest), "t", two));
  EXPECT_NE(all_problems(load_text(minimal(rest), "t", one)).find("found 1, but `bearers` lists 2"),
            std::string::npos);
}

TEST(Load, AThousandProblemsAreEnough) {
  std::string bearers = "bearers:\n";
  for (int i = 0; i < 5000; ++i) bearers += "  - wrong\n";
  const auto loaded = load_text(minimal(bearers), "t");
  EXPECT_EQ(loaded.problems.size(), 1000u);
  EXPECT_NE(loaded.problems.back().message.find("more may follow"), std::string::npos);
}

}  // namespace
}  // namespace config
