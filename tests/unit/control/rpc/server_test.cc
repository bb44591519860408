#include "control/rpc/server.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <ctime>
#include <thread>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "control/rpc/codec.h"
#include "tests/support/runs.h"

namespace control {
namespace {

using std::chrono::milliseconds;

// A server on a thread of its own that answers a line with itself; "later" at the next tick, "big" with a
// megabyte, and a line that begins with "wait" after release(). "forget" drops its reply.
class ServerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = testing::TempDir() + "rncd_server_test_" + std::to_string(::getpid()) + ".sock";
    limits_.connection.request = 1 << 16;
    limits_.connection.linger = std::chrono::seconds(1);
  }
  void start() {
    server_ = std::make_unique<Server>(
        loop_, listen_on(path_, 0600),
        [this](const std::string& line, const Peer& peer, Server::Reply reply) -> std::shared_ptr<void> {
          peer_ = peer;
          ++served_;
          if (line == "now") before_now_ = served_.load();
          if (line == "never") return std::make_shared<Held>(working_);
          if (line == "later") {
            held_.push_back(std::move(reply));
          } else if (line.starts_with("wait")) {
            waiting_.push_back(std::move(reply));
            at_work_ = waiting_.size();
          } else if (line == "forget") {
          } else if (line == "silent") {
            reply("");
          } else {
            reply(line == "big" ? std::string(1 << 20, 'x') : line);
          }
          return nullptr;
        },
        limits_);
    thread_ = std::thread([this] {
      while (!stop_) {
        while (held_up_) std::this_thread::sleep_for(milliseconds(1));
        loop_.run_once(milliseconds(5));
        server_->tick();
        for (Server::Reply& reply : std::exchange(held_, {})) reply("later");
        if (release_.exchange(false)) {
          for (Server::Reply& reply : std::exchange(waiting_, {})) reply("done");
        }
        open_ = server_->connections();
        memory_ = server_->stats().memory;
        most_memory_ = std::max(most_memory_.load(), server_->stats().memory);
        for (std::size_t i = 0; i < cut_.size(); ++i) cut_[i] = server_->stats().cut[i];
      }
    });
  }
  void TearDown() override {
    stop_ = true;
    thread_.join();
    server_.reset();
    ::unlink(path_.c_str());
  }
  // Within 20 s.
  template <class Condition>
  static bool comes(Condition condition) {
    for (int i = 0; i < 4000 && !condition(); ++i) std::this_thread::sleep_for(milliseconds(5));
    return condition();
  }
  bool becomes(std::size_t connections) {
    return comes([&] { return open_ == connections; });
  }
  bool works_on(std::size_t requests) {
    return comes([&] { return at_work_ == requests; });
  }
  std::uint64_t cut(Cut why) const { return cut_[static_cast<std::size_t>(why)]; }
  static void expect_told(const std::string& line, const std::string& words) {
    const auto answer = rpc::Json::parse(line, nullptr, false);
    ASSERT_TRUE(answer.is_object()) << line;
    EXPECT_EQ(answer["error"]["code"], rpc::kTooManyConnections);
    EXPECT_NE(answer["error"]["message"].get<std::string>().find(words), std::string::npos) << line;
  }

  // Work on a request that is never answered.
  struct Held {
    explicit Held(std::atomic<int>& count) : count_(count) { ++count_; }
    ~Held() { --count_; }
    std::atomic<int>& count_;
  };

  std::atomic<int> working_ = 0;
  EventLoop loop_;
  ServerLimits limits_;
  std::string path_;
  std::unique_ptr<Server> server_;
  std::vector<Server::Reply> held_, waiting_;
  Peer peer_;
  std::atomic<bool> release_ = false;
  std::atomic<bool> held_up_ = false;  // the server serves no client
  std::atomic<std::size_t> served_ = 0, before_now_ = 0, at_work_ = 0, memory_ = 0, most_memory_ = 0;
  std::array<std::atomic<std::uint64_t>, kCutNames.size()> cut_{};
  std::thread thread_;
  std::atomic<bool> stop_ = false;
  std::atomic<std::size_t> open_ = 0;
};

class LineClient {
 public:
  explicit LineClient(const std::string& path) : fd_(::socket(AF_UNIX, SOCK_STREAM, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, path.size());
    EXPECT_EQ(::connect(fd_.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    timeval limit{20, 0};
    ::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  }
  bool send(const std::string& text) {
    std::size_t sent = 0;
    while (sent < text.size()) {
      const ssize_t n = ::send(fd_.get(), text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
      if (n < 0) return false;
      sent += static_cast<std::size_t>(n);
    }
    return true;
  }
  // A line without its end, or what came before the stream ended.
  std::string line() {
    std::string out;
    char c;
    while (::recv(fd_.get(), &c, 1, 0) == 1 && c != '\n') out += c;
    return out;
  }
  void end_of_input() { ::shutdown(fd_.get(), SHUT_WR); }

 private:
  Fd fd_;
};

TEST_F(ServerTest, LinesAreAnsweredInTheirOrderHoweverTheyArePackaged) {
  start();
  LineClient client(path_);
  client.send("one\ntwo\nlater\nfo");
  EXPECT_EQ(client.line(), "one");
  EXPECT_EQ(client.line(), "two");
  EXPECT_EQ(client.line(), "later");
  client.send("ur\n");
  EXPECT_EQ(client.line(), "four");
  EXPECT_EQ(peer_.pid, ::getpid());
}

TEST_F(ServerTest, AnEmptyAnswerAndAnEmptyLineSendNothing) {
  start();
  LineClient client(path_);
  client.send("silent\n\n \r\nnext\n");
  EXPECT_EQ(client.line(), "next");
}

TEST_F(ServerTest, ALastLineWithoutItsEndIsAnsweredWhenTheClientIsDone) {
  start();
  LineClient client(path_);
  client.send("later\nlast");
  client.end_of_input();
  EXPECT_EQ(client.line(), "later");
  EXPECT_EQ(client.line(), "last");
  EXPECT_EQ(client.line(), "");
  EXPECT_TRUE(becomes(0));
}

TEST_F(ServerTest, ARequestBeyondTheLimitGetsItsErrorAndTheConnectionIsClosed) {
  start();
  LineClient client(path_);
  client.send(std::string(200'000, 'x'));
  EXPECT_EQ(rpc::Json::parse(client.line())["error"]["code"], rpc::kInvalidRequest);
  EXPECT_EQ(client.line(), "");
  EXPECT_TRUE(becomes(0));
}

TEST_F(ServerTest, AHundredClientsAreServedBesideAHundredThatStoppedHalfWay) {
  start();
  std::vector<std::unique_ptr<LineClient>> stuck, clients;
  for (int i = 0; i < 100; ++i) {
    stuck.push_back(std::make_unique<LineClient>(path_));
    stuck.back()->send("half a requ");
    clients.push_back(std::make_unique<LineClient>(path_));
  }
  for (int i = 0; i < 100; ++i) clients[static_cast<std::size_t>(i)]->send(std::to_string(i) + "\n");
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(clients[static_cast<std::size_t>(i)]->line(), std::to_string(i));
  }
  EXPECT_TRUE(becomes(200));
  clients.clear();
  EXPECT_TRUE(becomes(100));
}

TEST_F(ServerTest, AConnectionTooManyIsToldSoAndClosedWhileNoneIsIdle) {
  limits_.connections = 2;
  start();
  LineClient first(path_), second(path_);
  first.send("wait\n");
  second.send("wait\n");
  ASSERT_TRUE(works_on(2));
  LineClient third(path_);
  expect_told(third.line(), "2 connections are open");
  EXPECT_EQ(third.line(), "");
  release_ = true;
  EXPECT_EQ(first.line(), "done");
  EXPECT_EQ(second.line(), "done");
}

TEST_F(ServerTest, ANewcomerTakesThePlaceOfTheOneThatWasIdleLongest) {
  limits_.connections = 2;
  start();
  LineClient first(path_), second(path_);
  ASSERT_TRUE(becomes(2));
  second.send("one\n");
  EXPECT_EQ(second.line(), "one");
  first.send("one\n");
  EXPECT_EQ(first.line(), "one");
  LineClient third(path_);
  third.send("let me in\n");
  EXPECT_EQ(third.line(), "let me in");
  expect_told(second.line(), "connect again");
  EXPECT_EQ(second.line(), "");
  first.send("still here\n");
  EXPECT_EQ(first.line(), "still here");
}

TEST_F(ServerTest, SilentClientsByTheHundredsLockNobodyOut) {
  start();
  std::vector<std::unique_ptr<LineClient>> silent;
  for (int i = 0; i < 300; ++i) silent.push_back(std::make_unique<LineClient>(path_));
  LineClient one_more(path_);
  one_more.send("here\n");
  EXPECT_EQ(one_more.line(), "here");
}

TEST_F(ServerTest, AHalfSentRequestIsGivenUpInTimeHoweverItTrickles) {
  limits_.connection.half_sent = std::chrono::seconds(1);
  start();
  LineClient half(path_), other(path_);
  for (int i = 0; i < 400 && half.send("x"); ++i) std::this_thread::sleep_for(milliseconds(5));
  expect_told(half.line(), "not ended within 1 s");
  EXPECT_EQ(half.line(), "");
  other.send("fine\n");
  EXPECT_EQ(other.line(), "fine");
}

TEST_F(ServerTest, TheTimeOfARequestInWorkIsNotThatOfTheHalfBehindIt) {
  limits_.connection.half_sent = limits_.connection.idle = std::chrono::seconds(1);
  start();
  LineClient client(path_);
  client.send("wait\nha");
  ASSERT_TRUE(works_on(1));
  std::this_thread::sleep_for(milliseconds(1500));
  release_ = true;
  EXPECT_EQ(client.line(), "done");
  client.send("lf\n");
  EXPECT_EQ(client.line(), "half");
}

TEST_F(ServerTest, AnIdleClientIsToldAndClosed) {
  limits_.connection.idle = std::chrono::seconds(1);
  start();
  LineClient client(path_);
  expect_told(client.line(), "nothing was asked for 1 s");
  EXPECT_EQ(client.line(), "");
  EXPECT_TRUE(becomes(0));
}

// CPU seconds. Linear work takes one or so, quadratic work half a minute; with TSan ten times as many.
#ifdef DP_SANITIZE_THREAD
constexpr std::clock_t kLinear = 80;
#else
constexpr std::clock_t kLinear = 8;
#endif
TEST_F(ServerTest, MegabytesOfEmptyLinesKeepNobodyWaiting) {
  start();
  LineClient empty(path_), other(path_);
  const std::clock_t begin = std::clock();  // adds up all threads, whatever else the machine does
  for (auto left = std::max(2u, dp::test::runs_of(16)); left > 0; --left) {
    empty.send(std::string(1 << 20, '\n'));
    other.send("now\n");
    EXPECT_EQ(other.line(), "now");
  }
  empty.send("end\n");
  EXPECT_EQ(empty.line(), "end");
  EXPECT_LT((std::clock() - begin) / CLOCKS_PER_SEC, kLinear);
}

TEST_F(ServerTest, AllBuffersTogetherStayWithinTheirBound) {
  limits_.connection.request = std::size_t{4} << 20;
  limits_.memory = std::size_t{4} << 20;
  start();
  std::vector<std::unique_ptr<LineClient>> half;
  for (int i = 0; i < 20; ++i) {
    half.push_back(std::make_unique<LineClient>(path_));
    half.back()->send(std::string(600'000, 'x'));
  }
  EXPECT_TRUE(comes([&] { return cut(Cut::memory) >= 12; }));
  EXPECT_LE(memory_, limits_.memory);
  EXPECT_LE(most_memory_, limits_.memory);
  expect_told(half.front()->line(), "4 MiB");
  LineClient other(path_);
  other.send(std::string(1 << 20, 'y') + "\n");
  EXPECT_EQ(other.line().size(), std::size_t{1} << 20);
}

TEST_F(ServerTest, AnswersThatNobodyTakesCountAsMemoryToo) {
  limits_.memory = std::size_t{4} << 20;
  start();
  std::vector<std::unique_ptr<LineClient>> greedy;
  for (int i = 0; i < 10; ++i) {
    greedy.push_back(std::make_unique<LineClient>(path_));
    greedy.back()->send("big\n");
  }
  EXPECT_TRUE(comes([&] { return cut(Cut::memory) >= 4; }));
  LineClient other(path_);
  other.send("fine\n");
  EXPECT_EQ(other.line(), "fine");
}

TEST_F(ServerTest, OneRequestAtATimeIsWorkedOnWhereSoItIsLimited) {
  limits_.at_work = 1;
  start();
  LineClient first(path_), second(path_);
  first.send("wait\n");
  ASSERT_TRUE(works_on(1));
  second.send("now\n");
  std::this_thread::sleep_for(milliseconds(100));
  EXPECT_EQ(served_, 1u);
  release_ = true;
  EXPECT_EQ(first.line(), "done");
  EXPECT_EQ(second.line(), "now");
}

TEST_F(ServerTest, LargeRequestsWaitForEachOtherAndNobodyForThem) {
  limits_.large_at_work = 1;
  start();
  LineClient first(path_), second(path_), small(path_);
  const std::string large = "wait" + std::string(limits_.large, 'x') + "\n";
  first.send(large);
  ASSERT_TRUE(works_on(1));
  second.send(large);
  for (int i = 0; i < 20; ++i) {
    small.send("now\n");
    EXPECT_EQ(small.line(), "now");
  }
  EXPECT_EQ(at_work_, 1u);
  release_ = true;
  EXPECT_EQ(first.line(), "done");
  EXPECT_TRUE(comes([&] { return served_ == 22; }));
  release_ = true;
  EXPECT_EQ(second.line(), "done");
}

TEST_F(ServerTest, ARequestThatNobodyCanAnswerAnyMoreEndsItsPlaceAtWork) {
  limits_.at_work = 1;
  start();
  LineClient first(path_), second(path_);
  first.send("forget\n");
  second.send("now\n");
  EXPECT_EQ(second.line(), "now");
}

TEST_F(ServerTest, WhatAClientSentBeforeItLeftIsServed) {
  start();
  for (int i = 0; i < 20; ++i) LineClient(path_).send("silent\n");
  EXPECT_TRUE(comes([&] { return served_ == 20; }));
  LineClient(path_).send("silent\nsilent\nsilent\n");
  EXPECT_TRUE(comes([&] { return served_ == 23; }));
  EXPECT_TRUE(becomes(0));
}

TEST_F(ServerTest, ManyRequestsAtOnceAreServedBesideThoseOfOthers) {
  start();
  LineClient many(path_), other(path_);
  held_up_ = true;
  std::string lines;
  for (int i = 0; i < 5000; ++i) lines += "silent\n";
  many.send(lines);
  other.send("now\n");
  held_up_ = false;
  EXPECT_EQ(other.line(), "now");
  EXPECT_LT(before_now_, 4000u);
  EXPECT_TRUE(comes([&] { return served_ == 5001; }));
}

TEST_F(ServerTest, AClientThatNeverReadsIsCutAndTheOthersGoOn) {
  limits_.connection.stall = std::chrono::seconds(1);
  start();
  LineClient greedy(path_), other(path_);
  std::string many;
  for (int i = 0; i < 100; ++i) many += "big\n";
  greedy.send(many);
  other.send("still here\n");
  EXPECT_EQ(other.line(), "still here");
  EXPECT_TRUE(becomes(1));
}

TEST_F(ServerTest, AnAnswerBeyondTheBacklogCutsTheClient) {
  limits_.connection.backlog = 1 << 18;
  start();
  LineClient greedy(path_);
  greedy.send("big\n");
  EXPECT_TRUE(becomes(0));
}

TEST_F(ServerTest, AnAnswerForAClientThatHasGoneIsDropped) {
  start();
  { LineClient(path_).send("later\n"); }
  LineClient other(path_);
  other.send("later\n");
  EXPECT_EQ(other.line(), "later");
}

TEST_F(ServerTest, WorkForAClientEndsWhenItHangsUp) {
  start();
  {
    LineClient client(path_);
    ASSERT_TRUE(client.send("never\n"));
    for (int i = 0; i < 4000 && working_ != 1; ++i) std::this_thread::sleep_for(milliseconds(5));
    EXPECT_EQ(working_, 1);
  }
  EXPECT_TRUE(becomes(0));
  EXPECT_EQ(working_, 0);
}

}  // namespace
}  // namespace control
