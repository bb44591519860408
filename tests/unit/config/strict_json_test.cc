#include "config/notation/strict_json.h"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

namespace config {
namespace {

using PlainJson = nlohmann::json;
using FaultKind = JsonFault::Kind;

std::string repeated(std::string_view piece, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += piece;
  return out;
}

PlainJson good(const std::string& text, const JsonBounds& bounds = {}) {
  auto parsed = parse_json(text, bounds);
  const auto* fault = std::get_if<JsonFault>(&parsed);
  EXPECT_EQ(fault, nullptr) << fault->text;
  return fault == nullptr ? std::get<PlainJson>(std::move(parsed)) : PlainJson();
}

JsonFault fault_of(const std::string& text, const JsonBounds& bounds = {}) {
  auto parsed = parse_json(text, bounds);
  EXPECT_TRUE(std::holds_alternative<JsonFault>(parsed)) << text.substr(0, 100);
  return std::get<JsonFault>(parsed);
}

TEST(StrictJson, DocumentsAreAsTheLibraryReadsThem) {
  for (const char* text :
       {"null", "true", "-7", "18446744073709551615", "1.5e3", "\"\\u00e9\\n\"", "[]", "{}", "[[],{},[{}]]",
        R"({"a":{"b":[1,{"c":null},"x"],"d":false},"e":[[1,2],[3]],"":0})", " [ 1 , 2 ] \r\n"}) {
    EXPECT_EQ(good(text), PlainJson::parse(text)) << text;
  }
}

TEST(StrictJson, WhatIsNoJsonIsSaidWithItsPlaceAndNotAtLength) {
  const JsonFault fault = fault_of("{\"a\": nul}");
  EXPECT_EQ(fault.kind, FaultKind::syntax);
  EXPECT_NE(fault.text.find("line 1, column 10"), std::string::npos) << fault.text;
  EXPECT_EQ(fault.text.find("json.exception"), std::string::npos) << fault.text;
  for (const std::string& text :
       {"\"" + std::string(1 << 20, 'a'), std::string(1 << 20, '9'), std::string("1e999"),
        std::string("[1] 2"), std::string(), std::string("\xff"), std::string("[1,]")}) {
    const JsonFault one = fault_of(text);
    EXPECT_EQ(one.kind, FaultKind::syntax);
    EXPECT_LT(one.text.size(), 300u);
  }
}

TEST(StrictJson, AKeyThatStandsTwiceIsNamedWithItsPath) {
  const JsonFault fault = fault_of(R"({"params":{"bearers":[{"rate":1},{"ue":"a","rate":1,"rate":2}]}})");
  EXPECT_EQ(fault.kind, FaultKind::duplicate);
  EXPECT_EQ(fault.text, "params.bearers[1].rate is given twice; keep one of the two");
  EXPECT_EQ(fault_of(R"([[],{"id":1,"id":1}])").text, "[1].id is given twice; keep one of the two");
  EXPECT_EQ(fault_of(R"({"a":{"a":1},"\u0061":2})").text, "a is given twice; keep one of the two");
  good(R"({"a":{"a":[{"a":1},{"a":1}]},"b":{"a":1}})");
}

TEST(StrictJson, BoundsHoldToTheLastOneThatIsAllowed) {
  const JsonBounds bounds{.depth = 3, .values = 6, .elements = 4};
  good("[[[1]]]", bounds);
  EXPECT_EQ(fault_of("[[[[]]]]", bounds).kind, FaultKind::depth);
  good(R"({"a":[1,2,3,4]})", bounds);
  EXPECT_EQ(fault_of(R"({"a":[1,2,3,4,5]})", bounds).kind, FaultKind::values);
  good("[1,2,3,4]", bounds);
  EXPECT_EQ(fault_of("[1,2,3,4,5]", bounds).kind, FaultKind::elements);
}

TEST(StrictJson, APassThatHasFoundAFaultReadsNoFurther) {
  EXPECT_EQ(fault_of("[1,2,3,4,5,nonsense", {.elements = 4}).kind, FaultKind::elements);
  EXPECT_EQ(fault_of(R"({"a":1,"a":nonsense)").kind, FaultKind::duplicate);
  EXPECT_EQ(fault_of(std::string(2'000'000, '[')).kind, FaultKind::depth);
}

// A parser that looks at the whole list after each element takes minutes for this; a linear one less than a
// second.
TEST(StrictJson, ALongListCostsNoMoreThanItsLength) {
  const std::string more = repeated(",{}", 500'000);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(good("[{}" + more + "]", {.values = 1'000'000}).size(), 500'001u);
  EXPECT_EQ(good("{\"a\":[{}" + more + "]}", {.values = 1'000'000})["a"].size(), 500'001u);
  EXPECT_EQ(fault_of("[{}" + more + "]").kind, FaultKind::values);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(40));
}

}  // namespace
}  // namespace config
