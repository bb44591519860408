// A family whose members have settings, which no configuration code knows: what its list and field tables say
// must be enough to load, print and explain it.
#include "config/choice.h"

#include <array>
#include <string>

#include <gtest/gtest.h>

#include "config/notation/yaml.h"
#include "dataplane/base/typelist.h"

namespace config {
namespace {

struct Plain {
  static constexpr std::string_view kName = "plain";
  static constexpr std::string_view kDoc = "nothing to set";
  struct Config {
    static constexpr dp::FieldTable<> kFields{};
    friend bool operator==(const Config&, const Config&) = default;
  };
};

enum class DropFrom : std::uint8_t { arriving, front };
constexpr std::array<std::string_view, 2> kDropFromNames{"arriving", "front"};
constexpr std::array<std::string_view, 3> kShapeNames{"flat", "round", "steep"};

struct Tuned {
  static constexpr std::string_view kName = "tuned";
  static constexpr std::string_view kDoc = "one setting of each kind";
  struct Config {
    dp::Duration target{5'000'000};
    std::uint32_t floor = 10;
    std::uint32_t room = 1500;
    std::uint64_t peak = 1'000'000;
    std::uint16_t flows = 64;
    double share = 0.25;
    double slope = 0.5;
    bool gentle = true;
    DropFrom victim = DropFrom::front;
    std::uint8_t shape = 1;
    static constexpr dp::FieldTable kFields{
        dp::Field{"target", &Config::target, dp::Unit::duration, dp::Duration{1'000},
                  dp::Duration{1'000'000'000}, "delay aimed at", "RFC 1, 2.3"},
        dp::Field{"floor", &Config::floor, dp::Unit::sdus, 0u, 100u, "never below", ""},
        dp::Field{"room", &Config::room, dp::Unit::bytes, 1u, 65'536u, "held back", ""},
        dp::Field{"peak", &Config::peak, dp::Unit::rate, std::uint64_t{1'000}, std::uint64_t{1'000'000'000},
                  "at most", ""},
        dp::Field{"flows", &Config::flows, dp::Unit::count, std::uint16_t{1}, std::uint16_t{1024}, "how many",
                  ""},
        dp::Field{"share", &Config::share, dp::Unit::ratio, 0.0, 1.0, "of the capacity", ""},
        dp::Field{"slope", &Config::slope, dp::Unit::number, 0.0, 20.0, "how steep", ""},
        dp::Field{"gentle", &Config::gentle, "takes its time", "RFC 2"},
        dp::Field{"victim", &Config::victim, kDropFromNames, "which one goes", ""},
        dp::Field{"shape", &Config::shape, kShapeNames, "how it looks", ""},
    };
    friend bool operator==(const Config&, const Config&) = default;
  };
};

using ToyList = dp::TypeList<Plain, Tuned>;
using Configs = ToyList::Configs;

struct Read {
  Configs value;
  std::string problems;
};

Read read(const std::string& text) {
  Tree tree("t");
  std::vector<Problem> problems;
  Reader reader(tree, "aqm", false);
  Read out;
  if (const auto root = parse_yaml(text, tree, 0, problems)) {
    load_value(reader, tree.node(*root), Choice<ToyList>{}, out.value);
  }
  for (const auto& p : reader.take()) problems.push_back(p);
  for (const auto& p : problems) out.problems += to_string(p) + "\n";
  return out;
}

TEST(Choice, ANameAloneIsTheMemberWithItsDefaults) {
  const auto result = read("tuned");
  EXPECT_EQ(result.problems, "");
  EXPECT_EQ(result.value, Configs(Tuned::Config{}));
}

TEST(Choice, SettingsOfEveryUnitReachTheirMembers) {
  const auto result = read(
      "{tuned: {target: 1.5ms, floor: 3sdu, room: 2KiB, peak: 8M, flows: 128, share: 10%, slope: 2.5, "
      "gentle: no, victim: arriving, shape: steep}}");
  EXPECT_EQ(result.problems, "");
  EXPECT_EQ(result.value, Configs(Tuned::Config{dp::Duration{1'500'000}, 3, 2048, 8'000'000, 128, 0.1, 2.5,
                                                false, DropFrom::arriving, 2}));
}

TEST(Choice, RangesUnitsAndNamesAreChecked) {
  const auto result = read(
      "{tuned: {target: 2s, floor: 101, room: 0, peak: 8m, flows: 70000, share: 101%, slope: 1%, gentle: 1, "
      "victim: frnt, shape: 1, x: 1}}");
  for (const auto* expected :
       {"aqm.tuned.target: found '2s', expected a duration from 1us to 1s",
        "aqm.tuned.floor: found '101', expected a number of SDUs from 0sdu to 100sdu",
        "aqm.tuned.room: found '0', expected a size from 1B to 64KiB",
        "aqm.tuned.peak: found '8m', expected a rate such as",
        "aqm.tuned.flows: found '70000', expected a whole number from 1 to 1024",
        "aqm.tuned.share: found '101%', expected a ratio from 0 to 1",
        "aqm.tuned.slope: found '1%', expected a number such as",
        "aqm.tuned.gentle: found '1', expected yes or no",
        "aqm.tuned.victim: found 'frnt', expected arriving or front; did you mean `front`?",
        "aqm.tuned.shape: found '1', expected flat, round or steep",
        "aqm.tuned: found the unknown key `x`, expected target, floor, room, peak, flows, share, slope, "
        "gentle, victim or shape"}) {
    EXPECT_NE(result.problems.find(expected), std::string::npos) << expected << "\n" << result.problems;
  }
}

TEST(Choice, AnUnknownMemberIsRefusedWithTheNearest) {
  EXPECT_NE(read("tunde").problems.find("found 'tunde', expected plain or tuned; did you mean `tuned`?"),
            std::string::npos);
  EXPECT_NE(read("{sbd: {}}").problems.find("t:1:2: aqm: found 'sbd', expected plain or tuned"),
            std::string::npos);
  EXPECT_NE(read("{plain: {}, tuned: {}}").problems.find("expected one name"), std::string::npos);
  EXPECT_NE(read("[plain]").problems.find("found a list, expected one name"), std::string::npos);
  EXPECT_NE(read("{plain: {x: 1}}").problems.find("found the unknown key `x`, expected none"),
            std::string::npos);
}

TEST(Choice, WhatIsPrintedReadsBackTheSame) {
  const Configs value = Tuned::Config{.target = dp::Duration{7}};
  EXPECT_EQ(Choice<ToyList>{}.print(Configs(Plain::Config{})).dump(), "\"plain\"");
  const Configs usable = Tuned::Config{dp::Duration{7'001}, 99, 65'536, 123'456'789, 1, 1.0 / 3, 1e-6, false,
                                       DropFrom::arriving,  0};
  EXPECT_EQ(read(Choice<ToyList>{}.print(usable).dump()).value, usable);
  EXPECT_NE(read(Choice<ToyList>{}.print(value).dump()).problems.find("a duration from 1us"),
            std::string::npos);
}

TEST(Choice, TheReferenceNamesEveryMemberAndField) {
  std::vector<HelpRow> rows;
  Choice<ToyList>{}.list(rows, "aqm", Configs{});
  ASSERT_EQ(rows.size(), 12u);
  EXPECT_EQ(rows[0].path, "aqm.plain");
  EXPECT_EQ(rows[1].doc, "one setting of each kind");
  EXPECT_EQ(rows[2].path, "aqm.tuned.target");
  EXPECT_EQ(rows[2].values, "1us to 1s");
  EXPECT_EQ(rows[2].initial, "5ms");
  EXPECT_EQ(rows[2].doc, "delay aimed at (RFC 1, 2.3)");
  EXPECT_EQ(rows[7].initial, "25%");
  EXPECT_EQ(rows[8].values, "0 to 20");
  EXPECT_EQ(rows[8].initial, "0.5");
  EXPECT_EQ(rows[9].values, "yes or no");
  EXPECT_EQ(rows[9].initial, "yes");
  EXPECT_EQ(rows[9].doc, "takes its time (RFC 2)");
  EXPECT_EQ(rows[10].values, "arriving or front");
  EXPECT_EQ(rows[10].initial, "front");
  EXPECT_EQ(rows[11].values, "flat, round or steep");
  EXPECT_EQ(rows[11].initial, "round");
}

}  // namespace
}  // namespace config
