#include "config/print.h"

#include <algorithm>
#include <random>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "config/schema.h"
#include "tests/support/runs.h"
#include "tests/unit/config/support.h"

namespace config {
namespace {

// Valid configurations at random, every key with every kind of value.
class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  Config make() {
    Config c;
    c.dataplane = dataplane();
    const std::size_t classes = below(5);
    for (std::size_t i = 0; i < classes; ++i) {
      c.classes.push_back(
          {pick({"null", "yes", "007", "a.b", "-x", "umts_384"}) + std::to_string(i), leg(), leg()});
      if (below(3) == 0) c.classes.back().profile = "low-delay";
      if (!buffers(c.classes.back().downlink)) continue;
      const auto beside = below(3);  // ACK stages, a proxy, neither
      if (beside == 0) c.classes.back().uplink.ack = acks();
      if (beside == 1) c.classes.back().proxy = proxy();
    }
    for (auto n = below(3); n > 0; --n)
      c.cells.push_back({pick({"north", "7", "null"}) + std::to_string(n), cell()});
    if (classes > 0) bearers(c);
    c.control = {pick({"/run/x.sock", "a b", "it's: {odd} #1", "\"q\""}),
                 static_cast<std::uint32_t>(below(0777)),
                 pick({"", "rncctl", "990"}),
                 pick({"", "/etc/rncd/traces"}),
                 pick({"", "/run/read only.sock"}),
                 static_cast<std::uint32_t>(below(0777)),
                 pick({"", "/var/lib/rncd/state"})};
    c.metrics = {pick({"", "127.0.0.1:1", "[::1]:65535"}), static_cast<std::uint32_t>(below(1000))};
    c.dataplane.wire.on_failure = below(2) == 0 ? dp::OnFailure::open : dp::OnFailure::closed;
    c.dataplane.wire.failure_scope = below(2) == 0 ? dp::FailureScope::worker : dp::FailureScope::wire;
    c.dataplane.wire.stale_after = std::chrono::milliseconds(10 + below(9'990));
    c.dataplane.wire.shortcut =
        static_cast<dp::Shortcut>(below(c.dataplane.unknown == dp::Unknown::pass ? 3 : 2));
    c.modes.drain_timeout = std::chrono::milliseconds(below(600'001));
    c.log = {pick({"trace", "error"}), below(2) == 0 ? LogFormat::text : LogFormat::json};
    return c;
  }

 private:
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  std::string pick(std::vector<std::string> from) { return from[below(from.size())]; }

  Dataplane dataplane() {
    Dataplane d;
    d.devices = {pick({"af_xdp:eth1", "null", "tap:core"}), pick({"0000:03:00.0", "null", "pcap:a b,c: d"})};
    if (below(2)) d.workers = 3 + static_cast<std::uint32_t>(below(62));
    for (unsigned cpu = 0; cpu < 4; ++cpu) {
      if (below(2)) d.cpus.push_back(cpu);
    }
    d.mode = static_cast<dp::Mode>(below(4));
    d.unknown = static_cast<dp::Unknown>(below(2));
    d.power = static_cast<PowerChoice>(below(3));
    if (below(2)) d.huge_pages = below(2) == 0;
    if (below(2)) d.memory = (1u << 20) + below(1u << 30);
    if (below(2)) d.max_bearers = 100 + static_cast<std::uint32_t>(below(999'000));
    d.bypass_hook = pick({"", "/usr/sbin/relays", "/opt/a b"});
    d.link_propagation = below(2) == 0;
    d.proxy_store = static_cast<double>(below(101)) / 100;
    for (auto n = below(3); n > 0; --n)
      d.eal.push_back(pick({"--log-level=lib.eal:7", "-v", "a, b", "x # y", "\n"}));
    return d;
  }

  dp::LegSettings leg() {
    dp::LegSettings l;
    l.gate = static_cast<dp::Gate>(below(dp::kGates));
    if (below(3) == 0) return l;
    l.link = dp::ShaperSpec::Config{};
    l.rate = dp::kMinRate + below(dp::kMaxRate - dp::kMinRate + 1);
    l.buffer = {
        1 + static_cast<std::uint32_t>(below(1'000'000)),
        dp::Amount::kSduBytes + static_cast<std::uint32_t>(below(0xffffffff - dp::Amount::kSduBytes))};
    return l;
  }

  static bool buffers(const dp::LegSettings& leg) {
    return !std::holds_alternative<dp::WireSpec::Config>(leg.link);
  }
  dp::AckSettings acks() {
    dp::AckSettings a;
    a.stages = 1;
    a.stage[0] =
        dp::AckRateSpec::Config{.maxd = dp::Duration{static_cast<std::int64_t>(below(10'000'000'001))}};
    a.flows = {1 + static_cast<std::uint32_t>(below(65'536)), std::chrono::seconds(1 + below(1000)),
               std::chrono::milliseconds(1000 + below(1000))};
    a.max_held = 1 + static_cast<std::uint32_t>(below(65'536));
    return a;
  }

  dp::SplitConfig proxy() {
    dp::SplitConfig s;
    s.initial_window = static_cast<std::uint16_t>(1 + below(1000));
    s.window = 4096 + static_cast<std::uint32_t>(below((1u << 24) - 4095));
    s.store = s.window + static_cast<std::uint32_t>(below((1u << 30) - s.window + 1));
    s.min_rto = std::chrono::milliseconds(10 + below(59'990));
    s.congestion = static_cast<dp::SplitCongestion>(below(2));
    s.ack_every = static_cast<std::uint16_t>(1 + below(1000));
    s.ack_delay = std::chrono::milliseconds(below(501));
    s.retries = static_cast<std::uint16_t>(1 + below(1000));
    s.max_flows = 1 + static_cast<std::uint32_t>(below(4096));
    s.idle = std::chrono::seconds(1 + below(86'400));
    const auto base = static_cast<std::uint16_t>(1 + below(60'000));
    s.ports.count = static_cast<std::uint8_t>(below(dp::SplitPorts::kMost + 1));
    for (std::size_t i = 0; i < s.ports.count; ++i)
      s.ports.port[i] = static_cast<std::uint16_t>(base + 7 * i);
    return s;
  }

  dp::CellSettings cell() {
    dp::CellSettings s;
    if (below(2)) s.scheduler = dp::PfRatePrioritySpec::Config{0.01, below(1'000'000)};
    s.slots = below(2) ? 500 : 8000;
    s.members = 1 + static_cast<std::uint32_t>(below(4096));
    s.share = 0.5;
    s.short_share = 0.25;
    s.newcomer = static_cast<dp::CellNewcomer>(below(2));
    s.idle = static_cast<dp::CellIdle>(below(2));
    return s;
  }
  void bearers(Config& c) {
    std::set<dp::UeAddress> ues;
    for (auto n = below(20); n > 0; --n) {
      ues.insert(dp::ue_ipv4(static_cast<std::uint32_t>(random_())));
      ues.insert(dp::ue_ipv6_64(random_()));
      ues.insert(dp::ue_ipv6_128(random_(), random_()));
    }
    std::erase_if(
        ues, [](const dp::UeAddress& ue) { return !dp::parse_ue(to_string(ue)); });  // these belong to no UE
    for (const auto& ue : ues) c.bearers.push_back({ue, static_cast<dp::ClassId>(below(c.classes.size()))});
    for (unsigned length = 32; length > 8; length -= 8) {
      const auto prefix = dp::parse_prefix("10.0.0.0/" + std::to_string(length));
      c.learn.push_back({*prefix, static_cast<dp::ClassId>(below(c.classes.size())),
                         1 + static_cast<std::uint32_t>(below(1'000'000)),
                         below(2) == 0 ? dp::LearnFrom::uplink : dp::LearnFrom::both,
                         std::chrono::seconds(below(5) == 0 ? 0 : 1 + below(100'000))});
    }
  }

  std::mt19937_64 random_;
};

TEST(Print, EveryPrintedConfigurationLoadsBackEqual) {
  for (unsigned seed = 0; seed < std::max(50u, dp::test::runs_of(500)); ++seed) {
    const Config config = Generator(seed).make();
    const auto text = print_config(config).dump();
    const auto loaded = load_text(text, "t");
    ASSERT_TRUE(loaded) << testing::all_problems(loaded) << text;
    ASSERT_EQ(*loaded, config) << text;
  }
}

TEST(Print, JsonHasTheNotationOfTheFile) {
  const auto loaded = load_file(testing::source_path("config/rncd.example.yaml"));
  ASSERT_TRUE(loaded);
  const auto json = to_json(*loaded);
  EXPECT_EQ(json["version"], 1);
  EXPECT_EQ(json["classes"]["internet"]["downlink"]["rate"], "8M");
  EXPECT_EQ(json["classes"]["umts-384"]["uplink"]["link"], "wire");
  EXPECT_EQ(json["bearers"][0]["ue"], "10.45.0.2");
  EXPECT_EQ(json["dataplane"]["workers"], "auto");
  EXPECT_EQ(to_json(loaded->classes[0].uplink)["buffer"]["sdus"], "20sdu");
}

TEST(Print, JsonIsValidYamlToo) {
  const auto loaded = load_file(testing::source_path("config/rncd.example.yaml"));
  ASSERT_TRUE(loaded);
  const auto again = load_text(to_json(*loaded).dump(), "t");
  ASSERT_TRUE(again) << testing::all_problems(again);
  EXPECT_EQ(again->dataplane, loaded->dataplane);
  EXPECT_EQ(again->bearers.size(), loaded->bearers.size());
}

}  // namespace
}  // namespace config
