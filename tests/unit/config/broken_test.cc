// Broken files, and the message of each. If one file breaks several rules, each has its message.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/unit/config/support.h"

namespace config {
namespace {

struct Broken {
  std::string file;
  std::vector<std::string> messages;  // one for each problem, in their order; a part of its text
};

class BrokenFile : public ::testing::TestWithParam<Broken> {};

TEST_P(BrokenFile, IsRefusedWithMessagesThatHelp) {
  const std::string path = testing::source_path("tests/unit/config/broken/" + GetParam().file + ".yaml");
  const auto loaded = load_file(path);
  EXPECT_FALSE(loaded);
  ASSERT_EQ(loaded.problems.size(), GetParam().messages.size()) << testing::all_problems(loaded);
  for (std::size_t i = 0; i < loaded.problems.size(); ++i) {
    const auto text = to_string(loaded.problems[i]);
    EXPECT_EQ(text.find(path), 0u) << text;
    EXPECT_NE(text.find(GetParam().messages[i]), std::string::npos)
        << "says:     " << text << "\nexpected: " << GetParam().messages[i];
  }
}

const std::vector<Broken> kFiles{
    {"unknown_key", {":6:3: dataplane: found the unknown key `mod`; did you mean `mode`?"}},
    {"wrong_type",
     {":4:9: dataplane.cpus: found 'two', expected auto, or a list of CPU numbers such as [0, 1]",
      ":5:10: classes: found a list, expected a map"}},
    {"missing_keys",
     {":1:1: the key `version` is missing; it takes 1", ":3:5: dataplane.ports: the key `radio` is missing",
      ":6:15: classes.internet.downlink: the key `rate` is missing; `link: shaper` needs one",
      ":7:10: classes.voice: the key `downlink` is missing"}},
    {"out_of_range",
     {":5:27: classes.slow.downlink.rate: found '999', expected a rate from 1k to 100G",
      ":6:27: classes.fast.downlink.rate: found '101G', expected a rate from 1k to 100G",
      ":7:46: classes.deep.downlink.buffer.sdus: found '1000001', expected a number of SDUs from 1sdu to",
      ":7:62: classes.deep.downlink.buffer.bytes: found '4GiB', expected a size from 1500B to 4294967295B"}},
    {"unknown_unit",
     {":4:11: dataplane.memory: found '256MIB', expected auto, or a size such as 1500B",
      ":6:31: classes.internet.downlink.rate: found '8 Mbps', expected a rate such as 384k"}},
    {"duplicate_keys", {":6:3: found the key `mode` twice, the first time in line 4; keep one"}},
    {"tabs", {":3:1: found a tab in the indentation, expected spaces", ":4:1: found a tab"}},
    {"not_yaml", {"this is not YAML: "}},
    {"empty", {":1:1: found an empty file, expected a configuration; the least begins with `version: 1`"}},
    {"devices",
     {":4:20: dataplane.ports.core.device: found 'eth1', expected af_xdp:IF, af_packet:IF, tap:NAME, "
      "pcap:IN,OUT, null, or a PCI address such as 0000:03:00.0; for an interface write af_xdp:eth1",
      ":5:21: dataplane.ports.radio.device: found 'af_xdp:an-interface-name-too-long', expected an interface "
      "name of 1 to 15 characters"}},
    {"same_interface", {":5:21: dataplane.ports.radio.device: found the interface eth1 on both ports"}},
    {"shortcut",
     {":5:20: dataplane.wire.shortcut: found strangers beside `unknown: drop`, expected none or unparsed: "
      "what "
      "takes the short-cut is not dropped; write `shortcut: unparsed`, or `unknown: pass`"}},
    {"workers", {":4:12: dataplane.workers: found '65', expected auto, or a whole number from 1 to 64"}},
    {"worker_cpus",
     {":5:9: dataplane.cpus: found 4 CPUs for workers: 2, expected at most 3: the main one and one a "
      "worker"}},
    {"legs",
     {":6:32: classes.internet.downlink.aqm: found 'drop-tial', expected drop-tail, ",
      ":7:14: classes.internet.uplink.rate: found `rate`, but the link of this leg is `wire`",
      ":9:32: classes.video.downlink.link: found a map, expected one name (wire, shaper, am, cell or um), or "
      "a "
      "map of "
      "one "
      "name",
      ":10:14: classes.video.uplink.buffer: found `buffer`, but the link of this leg is `wire`"}},
    {"air",
     {":7:32: classes.half.uplink: found the link `shaper`, but the other direction's is `am`: its STATUS "
      "PDUs "
      "come back this way; write `link: am`, or leave it out",
      ":9:5: classes.other_half.downlink: found the link `shaper`, but the other direction's is `am`",
      ":12:22: classes.fast.downlink: found the rate 5M, but an `am` link carries at most 64 PDUs a TTI: "
      "2048k",
      ":15:31: classes.torn.uplink: found RLC settings that differ from the downlink's; both directions "
      "share",
      ":17:34: classes.traceless.downlink: found `channel: trace` without a trace",
      ":19:68: classes.sharing.downlink: found `errors: pdu` beside `shared_errors: yes`, but bearers that "
      "send different PDUs cannot lose the same ones; write `shared_errors: no`, or `errors: frame`",
      ":21:48: classes.fading.downlink: found `errors: pdu` beside the channel `markov`, which loses whole "
      "frames, one after another; expected a channel without memory: write `channel: bernoulli`, or "
      "`errors: frame`",
      ":24:31: classes.upwards.uplink: found `channel: trace` without a trace",
      ":24:74: classes.upwards.uplink: found `errors: pdu` beside the channel `trace`"}},
    {"cells",
     {":11:30: classes.backwards.uplink.link: found the link `cell`, which shares downlink slots; write "
      "`link: wire`, or `link: shaper` and a rate",
      ":13:18: cells.north.slots: found 700, expected a divisor of 24000, such as 600 or 750",
      ":14:20: cells.south.members: found 1, but `bearers` lists 2 in this cell; expected at least as many",
      ":15:3: cells: found 'two words', expected a cell's name: 1 to 64 of",
      ":15:28: cells.two words.scheduler: found 'pf-pr', expected pf, pf-sp, pf-rp, round-robin or max-rate; "
      "did you mean `pf-rp`?",
      ":16:17: cells.fast.slots: found 7999, expected a divisor of 24000, such as 6000 or 8000",
      ":18:5: bearers[0]: the key `cell` is missing; the link of its `class`, shared, is `cell`: write in "
      "which, `cell: NAME`",
      ":19:41: bearers[1].cell: found `cell`, but the downlink's link of its `class`, plain, is `shaper`; "
      "remove it, or take a class whose link is `cell`",
      ":20:42: bearers[2].cell: found 'suoth', expected a cell that is defined under `cells`; did you mean "
      "`south`?",
      ":23:5: bearers[5]: the key `cell` is missing"}},
    {"bearers",
     {":8:28: bearers[1].class: found 'internt', expected a class that is defined under `classes`; did you "
      "mean "
      "`internet`?",
      ":9:10: bearers[2].ue: found '10.45.0.0/16', expected a UE: an IPv4 address, an IPv6 /64 or an IPv6 "
      "/128; "
      "this is a prefix: to learn a bearer for each of its UEs add `learn: uplink`",
      ":10:10: bearers: found 10.45.0.2 twice, the first time in line 7; keep one",
      ":12:10: bearers: found 10.46.0.0/16 twice, the first time in line 11; keep one",
      ":13:45: bearers[6]: found `limit` in a bearer that is not learnt; remove it, or add `learn: uplink`",
      ":14:10: bearers[7].ue: found '10.48.0.1/16', expected a prefix without host bits; write "
      "10.48.0.0/16"}},
};

INSTANTIATE_TEST_SUITE_P(Config, BrokenFile, ::testing::ValuesIn(kFiles),
                         [](const auto& info) { return info.param.file; });

}  // namespace
}  // namespace config
