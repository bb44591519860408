// Clients of the dispatcher take turns (control/loop/turns.h), which are counted; and work whose client has
// left.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/rpc_bench.h"

namespace control::rpc {
namespace {

constexpr const char* kTurnsFile = R"(version: 1
dataplane: {ports: {core: {device: "null"}, radio: {device: "null"}}}
classes:
  internet: {downlink: {rate: 8M}, uplink: {rate: 1M}}
bearers: [{ue: 10.45.0.1, class: internet}]
)";
constexpr int kPieces = 5;

std::string trace;     // a letter for each piece of work, by whose it was
int in_long_work = 0;  // frames of it that there are

struct Counted {
  Counted() { ++in_long_work; }
  ~Counted() { --in_long_work; }
};

void short_call(const Request& request) {
  trace += request.params["who"].get<std::string>();
  request.done(Json(1));
}

Slices pieces(std::shared_ptr<const Json> params, Done done) {
  const Counted counted;
  for (int i = 0; i < kPieces; ++i) {
    trace += (*params)["who"].get<std::string>();
    co_await Slices::Pause{};
  }
  done(Text{"[1,2]"});
}
void long_call(const Request& request) { request.rest = pieces(request.kept, request.done); }

Slices fails(Done) {
  co_await Slices::Pause{};
  throw Fault(kNoSuchBearer, "gone in the middle");
}
void failing_call(const Request& request) { request.rest = fails(request.done); }

void large_call(const Request& request) {
  trace += "L";
  request.done(Json(std::string(std::size_t{1} << 20, 'x')));
}

constexpr Method kTable[] = {Method{"short", Access::reads, {kNothing}, "", &short_call},
                             Method{"long", Access::reads, {kNothing}, "", &long_call},
                             Method{"failing", Access::reads, {kNothing}, "", &failing_call},
                             Method{"large", Access::reads, {kNothing}, "", &large_call}};

std::string call_text(const std::string& method, const std::string& who, int id = 1) {
  return Json{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", {{"who", who}}}}.dump();
}
std::string batch_text(const std::string& method, const std::string& who, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += (i == 0 ? "[" : ",") + call_text(method, who, i);
  return text + "]";
}

class TurnsTest : public dp::test::RpcBench {
 protected:
  TurnsTest() : RpcBench(kTurnsFile) { trace.clear(); }

  std::shared_ptr<void> ask(const std::string& line) {
    const std::size_t n = answers.size();
    answers.emplace_back();
    return turns.handle(line, {1, 2}, [this, n](std::string text) { answers[n] = std::move(text); });
  }
  // Takes `count` turns.
  void take(int count) {
    for (int i = 0; i < count; ++i) turns.run(Slices::Clock::time_point{});
  }
  void take_all() {
    while (turns.ready()) turns.run(Slices::Clock::time_point{});
  }

  std::vector<std::string> answers;
  Dispatcher turns{services, kTable, Slices::Clock::duration::zero()};  // a turn is one piece of work
};

TEST_F(TurnsTest, AShortRequestDoesNotWaitForAllLongOnesThatHaveBegun) {
  std::vector<std::shared_ptr<void>> works;
  for (int i = 0; i < 200; ++i) works.push_back(ask(call_text("long", "l")));
  take(800);  // each is read, and has begun
  trace.clear();
  works.push_back(ask(call_text("short", "s")));
  take(5);
  EXPECT_NE(trace.find('s'), std::string::npos) << trace;
}

TEST_F(TurnsTest, RequestsThatHaveBegunGoOnHoweverManyNewOnesCome) {
  const auto work = ask(call_text("long", "l"));
  take(2);
  trace.clear();
  std::vector<std::shared_ptr<void>> others;
  for (int i = 0; i < 50; ++i) others.push_back(ask(call_text("short", "s")));
  take(9 * (kPieces + 1));
  EXPECT_EQ(std::count(trace.begin(), trace.end(), 'l'), kPieces) << trace;
}

TEST_F(TurnsTest, NothingIsDoneBeforeATurnIsGiven) {
  const auto work = ask(call_text("short", "a"));
  EXPECT_TRUE(turns.ready());
  EXPECT_EQ(trace, "");
  take_all();
  EXPECT_EQ(trace, "a");
  EXPECT_EQ(answers[0], R"({"id":1,"jsonrpc":"2.0","result":1})");
}

TEST_F(TurnsTest, CallsOfABatchTakeTurnsWithOtherClients) {
  const auto a = ask(batch_text("short", "a", 100));
  take(3);
  const auto b = ask(call_text("short", "b"));
  const auto c = ask(batch_text("short", "c", 3));
  const std::size_t before = trace.size();
  take(4 * 3);
  EXPECT_EQ(answers[1], R"({"id":1,"jsonrpc":"2.0","result":1})") << "after three turns of its own";
  EXPECT_LE(trace.find('b') - before, 2u);
  take_all();
  EXPECT_EQ(Json::parse(answers[0]).size(), 100u);
  EXPECT_EQ(Json::parse(answers[2]).size(), 3u);
}

TEST_F(TurnsTest, ALongCallIsCutAndTwoOfThemAlternate) {
  const auto a = ask(call_text("long", "a"));
  const auto b = ask(call_text("long", "b"));
  take_all();
  EXPECT_EQ(trace, "ababababab");
  EXPECT_EQ(answers[0], R"({"id":1,"jsonrpc":"2.0","result":[1,2]})");
  EXPECT_EQ(answers[0], answers[1]);
}

TEST_F(TurnsTest, AFaultInTheMiddleOfALongCallIsItsAnswer) {
  const auto a = ask("[" + call_text("failing", "a") + "," + call_text("short", "a", 2) + "]");
  take_all();
  const Json told = Json::parse(answers[0]);
  EXPECT_EQ(told[0]["error"]["message"], "gone in the middle");
  EXPECT_EQ(told[1]["result"], 1);
}

TEST_F(TurnsTest, AClientThatHangsUpEndsItsWorkWhereItStands) {
  auto a = ask("[" + call_text("long", "a") + "," + call_text("short", "z") + "]");
  take(4);
  EXPECT_EQ(in_long_work, 1);
  const std::string done = trace;
  a.reset();
  EXPECT_EQ(in_long_work, 0);
  take_all();
  EXPECT_EQ(trace, done);
  EXPECT_EQ(answers[0], "");
}

TEST_F(TurnsTest, WhatIsBeyondTheLargestAnswerIsNotComputed) {
  const auto a = ask(batch_text("large", "a", 100));
  take_all();
  EXPECT_EQ(trace, std::string(6, 'L')) << "five fit, the sixth is found not to";
  const Json told = Json::parse(answers[0]);
  ASSERT_EQ(told.size(), 100u);
  EXPECT_TRUE(told[4].contains("result"));
  EXPECT_NE(told[5]["error"]["message"].get<std::string>().find("too long"), std::string::npos);
  for (std::size_t i = 6; i < 100; ++i) {
    ASSERT_NE(told[i]["error"]["message"].get<std::string>().find("not carried out"), std::string::npos) << i;
  }
}

TEST_F(TurnsTest, AChangeWhoseClientLeftBeforeItsTurnChangesNothing) {
  const auto set = [&](const char* rate) {
    return dispatcher.handle(Json{{"jsonrpc", "2.0"},
                                  {"id", 1},
                                  {"method", "rrc.reconfigure"},
                                  {"params", {{"bearer", "10.45.0.1"}, {"rate", rate}}}}
                                 .dump(),
                             {1, 2}, [](const std::string&) {});
  };
  runtime.stall(true);
  const auto first = set("2M");
  auto second = set("3M");
  while (dispatcher.ready()) dispatcher.run(Slices::Clock::time_point{});
  second.reset();
  runtime.stall(false);
  for (int i = 0; i < 50; ++i) work();
  EXPECT_EQ(result("bearer.get", {{"ue", "10.45.0.1"}})["downlink"]["rate"], 2'000'000);
}

TEST_F(TurnsTest, OneWrongBearerAtTheEndOfManySlicesLeavesAllAsTheyWere) {
  Json bearers = Json::array();
  for (std::uint32_t i = 0; i < 3000; ++i) {
    bearers.push_back({{"ue", dp::to_string(dp::ue_ipv4(0x0a300000 + i))}, {"class", "internet"}});
  }
  bearers.push_back({{"ue", "10.49.0.1"}, {"class", "intrnet"}});
  bool answered = false;
  const auto work = dispatcher.handle(
      Json{{"jsonrpc", "2.0"}, {"id", 1}, {"method", "bearer.set"}, {"params", {{"bearers", bearers}}}}
          .dump(),
      {1, 2}, [&](const std::string& text) {
        answered = true;
        EXPECT_NE(text.find("bearers[3000]"), std::string::npos) << text;
      });
  int slices = 0;
  for (; !answered && slices < 100'000; ++slices) {
    plane.poll(Slices::Clock::time_point{});
    dispatcher.run(Slices::Clock::time_point{});
    ASSERT_EQ(plane.registry().size(), 1u);
  }
  EXPECT_TRUE(answered);
  EXPECT_GT(slices, 1);  // the number depends on the speed of reading the request beside
  EXPECT_EQ(plane.registry().size(), 1u);
}

TEST_F(TurnsTest, ALongLineIsReadBesideAndItsClientMayLeave) {
  Background beside;
  services.beside = &beside;
  const std::string line = call_text("short", std::string(100'000, 'a'));
  auto gone = ask(line);
  const auto stays = ask(line);
  take(1);
  gone.reset();
  for (int i = 0; i < 20'000 && answers[1].empty(); ++i) {
    beside.poll();
    take_all();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(answers[0], "");
  EXPECT_EQ(answers[1], R"({"id":1,"jsonrpc":"2.0","result":1})");
  services.beside = nullptr;
}

}  // namespace
}  // namespace control::rpc
