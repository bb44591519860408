#include "control/server.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "control/codec.h"

namespace control {
namespace {

using std::chrono::milliseconds;

// A server on a thread of its own that answers a line with itself; "later" half a second's ticks after, and
// "big" with a megabyte.
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
        [this](const std::string& line, const Peer& peer, Server::Reply reply) {
          peer_ = peer;
          if (line == "later") {
            held_.push_back(std::move(reply));
          } else if (line == "silent") {
            reply("");
          } else {
            reply(line == "big" ? std::string(1 << 20, 'x') : line);
          }
        },
        limits_);
    thread_ = std::thread([this] {
      while (!stop_) {
        loop_.run_once(milliseconds(5));
        server_->tick();
        for (Server::Reply& reply : std::exchange(held_, {})) reply("later");
        open_ = server_->connections();
      }
    });
  }
  void TearDown() override {
    stop_ = true;
    thread_.join();
    server_.reset();
    ::unlink(path_.c_str());
  }
  bool becomes(std::size_t connections) {
    for (int i = 0; i < 4000 && open_ != connections; ++i) std::this_thread::sleep_for(milliseconds(5));
    return open_ == connections;
  }

  EventLoop loop_;
  ServerLimits limits_;
  std::string path_;
  std::unique_ptr<Server> server_;
  std::vector<Server::Reply> held_;
  Peer peer_;
  std::thread thread_;
  std::atomic<bool> stop_ = false;
  std::atomic<std::size_t> open_ = 0;
};

class Client {
 public:
  explicit Client(const std::string& path) : fd_(::socket(AF_UNIX, SOCK_STREAM, 0)) {
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
  Client client(path_);
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
  Client client(path_);
  client.send("silent\n\n \r\nnext\n");
  EXPECT_EQ(client.line(), "next");
}

TEST_F(ServerTest, ALastLineWithoutItsEndIsAnsweredWhenTheClientIsDone) {
  start();
  Client client(path_);
  client.send("later\nlast");
  client.end_of_input();
  EXPECT_EQ(client.line(), "later");
  EXPECT_EQ(client.line(), "last");
  EXPECT_EQ(client.line(), "");
  EXPECT_TRUE(becomes(0));
}

TEST_F(ServerTest, ARequestBeyondTheLimitGetsItsErrorAndTheConnectionIsClosed) {
  start();
  Client client(path_);
  client.send(std::string(200'000, 'x'));
  EXPECT_EQ(rpc::Json::parse(client.line())["error"]["code"], rpc::kInvalidRequest);
  EXPECT_EQ(client.line(), "");
  EXPECT_TRUE(becomes(0));
}

TEST_F(ServerTest, AHundredClientsAreServedBesideAHundredThatStoppedHalfWay) {
  start();
  std::vector<std::unique_ptr<Client>> stuck, clients;
  for (int i = 0; i < 100; ++i) {
    stuck.push_back(std::make_unique<Client>(path_));
    stuck.back()->send("half a requ");
    clients.push_back(std::make_unique<Client>(path_));
  }
  for (int i = 0; i < 100; ++i) clients[static_cast<std::size_t>(i)]->send(std::to_string(i) + "\n");
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(clients[static_cast<std::size_t>(i)]->line(), std::to_string(i));
  }
  EXPECT_TRUE(becomes(200));
  clients.clear();
  EXPECT_TRUE(becomes(100));
}

TEST_F(ServerTest, AConnectionTooManyIsToldSoAndClosed) {
  limits_.connections = 2;
  start();
  Client first(path_), second(path_);
  ASSERT_TRUE(becomes(2));
  Client third(path_);
  EXPECT_EQ(rpc::Json::parse(third.line())["error"]["code"], rpc::kTooManyConnections);
  EXPECT_EQ(third.line(), "");
  first.send("one\n");
  EXPECT_EQ(first.line(), "one");
}

TEST_F(ServerTest, AClientThatNeverReadsIsCutAndTheOthersGoOn) {
  limits_.connection.stall = std::chrono::seconds(1);
  start();
  Client greedy(path_), other(path_);
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
  Client greedy(path_);
  greedy.send("big\n");
  EXPECT_TRUE(becomes(0));
}

TEST_F(ServerTest, AnAnswerForAClientThatHasGoneIsDropped) {
  start();
  { Client(path_).send("later\n"); }
  Client other(path_);
  other.send("later\n");
  EXPECT_EQ(other.line(), "later");
}

}  // namespace
}  // namespace control
