#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/unit/config/support.h"

namespace config {
namespace {

using testing::all_problems;
using testing::minimal;

Loaded load_with(const std::vector<std::string>& flags, const std::string& text = minimal()) {
  Overrides overrides;
  for (const auto& flag : flags) overrides.push_back(*override_from_flag(flag));
  return load_text(text, "t", overrides);
}

TEST(Overrides, AFlagCountsBeforeTheFileAndAKeyMayBeNew) {
  const auto loaded = load_with({"log.level=debug", "dataplane.mode=tap", "dataplane.cpus=[1, 2]"},
                                minimal("log: {level: error, format: json}\n"));
  ASSERT_TRUE(loaded) << all_problems(loaded);
  EXPECT_EQ(loaded->log, (Log{"debug", LogFormat::json}));
  EXPECT_EQ(loaded->dataplane.mode, dp::Mode::tap);
  EXPECT_EQ(loaded->dataplane.cpus, (std::vector<unsigned>{1, 2}));
  EXPECT_EQ(loaded->dataplane.devices[0], "af_xdp:eth1");
}

TEST(Overrides, TheLaterOneCounts) {
  EXPECT_EQ(load_with({"log.level=debug", "log.level=error"})->log.level, "error");
}

TEST(Overrides, AFlagMayGiveWhatTheFileLacks) {
  const auto loaded = load_with({"dataplane.ports.core.device=af_xdp:a", "dataplane.ports.radio.device=null"},
                                "version: 1\n");
  ASSERT_TRUE(loaded) << all_problems(loaded);
  EXPECT_EQ(loaded->dataplane.devices[0], "af_xdp:a");
  EXPECT_EQ(loaded->dataplane.devices[1], "null");
}

TEST(Overrides, AnItemOfAListIsNamedByItsNumber) {
  const auto text = minimal(
      "classes: {a: {downlink: {rate: 1M}}, b: {downlink: {rate: 2M}}}\n"
      "bearers: [{ue: 10.45.0.2, class: a}, {ue: 10.45.0.3, class: a}]\n");
  const auto loaded = load_with({"bearers.1.class=b"}, text);
  ASSERT_TRUE(loaded) << all_problems(loaded);
  EXPECT_EQ(loaded->bearers[0].cls, 0);
  EXPECT_EQ(loaded->bearers[1].cls, 1);
  EXPECT_EQ(all_problems(load_with({"bearers.0.class=c"}, text)),
            "--set bearers.0.class=c: bearers[0].class: found 'c', expected a class that is defined under "
            "`classes`: a or b\n");
  EXPECT_NE(
      all_problems(load_with({"bearers.2.class=b"}, text)).find("bearers: found a map, expected a list"),
      std::string::npos);
}

TEST(Overrides, ProblemsNameTheFlag) {
  EXPECT_EQ(
      all_problems(load_with({"dataplane.mode=tpa"})),
      "--set dataplane.mode=tpa: dataplane.mode: found 'tpa', expected inline, tap, bypass or block; did you "
      "mean `tap`?\n");
  EXPECT_EQ(all_problems(load_with({"log.levl=debug"})),
            "--set log.levl=debug: log: found the unknown key `levl`; did you mean `level`?\n");
  EXPECT_NE(all_problems(load_with({"log.level.deep=1"})).find("log.level: found a map, expected trace"),
            std::string::npos);
}

TEST(Overrides, BracketsThatAreNoYamlAreText) {
  const auto loaded = load_with({"metrics.listen=[::1]:9464"});
  ASSERT_TRUE(loaded) << all_problems(loaded);
  EXPECT_EQ(loaded->metrics.listen, "[::1]:9464");
}

TEST(Overrides, TheReadOnlySocketIsOffOrAPathOfItsOwn) {
  EXPECT_EQ(load_with({"control.read_only=off"})->control.read_only, "");
  EXPECT_EQ(load_with({"control.read_only=/run/r"})->control.read_only, "/run/r");
  EXPECT_NE(all_problems(load_with({"control.read_only=/run/s", "control.socket=/run/s"}))
                .find("control.read_only: found the path of control.socket, expected another one"),
            std::string::npos);
}

TEST(Overrides, BytesThatAreNoTextAreRefused) {
  EXPECT_EQ(all_problems(load_with({"control.socket=/run/\xff"})),
            "control.socket: found bytes that are no text, expected UTF-8\n");
}

TEST(Overrides, AClassWithDotsInItsNameIsFound) {
  const auto loaded =
      load_with({"classes.a.b.downlink.rate=2M"}, minimal("classes: {a.b: {downlink: {rate: 1M}}}\n"));
  ASSERT_TRUE(loaded) << all_problems(loaded);
  EXPECT_EQ(loaded->classes[0].downlink.rate, 2'000'000u);
}

TEST(Overrides, AFlagWithoutKeyOrValueIsAUsageError) {
  for (const auto* text : {"", "mode", "=tap", ".mode=tap", "a..b=1", "a.=1"}) {
    const auto parsed = override_from_flag(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().exit_code, 2);
  }
}

TEST(Overrides, VariablesAreNamedAfterTheirKeys) {
  const std::array<const char*, 6> variables{"HOME=/root",          "RNCD_DATAPLANE_MAX_BEARERS=7",
                                             "RNCD_SERVICE_HOST=x", "RNCD_METRICS_PER_BEARER_TOP=no",
                                             "RNCD_DATAPLANE=1",    nullptr};
  const auto environment = overrides_from_environment(variables.data());
  EXPECT_EQ(environment.unknown, (std::vector<std::string>{"RNCD_SERVICE_HOST", "RNCD_DATAPLANE"}));
  ASSERT_EQ(environment.overrides.size(), 2u);
  EXPECT_EQ(environment.overrides[0].key, "dataplane.max_bearers");
  const auto loaded = load_text(minimal(), "t", environment.overrides);
  EXPECT_EQ(
      all_problems(loaded),
      "RNCD_METRICS_PER_BEARER_TOP: metrics.per_bearer.top: found 'no', expected a whole number such as 8\n");
}

}  // namespace
}  // namespace config
