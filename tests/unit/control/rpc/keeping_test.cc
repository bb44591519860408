// Keepers of bearers: `owner`, `ttl` and `generation` on the socket, and bearers that an operator gives back.
#include "control/rpc/methods/keeping.h"

#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/rpc_bench.h"

namespace control::rpc {
namespace {

constexpr const char* kKeepingFile = R"(version: 1
dataplane: {ports: {core: {device: "null"}, radio: {device: "null"}}}
classes: {internet: {downlink: {rate: 8M}, uplink: {rate: 1M}}}
bearers: [{ue: 10.45.0.1, class: internet}]
)";

class KeepingTest : public dp::test::RpcBench {
 protected:
  KeepingTest() : RpcBench(kKeepingFile) {}

  static Json one(const char* ue, const char* rate) {
    return {{"ue", ue}, {"class", "internet"}, {"downlink", {{"rate", rate}}}};
  }
  static Json told(const std::vector<Json>& bearers, const char* owner = "radius",
                   std::uint64_t generation = 1) {
    return {{"bearers", bearers}, {"owner", owner}, {"ttl", 120}, {"generation", generation}};
  }
  // The counts of the answer: created, changed, unchanged, kept.
  std::string set(const Json& params) {
    const Json counts = result("bearer.set", params);
    std::string text;
    for (const char* name : {"created", "changed", "unchanged", "kept"})
      text += (text.empty() ? "" : " ") + std::to_string(counts.value(name, 0));
    return text;
  }
  std::string rate_and_owner(const char* ue) {
    const Json bearer = result("bearer.get", {{"ue", ue}});
    return bearer["downlink"]["rate"].dump() + " " + bearer["owner"].dump();
  }
};

constexpr const char* kTold = "10.45.0.7";

TEST_F(KeepingTest, AProgramMakesChangesAndRemovesItsOwnBearers) {
  EXPECT_EQ(set(told({one(kTold, "2M"), one("10.45.0.8", "2M")})), "2 0 0 0");
  EXPECT_EQ(set(told({one(kTold, "2M"), one("10.45.0.8", "3M")})), "0 1 1 0");
  EXPECT_EQ(rate_and_owner(kTold), R"(2000000 "radius")");
  const Json bearer = result("bearer.get", {{"ue", kTold}});
  EXPECT_EQ(bearer["generation"], 1);
  EXPECT_GT(bearer["kept_seconds"], 100);
  EXPECT_EQ(result("bearer.list", {{"owner", "radius"}})["items"].size(), 2u);
  EXPECT_EQ(result("bearer.list", {{"owner", "pfcp"}})["items"].size(), 0u);
  EXPECT_EQ(result("bearer.remove", {{"ues", {kTold, "10.45.0.1"}}, {"owner", "radius"}})["removed"], 1);
  EXPECT_EQ(result("bearer.list")["items"].size(), 2u);
}

TEST_F(KeepingTest, WhatTheFileAnOperatorOrAnotherProgramHasStays) {
  result("bearer.set", one("10.45.0.5", "5M"));
  set(told({one("10.45.0.6", "6M")}, "pfcp"));
  EXPECT_EQ(set(told({one("10.45.0.1", "2M"), one("10.45.0.5", "2M"), one("10.45.0.6", "2M")})), "0 0 0 3");
  EXPECT_EQ(rate_and_owner("10.45.0.1"), "8000000 null");
  EXPECT_EQ(rate_and_owner("10.45.0.5"), R"(5000000 "operator")");
  EXPECT_EQ(rate_and_owner("10.45.0.6"), R"(6000000 "pfcp")");
  const Json all{{"ues", {"10.45.0.1", "10.45.0.5", "10.45.0.6"}}, {"owner", "radius"}};
  EXPECT_EQ(result("bearer.remove", all)["removed"], 0);
}

TEST_F(KeepingTest, AnOperatorGoesBeforeAProgramUntilHeGivesTheBearerBack) {
  set(told({one(kTold, "2M")}));
  EXPECT_EQ(set(one(kTold, "9M")), "0 1 0 0");
  EXPECT_EQ(set(told({one(kTold, "2M")})), "0 0 0 1");
  EXPECT_EQ(rate_and_owner(kTold), R"(9000000 "operator")");
  EXPECT_EQ(result("bearer.release", {{"ue", kTold}})["released"], 1);
  EXPECT_EQ(rate_and_owner(kTold), "9000000 null");
  EXPECT_EQ(set(told({one(kTold, "2M")})), "0 1 0 0");
  EXPECT_EQ(rate_and_owner(kTold), R"(2000000 "radius")");
  EXPECT_EQ(result("bearer.release", {{"ue", kTold}})["released"], 0) << "it is the program's";
}

TEST_F(KeepingTest, ARateByRrcIsTheOperatorsToo) {
  set(told({one(kTold, "2M")}));
  result("rrc.reconfigure", {{"bearer", kTold}, {"rate", "4M"}});
  EXPECT_EQ(rate_and_owner(kTold), R"(4000000 "operator")");
  EXPECT_EQ(set(told({one(kTold, "2M")})), "0 0 0 1");
}

TEST_F(KeepingTest, AnOperatorWhoTakesABearerOpensTheGatesThatAProgramHasSet) {
  const auto gates = [&] {
    const Json bearer = result("bearer.get", {{"ue", kTold}});
    return bearer["downlink"]["gate"].get<std::string>() + " " + bearer["uplink"]["gate"].get<std::string>();
  };
  Json idle = one(kTold, "2M");
  idle["downlink"]["gate"] = "hold";
  idle["uplink"]["gate"] = "closed";
  set(told({idle}));
  EXPECT_EQ(gates(), "hold closed");
  result("bearer.set", {{"ue", kTold}, {"downlink", {{"rate", "3M"}}}, {"uplink", {{"gate", "closed"}}}});
  EXPECT_EQ(gates(), "open closed") << "the one that he names stays";
  result("bearer.set", {{"ue", kTold}, {"downlink", {{"gate", "hold"}}}});
  result("rrc.reconfigure", {{"bearer", kTold}, {"rate", "1M"}});
  EXPECT_EQ(gates(), "hold closed") << "his own stay";
  result("bearer.release", {{"ue", kTold}});
  set(told({idle}));
  result("rrc.reconfigure", {{"bearer", kTold}, {"rate", "1M"}});
  EXPECT_EQ(gates(), "open open");
  EXPECT_EQ(rate_and_owner(kTold), R"(1000000 "operator")");
}

TEST_F(KeepingTest, ALowerGenerationIsRefusedAndChangesNothing) {
  set(told({one(kTold, "2M")}, "radius", 5));
  const Json late = told({one("10.45.0.8", "1M"), one(kTold, "1M")}, "radius", 4);
  expect_error(call("bearer.set", late), kInvalidParams,
               "generation: found 4, and 10.45.0.7 was set with 5; what radius says now comes too late");
  EXPECT_EQ(result("bearer.list", {{"owner", "radius"}})["items"].size(), 1u);
  EXPECT_EQ(set(told({one(kTold, "1M")}, "radius", 6)), "0 1 0 0");
}

TEST_F(KeepingTest, WhatIsNotSetAgainInTimeGoesAndWhatWasThereReturnsToItsClass) {
  Json brief = told({one(kTold, "2M")});
  brief["ttl"] = 1;
  set(brief);
  Json timed = one("10.45.0.1", "9M");
  timed["ttl"] = 1;
  set(timed);
  EXPECT_EQ(rate_and_owner("10.45.0.1"), R"(9000000 "operator")");
  const auto both_ended = [this] {
    return result("bearer.list")["items"].size() == 1 && rate_and_owner("10.45.0.1") == "8000000 null";
  };
  for (int i = 0; i < 500 && !both_ended(); ++i) {
    work();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_TRUE(both_ended());
}

TEST_F(KeepingTest, WordsThatDoNotFitAreRefused) {
  const auto refused = [this](Json params, const std::string& words) {
    params.update(one(kTold, "2M"));
    expect_error(call("bearer.set", params), kInvalidParams, words);
  };
  refused({{"owner", "radius"}}, "ttl: missing beside \"owner\"");
  refused({{"owner", "operator"}, {"ttl", 5}}, "owner: found \"operator\", expected the name of a program");
  refused({{"owner", "Ra dius"}, {"ttl", 5}}, "owner: found");
  refused({{"owner", ""}, {"ttl", 5}}, "owner: found");
  refused({{"owner", "radius"}, {"ttl", 0}}, "ttl");
  refused({{"generation", 5}}, "generation: given without \"owner\"");
  expect_error(call("bearer.set", {{"bearers", {{{"ue", kTold}, {"class", "internet"}, {"owner", "x"}}}}}),
               kInvalidParams, "owner");
  expect_error(call("bearer.release", {{"ue", "10.45.9.9"}}), kNoSuchBearer, "10.45.9.9");
}

}  // namespace
}  // namespace control::rpc
