#include "control/told/daemon/settings.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>
#include <unistd.h>

namespace control::told {
namespace {

// A secret file of its own, and a configuration that names it.
class ToldSettingsTest : public ::testing::Test {
 protected:
  ToldSettingsTest() { write_secret("testing123\n", std::filesystem::perms::owner_read); }
  ~ToldSettingsTest() override { std::filesystem::remove(secret_); }

  void write_secret(const std::string& text, std::filesystem::perms perms) {
    std::filesystem::remove(secret_);
    std::ofstream(secret_) << text;
    std::filesystem::permissions(secret_, perms);
  }
  config::Checked<ToldConfig> load(const std::string& radius, const std::string& more = "") {
    return load_config_text("version: 1\ntold:\n  radius: " + radius + "\n  default_class: internet\n" + more,
                            "told.yaml");
  }
  config::Checked<ToldConfig> load_usual(const std::string& more = "") {
    return load("{clients: [{network: 127.0.0.0/8, secret_file: " + secret_ + "}]}", more);
  }
  std::string first_problem(const config::Checked<ToldConfig>& config) {
    return config.problems.empty() ? "" : config::to_string(config.problems.front());
  }

  std::string secret_ =
      (std::filesystem::temp_directory_path() / ("told_secret_" + std::to_string(::getpid()))).string();
};

TEST_F(ToldSettingsTest, AFileWithTheLeastHasTheDefaults) {
  const auto config = load_usual();
  ASSERT_TRUE(config) << first_problem(config);
  EXPECT_EQ(config->told.radius.clients[0].secret, "testing123");
  EXPECT_EQ(config->told.radius.listen.port, 1813);
  EXPECT_EQ(config->told.max_sessions, 100'000u);
  EXPECT_TRUE(config->told.radius.answer);
  EXPECT_EQ(config->told.rncd, "/run/rncd/rncd.sock");
}

TEST_F(ToldSettingsTest, CoaHasAnAddressOfItsOwnIfItIsNamed) {
  const auto with = [&](const std::string& coa) {
    return load("{clients: [{network: 127.0.0.0/8, secret_file: " + secret_ + "}]" + coa + "}");
  };
  EXPECT_FALSE(with("")->told.radius.coa);
  EXPECT_FALSE(with(", coa: off")->told.radius.coa);
  const auto named = with(", coa: \"[::]:3799\"");
  ASSERT_TRUE(named) << first_problem(named);
  EXPECT_EQ(to_string(*named->told.radius.coa), "[::]:3799");
  EXPECT_NE(first_problem(with(", coa: 3799")).find("told.radius.coa: found '3799', expected ADDRESS:PORT"),
            std::string::npos)
      << first_problem(with(", coa: 3799"));
}

TEST_F(ToldSettingsTest, PfcpAloneIsEnoughAndNoSourceIsNot) {
  const auto with = [](const std::string& source) {
    return load_config_text("version: 1\ntold:\n  default_class: internet\n" + source, "told.yaml");
  };
  const auto mirror = with("  pfcp: {interface: eth3}\n");
  ASSERT_TRUE(mirror) << first_problem(mirror);
  EXPECT_EQ(mirror->told.pfcp.interface, "eth3");
  EXPECT_NE(first_problem(with("")).find("found neither `pfcp` nor `radius`"), std::string::npos);
  EXPECT_NE(first_problem(with("  pfcp: {}\n")).find("interface"), std::string::npos);
  EXPECT_NE(first_problem(with("  pfcp: {interface: a-name-that-is-too-long}\n")).find("at most 15"),
            std::string::npos);
}

TEST_F(ToldSettingsTest, RowsOfClassesAreRead) {
  const auto config = load_usual(
      "  classes: [{qfi: 1, class: voice}, {match: {class_attribute: \"gold-*\"}, class: gold}]\n");
  ASSERT_TRUE(config) << first_problem(config);
  EXPECT_EQ(config->told.classes[0].qfi, 1);
  EXPECT_EQ(config->told.classes[1].class_attribute, "gold-*");
  EXPECT_EQ(config->told.classes[1].class_name, "gold");
}

TEST_F(ToldSettingsTest, ASecretThatOthersCanReadIsRefusedWithTheRemedy) {
  write_secret("testing123\n", std::filesystem::perms::owner_read | std::filesystem::perms::others_read);
  const auto config = load_usual();
  ASSERT_FALSE(config);
  EXPECT_EQ(first_problem(config),
            "told.yaml:3:58: told.radius.clients[0].secret_file: found " + secret_ +
                " with the mode 0404, expected a secret that others cannot read; chmod 0400 " + secret_);
}

TEST_F(ToldSettingsTest, AnEmptyOrAbsentSecretIsRefused) {
  write_secret("\n", std::filesystem::perms::owner_read);
  EXPECT_NE(first_problem(load_usual()).find("found a first line of 0 octets"), std::string::npos);
  std::filesystem::remove(secret_);
  EXPECT_NE(first_problem(load_usual()).find("cannot be read"), std::string::npos);
}

TEST_F(ToldSettingsTest, FaultsAreNamedWithTheirPlaces) {
  EXPECT_NE(first_problem(load("{clients: []}")).find("told.radius.clients"), std::string::npos);
  EXPECT_NE(first_problem(load("{listen: \"1813\", clients: []}")).find("told.yaml:3"), std::string::npos);
  EXPECT_NE(first_problem(load_usual("  max_sessoins: 1\n")).find("max_sessions"), std::string::npos);
  EXPECT_NE(first_problem(load_usual("  classes: [{class: gold}]\n")).find("match"), std::string::npos);
  EXPECT_FALSE(load_usual("  classes: [{qfi: 64, class: gold}]\n"));
  EXPECT_FALSE(load_usual("  classes: [{match: {name: x}, class: gold}]\n"));
  EXPECT_FALSE(load_usual("  default_class: \"a b\"\n"));
  EXPECT_FALSE(load_config_text("told: {}\n", "told.yaml"));
}

TEST_F(ToldSettingsTest, TheExampleIsValidOnceItsSecretIsThere) {
  const std::string path = std::string(RNCD_SOURCE_ROOT) + "/control/told/told.example.yaml";
  std::ifstream in(path);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::string named = "/run/credentials/rncd-told.service/radius.secret";
  const auto at = text.find(named);
  ASSERT_NE(at, std::string::npos);
  const auto config = load_config_text(text.replace(at, named.size(), secret_), path);
  ASSERT_TRUE(config) << first_problem(config);
  EXPECT_EQ(config->told.classes.size(), 1u);
}

TEST(ToldNetworks, AnyNetworkIsTakenAndHostBitsAreNot) {
  EXPECT_EQ(parse_network("127.0.0.0/8")->length, 8);
  EXPECT_EQ(parse_network("127.0.0.1")->length, 32);
  EXPECT_EQ(parse_network("0.0.0.0/0")->lo, 0u);
  EXPECT_EQ(parse_network("::1")->length, 128);
  EXPECT_EQ(parse_network("2001:db8::/32")->hi, 0x20010db800000000u);
  for (const char* const text :
       {"", "/", "10.0.0.0/33", "10.0.0.1/8", "10.0.0.0/", "::/129", "10.0.0/8", "10.0.0.0/x"}) {
    EXPECT_FALSE(parse_network(text)) << text;
  }
}

TEST(ToldNetworks, AnEndpointIsAnAddressAndAPort) {
  EXPECT_EQ(to_string(*parse_endpoint("0.0.0.0:1813")), "0.0.0.0:1813");
  EXPECT_EQ(to_string(*parse_endpoint("[::1]:3799")), "[::1]:3799");
  for (const char* const text :
       {"", ":1813", "0.0.0.0", "0.0.0.0:0", "0.0.0.0:65536", "::1:1813", "[0.0.0.0]:1", "x:1"}) {
    EXPECT_FALSE(parse_endpoint(text)) << text;
  }
}

}  // namespace
}  // namespace control::told
