// flow.list: the flows that a bearer's ACK stages follow, page by page, while the bearer changes.
#include <set>

#include "control/rpc/answer.h"
#include "control/workers/flow_reader.h"
#include "tests/unit/control/rpc/flow_rpc_bench.h"

namespace control::rpc {
namespace {

using namespace dp::test;

constexpr const char* kFlowsFile = R"(version: 1
dataplane: {ports: {core: {device: "null"}, radio: {device: "null"}}}
classes:
  paced: {downlink: {rate: 10M, buffer: {sdus: 500}}, uplink: {ack: [{ack-rate: {mode: spacing, maxd: 10s}}]}}
  plain: {downlink: {rate: 10M}}
bearers: [{ue: 10.45.0.2, class: paced}, {ue: "2001:db8:45:2::/64", class: paced}, {ue: 10.45.0.3, class: plain}]
)";

class FlowListTest : public FlowRpcBench {
 protected:
  FlowListTest() : FlowRpcBench(kFlowsFile) {}

  // Waits until `frames` of those offered have left.
  void sent(std::size_t frames) {
    for (int i = 0; i < 5000 && runtime.io.sent() < frames; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ASSERT_EQ(runtime.io.sent(), frames);
  }
  void open() {
    up({.seq = 100, .flags = kSyn, .options = options({mss(1400), sack_permitted(), scale(7)})});
    sent(1);
    down({.seq = 1000,
          .ack = 101,
          .flags = kSyn | kAck,
          .options = options({mss(1460), sack_permitted(), scale(2)})});
    sent(2);
    up({.seq = 101, .ack = 1001});
    sent(3);
  }
  Json flow(const char* ue = "10.45.0.2") {
    const Json page = result("flow.list", {{"ue", ue}});
    EXPECT_EQ(page["items"].size(), 1u) << page;
    return page["items"].empty() ? Json() : page["items"][0];
  }
};

TEST_F(FlowListTest, AConnectionIsToldWithWhatItsHandshakeAgreed) {
  open();
  const Json seen = flow();
  EXPECT_EQ(seen["ue"], "10.45.0.2");
  EXPECT_EQ(seen["ue_port"], 40000);
  EXPECT_EQ(seen["peer"], "192.0.2.1");
  EXPECT_EQ(seen["peer_port"], 80);
  EXPECT_EQ(seen["handshake_seen"], true);
  EXPECT_EQ(seen["asymmetric"], false);
  EXPECT_EQ(seen["scale"], 7);
  EXPECT_EQ(seen["mss"], 1400);
  EXPECT_EQ(seen["sack"], true);
  EXPECT_EQ(seen["timestamps"], false);
  EXPECT_EQ(seen["window_bytes"]["ue"], 65535 << 7);
  EXPECT_EQ(seen["window_bytes"]["told"], 65535 << 7);
}

TEST_F(FlowListTest, DataAndTheirAcksMoveItOn) {
  open();
  for (std::uint32_t i = 0; i < 3; ++i) down({.seq = 1001 + 1000 * i, .ack = 101, .payload = 1000});
  sent(6);
  EXPECT_EQ(flow()["outstanding_bytes"], 3000);
  EXPECT_EQ(flow()["pipe_bytes"], 3000);
  up({.seq = 101, .ack = 2001, .window = 500});
  up({.seq = 101, .ack = 3001, .window = 400});
  while (flow()["held_acks"] != 2) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const Json seen = flow();
  EXPECT_EQ(seen["state"], "established");
  EXPECT_EQ(seen["outstanding_bytes"], 1000);
  EXPECT_GT(seen["rtt_seconds"]["radio"], 0.0);
  EXPECT_EQ(seen["window_bytes"]["ue"], 400 << 7);
  EXPECT_EQ(seen["window_bytes"]["told"], 65535 << 7) << "what is held the source has not been told";
  down({.seq = 4001, .ack = 101, .flags = kFin | kAck});
  sent(7);
  EXPECT_EQ(flow()["state"], "closing");
}

TEST_F(FlowListTest, WithoutItsHandshakeAFlowHasNoScaleAndNoWindows) {
  down({.seq = 1001, .ack = 101, .payload = 1000});
  sent(1);
  const Json seen = flow();
  EXPECT_EQ(seen["state"], "opening");
  EXPECT_EQ(seen["handshake_seen"], false);
  EXPECT_EQ(seen["scale"], nullptr);
  EXPECT_EQ(seen["window_bytes"], (Json{{"ue", nullptr}, {"told", nullptr}}));
  EXPECT_EQ(seen["rtt_seconds"], (Json{{"radio", nullptr}, {"core", nullptr}}));
}

TEST_F(FlowListTest, AnIpv6FlowHasTheUesOwnAddress) {
  ends = {.peer = "2001:db8:ffff::1", .ue = "2001:db8:45:2::7"};
  down({.seq = 1001, .ack = 101, .payload = 1000});
  sent(1);
  const Json seen = flow("2001:db8:45:2::/64");
  EXPECT_EQ(seen["ue"], "2001:db8:45:2::7");
  EXPECT_EQ(seen["peer"], "2001:db8:ffff::1");
}

TEST_F(FlowListTest, PagesHoldEveryFlowOnce) {
  for (std::uint16_t port = 1; port <= 60; ++port) {
    ends.ue_port = port;
    down({.seq = 1001, .ack = 101, .payload = 10});
  }
  sent(60);
  std::multiset<int> ports;
  std::vector<std::size_t> sizes;
  Json params{{"ue", "10.45.0.2"}, {"limit", 40}};
  do {
    const Json page = result("flow.list", params);
    for (const Json& one : page["items"]) ports.insert(one["ue_port"].get<int>());
    sizes.push_back(page["items"].size());
    params["cursor"] = page["next"];
  } while (!params["cursor"].is_null());
  EXPECT_EQ(sizes, (std::vector<std::size_t>{40, 20}));
  EXPECT_EQ(std::set(ports.begin(), ports.end()).size(), 60u);
}

TEST_F(FlowListTest, ABearerWithoutStagesFollowsNoneAndSaysSo) {
  EXPECT_EQ(result("flow.list", {{"ue", "10.45.0.3"}}),
            (Json{{"items", Json::array()}, {"followed", false}, {"next", nullptr}}));
  EXPECT_EQ(result("flow.list", {{"ue", "10.45.0.2"}})["followed"], true);
}

TEST_F(FlowListTest, WhatCannotBeAskedIsRefused) {
  expect_error(call("flow.list", {{"ue", "10.45.0.9"}}), kNoSuchBearer, "no bearer 10.45.0.9");
  expect_error(call("flow.list"), kInvalidParams, "\"ue\" is missing");
  expect_error(call("flow.list", {{"ue", "10.45.0.2"}, {"limit", 0}}), kInvalidParams, "from 1 to 1000");
  expect_error(call("flow.list", {{"ue", "10.45.0.2"}, {"cursor", "x"}}), kInvalidParams, "an integer from");
}

TEST_F(FlowListTest, OfABearerThatIsRemovedFirstItIsSaidThatThereIsNone) {
  bool removed = false, read = false;
  Ended<FlowPage> ended;
  Wish wish;
  wish.remove = {*dp::parse_ue("10.45.0.2")};
  plane.bearers().apply([&] { return wish; }, [&](const Ended<Applied>&) { removed = true; });
  plane.bearers().read_flows(
      {.ue = wish.remove[0], .limit = 9}, [](const dp::Flow&, const dp::SplitRow*, dp::Time) {},
      [&](Ended<FlowPage> how) {
        ended = std::move(how);
        read = true;
      });
  poll_until(read);
  EXPECT_TRUE(removed);
  ASSERT_NE(ended.why, nullptr);
  EXPECT_EQ(fault_of(ended.why).code, kNoSuchBearer);
}

// Against a worker that the test plays.
class FlowReaderTest : public ::testing::Test {
 protected:
  dp::ReadFlows command() {
    sender.poll();
    dp::Command command;
    EXPECT_TRUE(mailbox->commands.pop(command));
    sequence = command.sequence;
    return std::get<dp::ReadFlows>(command.body);
  }
  void answer(dp::CommandStatus status = dp::CommandStatus::done) {
    EXPECT_TRUE(mailbox->answers.push({.sequence = sequence, .status = status}));
    sender.poll();
  }

  std::unique_ptr<dp::Mailbox> mailbox = std::make_unique<dp::Mailbox>();
  CommandSender sender{{mailbox.get()}, [](dp::Bearer&) {}};
  FlowReader reader{sender};
  std::uint64_t sequence = 0;
  std::size_t flows = 0;
  std::optional<FlowPage> page;
  void read(const FlowQuery& query) {
    reader.read(
        query, [this](const dp::Flow&, const dp::SplitRow*, dp::Time) { ++flows; },
        [this](const FlowPage& p) { page = p; });
  }
};

TEST_F(FlowReaderTest, GoesOnWhereTheSheetWasFullUntilThereAreEnough) {
  read({.ue = {}, .from = 7, .limit = dp::FlowSheet::kCapacity + 3});
  dp::FlowSheet* const first = command().sheet;
  EXPECT_EQ(first->next, 7u);
  EXPECT_EQ(first->wanted, dp::FlowSheet::kCapacity);
  first->size = dp::FlowSheet::kCapacity;
  first->next = 90;
  first->more = first->followed = true;
  answer();
  dp::FlowSheet* const second = command().sheet;
  EXPECT_EQ(second->next, 90u);
  EXPECT_EQ(second->wanted, 3u);
  EXPECT_EQ(second->size, 0u);
  EXPECT_FALSE(page);
  second->size = 3;
  second->next = 95;
  answer();
  EXPECT_EQ(flows, dp::FlowSheet::kCapacity + 3);
  ASSERT_TRUE(page);
  EXPECT_EQ(page->next, 95u);
  EXPECT_TRUE(sender.idle());
}

TEST_F(FlowReaderTest, TheEndOfTheTableIsTheEndOfThePage) {
  read({.ue = {}, .limit = 100});
  command().sheet->size = 2;
  answer();
  ASSERT_TRUE(page);
  EXPECT_EQ(flows, 2u);
  EXPECT_FALSE(page->next);
}

TEST_F(FlowReaderTest, WithoutABearerNothingIsReadOn) {
  read({.ue = {}, .limit = 100});
  command().sheet->more = true;
  answer(dp::CommandStatus::no_bearer);
  ASSERT_TRUE(page);
  EXPECT_FALSE(page->bearer);
  EXPECT_FALSE(page->next);
  EXPECT_TRUE(sender.idle());
}

}  // namespace
}  // namespace control::rpc
