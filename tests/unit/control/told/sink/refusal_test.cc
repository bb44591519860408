#include <gtest/gtest.h>

#include "control/told/sink/call.h"

namespace control::told {
namespace {

std::optional<RefusedEntry> entry_of_refusal(std::string message) {
  return refused_entry({-32602, std::move(message)}, "bearers");
}

TEST(ToldRefusal, TheEntryAndItsPathAreRead) {
  const auto entry = entry_of_refusal("bearers[17].class: no class \"gold\"; classes are internet");
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->index, 17u);
  EXPECT_EQ(entry->path, "class");
  EXPECT_EQ(entry->why, "class: no class \"gold\"; classes are internet");
}

TEST(ToldRefusal, AnEntryWithoutPathIsTheEntryItself) {
  const auto entry = entry_of_refusal("params.bearers[0]: no bearer 10.45.0.2");
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->index, 0u);
  EXPECT_EQ(entry->path, "");
  EXPECT_EQ(entry->why, "no bearer 10.45.0.2");
}

TEST(ToldRefusal, AMessageWithoutEntryNamesNone) {
  for (const char* const message :
       {"", "bearers", "bearers[", "bearers[x]: no", "bearers[1", "bearers[1]", "ues[1]: no",
        "bearers: missing", "bearers[99999999999999999999999]: no"}) {
    EXPECT_FALSE(entry_of_refusal(message)) << message;
  }
}

TEST(ToldRefusal, AReasonIsCutToItsBound) {
  const auto entry = entry_of_refusal("bearers[1]: " + std::string(5000, 'x'));
  ASSERT_TRUE(entry);
  EXPECT_LE(entry->why.size(), 300u);
}

TEST(ToldRefusal, EntriesWithTheRefusedValueShareTheFault) {
  const Json bad{{"ue", "10.45.0.2"}, {"class", "gold"}, {"tunnel", {{"uplink", {{"teid", 1}}}}}};
  const Json alike{{"ue", "10.45.0.3"}, {"class", "gold"}, {"tunnel", {{"uplink", {{"teid", 2}}}}}};
  const Json other{{"ue", "10.45.0.4"}, {"class", "internet"}};
  EXPECT_TRUE(shares_fault(bad, alike, "class"));
  EXPECT_FALSE(shares_fault(bad, other, "class"));
  EXPECT_TRUE(shares_fault(bad, alike, "tunnel"));
  EXPECT_FALSE(shares_fault(bad, other, "tunnel"));
  EXPECT_FALSE(shares_fault(bad, alike, "tunnel.uplink.teid"));
  EXPECT_FALSE(shares_fault(bad, alike, ""));
}

TEST(ToldRefusal, ALateGenerationAndALackOfRoomAreRecognised) {
  EXPECT_TRUE(comes_too_late({-32602, "bearers[0]: found the generation 3, and 10.45.0.2 has 4"}));
  EXPECT_FALSE(comes_too_late({-32602, "bearers[0].class: no class"}));
  EXPECT_TRUE(lacks_room({-32002, "the table is full"}));
  EXPECT_FALSE(lacks_room({-32602, "bearers: missing"}));
}

}  // namespace
}  // namespace control::told
