// The members of bearers that a list is asked for.
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "control/rpc/bearer_json.h"
#include "control/rpc/leg_json.h"
#include "tests/support/rpc_bench.h"

namespace control::rpc {
namespace {

constexpr const char* kMembersFile = R"(version: 1
dataplane:
  ports: {core: {device: "null"}, radio: {device: "null"}}
  gtp_u: {peers: [192.0.2.0/24]}
classes:
  internet: {downlink: {rate: 8M}, uplink: {rate: 1M, ack: [ack-rate]}}
  web: {downlink: {rate: 8M}, proxy: split}
  radio: {downlink: {rate: 384k, link: {am: {fer: 5%}}}, uplink: {rate: 64k}}
  lossy: {downlink: {rate: 384k, link: {um: {loss: 1%}}}}
  sector: {downlink: {rate: 2M, link: cell}}
cells: {north: {}}
bearers:
  - {ue: 10.45.0.1, class: internet, dedicated: [{teid: {uplink: 33}, class: internet}]}
  - {ue: 10.45.0.2, class: radio}
  - {ue: 10.45.0.3, class: lossy}
  - {ue: 10.45.0.4, class: sector, cell: north}
  - {ue: 10.45.0.5, class: web}
)";

class BearerMembersTest : public dp::test::RpcBench {
 protected:
  BearerMembersTest() : RpcBench(kMembersFile) {}

  Json listed(const std::vector<std::string>& members) {
    return result("bearer.list", {{"members", members}})["items"];
  }
  void expect_refused(const Json& members, const std::string& words) {
    expect_error(call("bearer.list", {{"members", members}}), kInvalidParams, words);
  }
};

// The members named of a row that has all, beside the names of the bearer.
Json only(const Json& row, const std::vector<std::string>& members) {
  Json kept = Json::object();
  for (const char* name : {"ue", "qfi", "teid"}) {
    if (row.contains(name)) kept[name] = row[name];
  }
  for (const std::string& member : members) {
    const std::size_t dot = member.find('.');
    const std::string outer = member.substr(0, dot);
    if (dot == member.npos) {
      if (row.contains(outer)) kept[outer] = row[outer];
      continue;
    }
    const std::string inner = member.substr(dot + 1);
    if (!kept.contains(outer)) kept[outer] = Json::object();
    if (row[outer].contains(inner)) kept[outer][inner] = row[outer][inner];
  }
  return kept;
}

TEST_F(BearerMembersTest, AListHasThoseItWasAskedForAndTheNames) {
  const Json full = result("bearer.list")["items"];
  const std::vector<std::string> members{"class", "downlink.rate", "downlink.queued_bytes", "uplink.rate"};
  const Json some = listed(members);
  ASSERT_EQ(some.size(), full.size());
  for (std::size_t i = 0; i < full.size(); ++i) EXPECT_EQ(some[i], only(full[i], members));
  EXPECT_EQ(some[1], (Json{{"ue", "10.45.0.1"},
                           {"teid", 33},
                           {"class", "internet"},
                           {"downlink", {{"rate", 8'000'000}, {"queued_bytes", 0}}},
                           {"uplink", {{"rate", 1'000'000}}}}));
  EXPECT_EQ(listed({})[0], (Json{{"ue", "10.45.0.1"}}));
  EXPECT_EQ(listed({"ue"})[0], (Json{{"ue", "10.45.0.1"}}));
}

TEST_F(BearerMembersTest, EachMemberOfEachKindOfBearerCanBeAskedForAlone) {
  const Json full = result("bearer.list")["items"];
  for (std::size_t i = 0; i < full.size(); ++i) {
    for (const auto& [outer, value] : full[i].items()) {
      std::vector<std::string> names{outer};
      if (outer == "qfi" || outer == "teid") continue;
      if (outer == "downlink" || outer == "uplink") {
        for (const auto& [inner, unused] : value.items()) names.push_back(outer + "." + inner);
      }
      for (const std::string& name : names) EXPECT_EQ(listed({name})[i], only(full[i], {name})) << name;
    }
  }
}

TEST_F(BearerMembersTest, TheTableOfALegNamesEachMemberOnce) {
  std::uint32_t seen = 0;
  for (const LegMember& member : leg_members()) {
    EXPECT_EQ(seen & bit_of(leg_members(), member.name), 0u) << member.name;
    seen |= bit_of(leg_members(), member.name);
  }
}

TEST_F(BearerMembersTest, ANameThatNothingHasIsRefusedWithOneThatIsMeant) {
  expect_refused({"class", "downlink.rat"},
                 "members[1]: found \"downlink.rat\"; did you mean `downlink.rate`?, expected a member of a "
                 "bearer, such as \"class\", \"downlink\" or \"downlink.rate\"");
  for (const char* name : {"", ".", "downlink.", "downlinks", "uplink.rate.x", "rate"})
    expect_refused({name}, "members[0]: found");
  expect_refused({7}, "members[0]: found \"7\"");
  expect_refused("class", "members");
}

}  // namespace
}  // namespace control::rpc
