// Every refusal: its place in the file and its message.
#include "tools/lab/scenario/scenario.h"

#include <string>
#include <vector>

#include "tests/unit/lab/support.h"

namespace lab {
namespace {

using testing::kShaped;
using testing::load;
using testing::problems_of;
using testing::shaped;

// kShaped with one line, by its number, replaced.
std::string with_line(unsigned number, const std::string& line) {
  std::string out;
  std::string_view rest = kShaped;
  for (unsigned n = 1; !rest.empty(); ++n) {
    const auto end = rest.find('\n');
    out += n == number ? line : std::string(rest.substr(0, end));
    if (n != number || !line.empty()) out += '\n';
    rest.remove_prefix(end + 1);
  }
  return out;
}

struct Refusal {
  unsigned line;
  std::string text;
  std::string says;
};

class Refused : public ::testing::TestWithParam<Refusal> {};

TEST_P(Refused, WithItsLineAndReason) {
  const auto checked = load(with_line(GetParam().line, GetParam().text));
  EXPECT_FALSE(checked);
  EXPECT_EQ(problems_of(checked), "t:" + GetParam().says + "\n");
}

const std::vector<Refusal> kRefusals{
    {2, "duration: 0s", "2:11: duration: found '0s', expected a duration from 1ms to 10000000s"},
    {2, "", "1:1: the key `duration` is missing; it takes 1ms to 10000000s"},
    {3, "measure_from: 20s",
     "3:15: measure_from: found 20s, expected less than the duration, 20s; nothing would be measured"},
    {3, "seeds: 1", "3:1: found the unknown key `seeds`; did you mean `seed`?"},
    {6, "    downlink: {rate: 1M, aqm: {red: {maxth: 20sdu}}}",
     "6:31: classes.a.downlink.aqm.red: found minth 20sdu (the default) and maxth 20sdu (given), expected "
     "minth below maxth; lower minth or raise maxth"},
    {6, "    downlink: {rate: 0}",
     "6:22: classes.a.downlink.rate: found '0', expected a rate from 1k to 100G"},
    {6, "    downlink: {rate: 1M}\n    proxy: {split: {window: 1MB}}",
     "7:29: classes.a.proxy.split.window: found a `window` of 1MB and a `store` of 512KiB, in which not one "
     "connection could fill its window; lower `window`, or raise `store`"},
    {9, "  - {ue: 10.45.0.2, class: b}",
     "9:28: bearers[0].class: found 'b', expected a class that is defined under `classes`: a"},
    {9, "  - {ue: 10.45.0.0/16, class: a, learn: true}\n  - {ue: 10.45.0.2, class: a}",
     "9:41: bearers[0]: found a bearer that is learnt, expected each UE of a scenario by its address"},
    {11, "  w: {delay: 20ms, rate: 0}",
     "11:26: wires.w.rate: found '0', expected unlimited, or a rate from 1k to 100G"},
    {11, "  w: {delay: 20ms, jitter: 30ms}",
     "11:28: wires.w.jitter: found '30ms', expected at most the wire's delay; nothing arrives before it was "
     "sent"},
    {11, "  w: {delay: 20ms, loss: 100%}",
     "11:26: wires.w.loss: found '100%', expected a ratio from 0 to 99%"},
    {11, "  w: {delay: 20ms, queue: 0}",
     "11:27: wires.w.queue: found '0', expected unlimited, or a whole number from 1 to 1000000"},
    {13, "  s: {address: 192.0.2.1, wire: x}",
     "13:33: servers.s.wire: found 'x', expected a wire that is defined under `wires`: w"},
    {13, "  s: {address: server, wire: w}",
     "13:16: servers.s.address: found 'server', expected an IPv4 or IPv6 address such as 192.0.2.1"},
    {15, "  - {server: t, ue: 10.45.0.2}",
     "15:14: flows[0].server: found 't', expected a server that is defined under `servers`: s"},
    {15, "  - {server: s, ue: 10.45.0.3}",
     "15:21: flows[0].ue: found '10.45.0.3', expected a UE that has a bearer; list it under `bearers`"},
    {15, "  - {server: s}", "15:5: flows[0]: the key `ue` is missing; it takes a UE among `bearers`"},
    {15, "  - {server: s, ue: 10.45.0.2, start: 20s}",
     "15:39: flows[0].start: found 20s, expected less than the duration, 20s; it would never begin"},
    {15, "  - {server: s, ue: 10.45.0.2, count: 0}",
     "15:39: flows[0].count: found '0', expected a whole number from 1 to 10000"},
    {15, "  - {server: s, ue: 10.45.0.2, traffic: {file: {siez: 50kB}}}",
     "15:49: flows[0].traffic.file: found the unknown key `siez`; did you mean `size`?"},
    {15, "  - {server: s, ue: 10.45.0.2, tcp: {congestion: vegas}}",
     "15:50: flows[0].tcp.congestion: found 'vegas', expected tahoe, reno, newreno, sack, westwood-nr or "
     "cubic"},
    {15, "  - {server: s, ue: 10.45.0.2, tcp: {mss: 1961}}",
     "15:43: flows[0].tcp.mss: found 1961, expected at most 1960; the lab's packets have up to 2000 bytes"},
    {15, "  - {server: s, ue: 10.45.0.2, sink: {window: 100kB}}",
     "15:47: flows[0].sink.window: found 100000, expected at most 65535, which a window_scale of 0 can tell; "
     "give a larger window_scale"},
    {15, "  - {server: s, ue: 10.45.0.2, sink: {window: 100kB, window_scale: 1}, tcp: {window_scaling: no}}",
     "15:94: flows[0].tcp.window_scaling: found no, but the sink's window is above 65535 bytes; write yes"},
    {15, "  - {server: s, ue: 10.45.0.2}\nchanges: [{at: 30s, ue: 10.45.0.2, downlink: {rate: 1M}}]",
     "16:16: changes[0].at: found 30s, expected less than the duration, 20s; it would never happen"},
    {15, "  - {server: s, ue: 10.45.0.2}\nchanges: [{at: 3s, ue: 10.45.0.4, downlink: {rate: 1M}}]",
     "16:24: changes[0].ue: found '10.45.0.4', expected a UE that has a bearer; list it under `bearers`"},
    {15, "  - {server: s, ue: 10.45.0.2}\nchanges: [{at: 3s, ue: 10.45.0.2}]",
     "16:11: changes[0]: found neither `downlink`, `uplink` nor `handover`, expected what changes; name it"},
    {15, "  - {server: s, ue: 10.45.0.2}\nchanges: [{at: 3s, ue: 10.45.0.2, handover: yes}]",
     "16:10: changes: found a `handover`, expected none without tunnels; write `gtp_u: {}` as well"},
    {15, "  - {server: s, ue: 10.45.0.2}\ngtp_u: yes",
     "16:8: gtp_u: found 'yes', expected none, or a map such as {} or {qfi: 9}"},
    {15, "  - {server: s, ue: 10.45.0.2}\ngtp_u: {qfi: 64}",
     "16:14: gtp_u.qfi: found '64', expected none, or a whole number from 0 to 63"},
    {15, "  - {server: s, ue: 10.45.0.2}\ngtp_u: {radio: '2001:db8::2'}",
     "16:16: gtp_u: found one IPv4 and one IPv6 address, expected `core` and `radio` of one version"},
    {15, "  - {server: s, ue: 10.45.0.2}\ngtp_u: {core: 198.18.0.3}",
     "16:8: gtp_u: found 198.18.0.3 twice, as `core` and as a base station (198.18.0.2 and 198.18.0.3); the "
     "tunnels' ends are three hosts"},
    {15, "  - {server: s, ue: 10.45.0.2}\ngtp_u: {radio: 223.255.255.255}",
     "16:16: gtp_u: found 198.18.0.1, 223.255.255.255 and 224.0.0.0, which is for the next base station, "
     "expected addresses of hosts"},
    {15,
     "  - {server: s, ue: 10.45.0.2}\nchanges: [{at: 3s, ue: 10.45.0.2, downlink: "
     "{aqm: {sbd: {minth: 50sdu}}}}]",
     "16:51: changes[0].downlink.aqm.sbd: found minth 50sdu (given) and maxth 40sdu (the default), expected "
     "minth below maxth; lower minth or raise maxth"},
};

INSTANTIATE_TEST_SUITE_P(Scenario, Refused, ::testing::ValuesIn(kRefusals));

TEST(Scenario, WithoutAFlowIsRefused) {
  EXPECT_EQ(
      problems_of(load(with_line(15, "").replace(std::string(kShaped).find("flows:"), 6, "flows: []"))),
      "t:14:8: flows: found an empty list, expected at least one such as {server: NAME, ue: 10.45.0.2}; "
      "nothing would be sent\n");
  EXPECT_EQ(problems_of(load(with_line(15, ""))),
            "t:14:1: flows: found nothing, expected at least one such as {server: NAME, ue: 10.45.0.2}; "
            "nothing would be sent\n");
}

TEST(Scenario, WithSeveralFaultsAllAreTold) {
  const auto checked = load(kShaped, {"classes.a.downlink.rate=0", "flows.0.ue=10.45.0.9", "duration=1x"});
  EXPECT_FALSE(checked);
  EXPECT_EQ(checked.problems.size(), 3u) << problems_of(checked);
}

TEST(Scenario, AServerOfAnotherFamilyThanTheUeIsRefused) {
  const auto checked = load(kShaped, {"servers.s.address=2001:db8::1"});
  EXPECT_EQ(problems_of(checked),
            "t:15:21: flows[0].ue: found 10.45.0.2, expected an IPv6 UE, as the address of the server `s` is "
            "one\n");
}

TEST(Scenario, AWayThatTakesNoTimeIsRefused) {
  const auto checked =
      load(kShaped, {"classes.a.downlink={link: wire}", "classes.a.uplink={link: wire}", "wires.w={}"});
  EXPECT_EQ(
      problems_of(checked),
      "t:15:14: flows[0].server: found a way without rate and without delay in both directions, on which "
      "time would stand still; give its wire or the class's legs a rate, or the wire a delay\n");
}

TEST(Scenario, OverridesReachItemsOfListsAndNewKeys) {
  const auto s = shaped({"flows.0.count=4", "flows.0.tcp.initial_window=10", "classes.a.downlink.rate=128k"});
  EXPECT_EQ(s.flows[0].count, 4u);
  EXPECT_EQ(s.flows[0].tcp.initial_window, 10);
  EXPECT_EQ(s.classes[0].downlink.rate, 128'000u);
}

TEST(Scenario, TcpIsThePapersUnlessTheFileSaysOtherwise) {
  const auto s = shaped();
  dp::TcpSenderSettings expected;
  expected.congestion = dp::Reno::Config{};
  expected.initial_window = 1;
  expected.limited_transmit = false;
  expected.rto.initial = std::chrono::seconds(3);
  expected.rto.floor = std::chrono::seconds(1);
  expected.rto.ceiling = std::chrono::seconds(64);
  expected.rto.handshake = false;
  EXPECT_EQ(s.flows[0].tcp, expected);
  EXPECT_EQ(s.flows[0].sink.window, 65'535u);
  EXPECT_EQ(s.flows[0].sink.ack_every, 2);
  EXPECT_EQ(s.flows[0].sink.ack_delay, std::chrono::milliseconds(200));
}

TEST(Scenario, AChangeStartsFromWhatTheBearerIsAtThatTime) {
  const auto s =
      shaped({"changes=[{at: 9s, ue: 10.45.0.2, uplink: {rate: 1M}}, "
              "{at: 3s, ue: 10.45.0.2, downlink: {rate: 1M}}]"});
  ASSERT_EQ(s.changes.size(), 2u);
  EXPECT_EQ(s.changes[0].at, std::chrono::seconds(3));
  EXPECT_EQ(s.changes[0].settings.downlink.rate, 1'000'000u);
  EXPECT_EQ(s.changes[0].settings.downlink.buffer.sdus, 100u);
  EXPECT_EQ(s.changes[1].settings.downlink.rate, 1'000'000u);
  EXPECT_EQ(s.changes[1].settings.uplink.rate, 1'000'000u);
}

TEST(Scenario, AnAirLinkOfTheDownlinkIsTheUplinksTooInChangesAsInClasses) {
  const auto s = shaped({"classes.a={downlink: {rate: 384k, link: {am: {fer: 10%}}}}",
                         "changes=[{at: 3s, ue: 10.45.0.2, downlink: {rate: 128k}}, "
                         "{at: 4s, ue: 10.45.0.2, downlink: {link: {am: {fer: 30%}}}}, "
                         "{at: 5s, ue: 10.45.0.2, downlink: {link: shaper}}]"});
  EXPECT_EQ(s.classes[0].uplink.rate, 384'000u);
  ASSERT_EQ(s.changes.size(), 3u);
  EXPECT_EQ(s.changes[0].settings.downlink.rate, 128'000u);
  EXPECT_EQ(s.changes[0].settings.uplink.rate, 384'000u);
  EXPECT_EQ(std::get<dp::AmLinkConfig>(s.changes[1].settings.uplink.link).fer, 0.3);
  EXPECT_TRUE(std::holds_alternative<dp::WireSpec::Config>(s.changes[2].settings.uplink.link));
}

TEST(Scenario, AClassMayHaveAProxyThatChangesOfItsLegsLeaveAlone) {
  const std::string proxy = "classes.a.proxy={split: {initial_window: 3, window: 32kB}}";
  const auto s = shaped({proxy, "changes=[{at: 1s, ue: 10.45.0.2, downlink: {rate: 1M}}]"});
  ASSERT_TRUE(s.classes[0].proxy);
  EXPECT_EQ(s.classes[0].proxy->initial_window, 3);
  ASSERT_EQ(s.changes.size(), 1u);
  EXPECT_EQ(s.changes[0].settings.proxy, s.classes[0].proxy);
  const auto refused = load(kShaped, {proxy, "changes=[{at: 1s, ue: 10.45.0.2, uplink: {ack: [snoop]}}]"});
  EXPECT_NE(problems_of(refused).find("changes[0].uplink.ack: found a proxy beside ACK stages"),
            std::string::npos)
      << problems_of(refused);
}

TEST(Scenario, TrafficIsANameOrAMapOfItsSettings) {
  EXPECT_TRUE(std::holds_alternative<Bulk::Config>(shaped().flows[0].traffic));
  const auto files = shaped({"flows.0.traffic={file: {size: 50kB, gap: 3s}}"});
  EXPECT_EQ(std::get<Files::Config>(files.flows[0].traffic).size, 50'000u);
  EXPECT_EQ(std::get<Files::Config>(files.flows[0].traffic).gap, std::chrono::seconds(3));
  const auto web = shaped({"flows.0.traffic=web"});
  EXPECT_EQ(std::get<Web::Config>(web.flows[0].traffic), Web::Config{});
}

TEST(Scenario, ThePathOfAFileThatIsNotThereIsTold) {
  const auto checked = load_scenario_file("no/such/file.yaml");
  ASSERT_EQ(checked.problems.size(), 1u);
  EXPECT_EQ(to_string(checked.problems[0]),
            "no/such/file.yaml: cannot be read: No such file or directory; give the path of a scenario");
}

}  // namespace
}  // namespace lab
