#include "control/told/class_map.h"

#include <gtest/gtest.h>

namespace control::told {
namespace {

Session session_with(std::string hint, std::optional<std::uint8_t> qfi = {}) {
  Session session;
  session.class_hint = std::move(hint);
  session.qfi = qfi;
  return session;
}

const ClassMap kExampleMap({{.qfi = 1, .class_attribute = {}, .class_name = "voice"},
                            {.qfi = {}, .class_attribute = "gold-*", .class_name = "gold"},
                            {.qfi = {}, .class_attribute = "*", .class_name = "named"},
                            {.qfi = 2, .class_attribute = "never", .class_name = "never"}},
                           "internet");

TEST(ToldClassMap, TheFirstRowThatFitsCounts) {
  EXPECT_EQ(kExampleMap.class_of(session_with("gold-7")), "gold");
  EXPECT_EQ(kExampleMap.class_of(session_with("gold-7", 1)), "voice");
  EXPECT_EQ(kExampleMap.class_of(session_with("silver")), "named");
}

TEST(ToldClassMap, WhatNoRowFitsHasTheDefaultClass) {
  EXPECT_EQ(kExampleMap.class_of(session_with("")), "internet");
  EXPECT_EQ(kExampleMap.class_of(session_with("", 2)), "internet");
  EXPECT_EQ(ClassMap({}, "only").class_of(session_with("gold-7", 1)), "only");
}

TEST(ToldClassMap, EachLineOfTheHintIsTried) {
  EXPECT_EQ(kExampleMap.class_of(session_with("05-1B\ngold-1\nx")), "gold");
  EXPECT_EQ(kExampleMap.class_of(session_with("x-gold-1")), "named");
}

TEST(ToldClassMap, AFlowHasTheClassOfItsQfi) {
  Flow flow;
  flow.qfi = 1;
  EXPECT_EQ(kExampleMap.class_of(flow), "voice");
  flow.qfi = 9;
  EXPECT_EQ(kExampleMap.class_of(flow), "internet");
}

}  // namespace
}  // namespace control::told
