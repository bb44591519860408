#include "control/told/sink/rncd_client.h"

#include <filesystem>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace control::told {
namespace {

using std::chrono::milliseconds;

// A client, and the other end of its socket.
class ToldRncdClient : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("told_client_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
    path_ = folder_ / "rncd.sock";
    std::filesystem::remove(path_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void listen() {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path_.copy(address.sun_path, path_.size());
    listener_ = Fd(::socket(AF_UNIX, SOCK_STREAM, 0));
    ASSERT_EQ(::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    ASSERT_EQ(::listen(listener_.get(), 1), 0);
  }
  void connect() {
    listen();
    client_.tick(std::max(dp::time_ns(0), client_.due()));
    ASSERT_TRUE(client_.is_connected());
    peer_ = Fd(::accept(listener_.get(), nullptr, nullptr));
  }
  std::string heard() {
    char text[4096];
    const auto n = ::recv(peer_.get(), text, sizeof(text), MSG_DONTWAIT);
    return {text, static_cast<std::size_t>(std::max<ssize_t>(n, 0))};
  }
  void say(const std::string& text) {
    ASSERT_EQ(::send(peer_.get(), text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
    loop_.run_once(milliseconds(100));
  }

  std::filesystem::path folder_;
  std::string path_{"/nonexistent"};
  Fd listener_, peer_;
  EventLoop loop_;
  std::vector<std::string> events_;
  // The path is set before the first tick.
  std::string socket_ =
      (std::filesystem::temp_directory_path() / ("told_client_" + std::to_string(::getpid())) / "rncd.sock")
          .string();
  RncdClient client_{
      loop_,
      socket_,
      {[this] { events_.emplace_back("connected"); },
       [this](const std::string&) { events_.emplace_back("disconnected"); },
       [this](const Json& result) { events_.push_back("answered " + result.dump()); },
       [this](const RncdRefusal& r) { events_.push_back("refused " + std::to_string(r.code) + r.message); }},
      {.answer = 100'000}};
};

TEST_F(ToldRncdClient, ACallIsALineAndItsResultComesBack) {
  connect();
  client_.send({"bearer.list", {{"limit", 7}}}, dp::time_ns(0));
  EXPECT_EQ(heard(), "{\"id\":1,\"jsonrpc\":\"2.0\",\"method\":\"bearer.list\",\"params\":{\"limit\":7}}\n");
  say("{\"id\":1,\"jsonrpc\":\"2.0\",\"result\":{\"items\":[]");
  EXPECT_EQ(events_, (std::vector<std::string>{"connected"}));
  say("}}\n");
  EXPECT_EQ(events_.back(), "answered {\"items\":[]}");
  EXPECT_EQ(client_.due(), dp::kNever);
}

TEST_F(ToldRncdClient, ARefusalComesBackWithItsCode) {
  connect();
  client_.send({"bearer.set", Json::object()}, dp::time_ns(0));
  say("{\"id\":1,\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32602,\"message\":\"no\"}}\n");
  EXPECT_EQ(events_.back(), "refused -32602no");
}

TEST_F(ToldRncdClient, ALostConnectionIsMadeAgainAfterAPause) {
  connect();
  client_.send({"bearer.set", Json::object()}, dp::time_ns(0));
  peer_ = Fd();
  loop_.run_once(milliseconds(100));
  EXPECT_EQ(events_.back(), "disconnected");
  EXPECT_FALSE(client_.is_connected());
  EXPECT_NE(client_.problem(), "");
  client_.tick(dp::time_ns(1));
  EXPECT_FALSE(client_.is_connected());
  client_.tick(client_.due());
  EXPECT_TRUE(client_.is_connected());
  EXPECT_EQ(client_.problem(), "");
}

TEST_F(ToldRncdClient, WithoutAnAnswerInTimeTheConnectionEnds) {
  connect();
  client_.send({"bearer.set", Json::object()}, dp::time_ns(0));
  client_.tick(dp::time_ns(0) + std::chrono::seconds(9));
  EXPECT_TRUE(client_.is_connected());
  EXPECT_EQ(client_.due(), dp::time_ns(0) + std::chrono::seconds(10));
  client_.tick(client_.due());
  EXPECT_EQ(events_[1], "disconnected");
}

TEST_F(ToldRncdClient, LinesOfAnyContentEndTheConnection) {
  for (const std::string line :
       {"", "7", "{}", "not json", "{\"id\":9,\"result\":1}", "{\"id\":null,\"error\":7}"}) {
    TearDown();
    SetUp();
    connect();
    say(line + "\n");
    EXPECT_EQ(events_.back(), "disconnected") << line;
  }
}

TEST_F(ToldRncdClient, ALineBeyondItsBoundEndsTheConnection) {
  connect();
  client_.send({"bearer.list", Json::object()}, dp::time_ns(0));
  const std::string chunk(50'000, 'x');
  for (int i = 0; i < 2; ++i) say(chunk);
  EXPECT_TRUE(client_.is_connected());
  say(chunk);
  EXPECT_EQ(events_.back(), "disconnected");
}

TEST_F(ToldRncdClient, WithoutASocketTheReasonIsSaid) {
  client_.tick(dp::time_ns(0));
  EXPECT_FALSE(client_.is_connected());
  EXPECT_NE(client_.problem().find("No such file"), std::string::npos);
  EXPECT_TRUE(events_.empty());
}

}  // namespace
}  // namespace control::told
