// One page for many clients, of which some are slow, silent or rude.
#include "control/loop/http_server.h"

#include <atomic>
#include <deque>
#include <future>
#include <thread>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace control {
namespace {

using namespace std::chrono_literals;

const HttpPage kSmall{"/metrics", "text/plain", [] { return std::string("42\n"); }};

std::chrono::nanoseconds cpu_time(clockid_t clock) {
  timespec used{};
  ::clock_gettime(clock, &used);
  return std::chrono::seconds{used.tv_sec} + std::chrono::nanoseconds{used.tv_nsec};
}

bool begins(const std::string& text, const std::string& with) { return text.rfind(with, 0) == 0; }

TEST(HttpAnswer, IsThePageOrWhyNot) {
  const std::string page = http_answer("GET /metrics?x HTTP/1.1\r\nHost: a\r\n\r\n", kSmall);
  EXPECT_TRUE(begins(page, "HTTP/1.1 200 OK\r\n")) << page;
  EXPECT_NE(page.find("\r\nContent-Length: 3\r\n"), std::string::npos) << page;
  EXPECT_TRUE(page.ends_with("\r\n\r\n42\n")) << page;
  EXPECT_TRUE(http_answer("HEAD /metrics HTTP/1.0\r\n\r\n", kSmall).ends_with("\r\n\r\n"));
  EXPECT_TRUE(begins(http_answer("GET / HTTP/1.1\r\n\r\n", kSmall), "HTTP/1.1 404"));
  EXPECT_TRUE(begins(http_answer("POST /metrics HTTP/1.1\r\n\r\n", kSmall), "HTTP/1.1 405"));
  for (const auto* wrong :
       {"", "\r\n\r\n", "GET\r\n\r\n", "GET /metrics\r\n\r\n", "GET /metrics HTTP/2\r\n\r\n"}) {
    EXPECT_TRUE(begins(http_answer(wrong, kSmall), "HTTP/1.1 400")) << wrong;
  }
}

TEST(CpuAllowance, WhatIsNotUsedIsSavedUpAndOveruseIsRestedOff) {
  CpuAllowance allowance({.share = 0.25, .saved = 100ms});
  EXPECT_EQ(allowance.rest(100ms, 0s), 0ns) << "what was saved to begin with";
  EXPECT_EQ(allowance.rest(110ms, 0s), 40ms);
  EXPECT_EQ(allowance.rest(110ms, 40ms), 0ns) << "rested off";
  EXPECT_EQ(allowance.rest(111ms, 40ms), 4ms);
  EXPECT_EQ(allowance.rest(211ms, 10s), 0ns) << "no more than the limit is saved";
  EXPECT_EQ(allowance.rest(212ms, 10s), 4ms);
}

class HttpServerTest : public ::testing::Test {
 protected:
  // Begins to serve on a port that is free.
  void serve(HttpPage page, const HttpLimits& limits = {}) {
    Fd listener = listen_tcp("127.0.0.1:0");
    socklen_t size = sizeof(address);
    ASSERT_EQ(::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
    server = std::make_unique<HttpServer>(std::move(listener), std::move(page), limits);
  }
  Fd connect() {
    Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const timeval patience{20, 0};
    ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    EXPECT_EQ(::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    return fd;
  }
  static void say(const Fd& fd, const std::string& text) {
    EXPECT_EQ(::send(fd.get(), text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
  }
  // Until the server ends it; what came so far when it does not within the patience.
  static std::string hear(const Fd& fd) {
    std::string text;
    char chunk[4096];
    for (ssize_t n; (n = ::recv(fd.get(), chunk, sizeof(chunk), 0)) > 0;)
      text.append(chunk, static_cast<std::size_t>(n));
    return text;
  }
  std::string scrape() {
    const Fd fd = connect();
    say(fd, "GET /metrics HTTP/1.1\r\n\r\n");
    return hear(fd);
  }

  sockaddr_in address{};
  std::unique_ptr<HttpServer> server;
};

TEST_F(HttpServerTest, ThePageIsMadeOnceForAllWhoHaveAsked) {
  std::promise<void> asked;
  std::atomic<int> made = 0;
  serve({"/metrics", "text/plain", [&, all = asked.get_future().share()] {
           if (++made == 1) all.wait();
           return std::to_string(made) + "\n";
         }});
  std::deque<Fd> clients;
  for (int i = 0; i < 20; ++i) {
    say(clients.emplace_back(connect()), "GET /metrics HTTP/1.1\r\n\r\n");
    while (made == 0) std::this_thread::yield();
  }
  asked.set_value();
  EXPECT_TRUE(hear(clients[0]).ends_with("\r\n1\n"));
  for (int i = 1; i < 20; ++i) EXPECT_TRUE(hear(clients[static_cast<std::size_t>(i)]).ends_with("\r\n2\n"));
}

TEST_F(HttpServerTest, ScrapesWithoutAPauseTakeAShareOfACpu) {
  std::atomic<std::int64_t> used = 0;  // CPU time of the server's thread, in nanoseconds
  serve({"/metrics", "text/plain",
         [&used] {
           const auto from = cpu_time(CLOCK_THREAD_CPUTIME_ID);
           while (cpu_time(CLOCK_THREAD_CPUTIME_ID) - from < 1ms) continue;
           used = cpu_time(CLOCK_THREAD_CPUTIME_ID).count();
           return std::string("42\n");
         }},
        {.cpu = {.share = 0.1, .saved = 10ms}});
  const auto began = std::chrono::steady_clock::now();
  do {
    ASSERT_TRUE(scrape().ends_with("42\n"));
  } while (used < 50'000'000);
  const std::chrono::nanoseconds took = std::chrono::steady_clock::now() - began;
  EXPECT_LE(static_cast<double>(used - 12'000'000), 0.1 * static_cast<double>(took.count()));
}

TEST_F(HttpServerTest, AScrapeIsAnsweredWhileFiftyRequestsAreHalfSent) {
  serve(kSmall);
  std::deque<Fd> half;
  for (int i = 0; i < 50; ++i) say(half.emplace_back(connect()), "GET /metr");
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(scrape().ends_with("42\n"));
  say(half.front(), "ics HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(hear(half.front()).ends_with("42\n"));
}

TEST_F(HttpServerTest, AScrapeIsAnsweredWhileOthersDoNotReadTheirAnswers) {
  const std::string much(std::size_t{4} << 20, 'x');
  serve({"/metrics", "text/plain", [&much] { return much; }});
  std::deque<Fd> slow;
  for (int i = 0; i < 30; ++i) say(slow.emplace_back(connect()), "GET /metrics HTTP/1.1\r\n\r\n");
  EXPECT_GT(scrape().size(), much.size());
}

TEST_F(HttpServerTest, BeyondTheLimitTheOldestGoes) {
  serve(kSmall, {.connections = 4});
  std::deque<Fd> half;
  for (int i = 0; i < 4; ++i) say(half.emplace_back(connect()), "GET ");
  EXPECT_TRUE(scrape().ends_with("42\n"));
  EXPECT_EQ(hear(half[0]), "");
  say(half[3], "/metrics HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(hear(half[3]).ends_with("42\n"));
}

TEST_F(HttpServerTest, WhoNeverFinishesIsLeftAfterAWhile) {
  serve(kSmall, {.patience = 50ms});
  const Fd half = connect();
  say(half, "GET ");
  EXPECT_EQ(hear(half), "");
}

TEST_F(HttpServerTest, ARequestThatDoesNotEndIsCutOff) {
  serve(kSmall, {.request_bytes = 100});
  const Fd endless = connect();
  say(endless, std::string(101, 'x'));
  EXPECT_EQ(hear(endless), "");
}

TEST_F(HttpServerTest, WhoHasSaidEverythingMayCloseItsHalf) {
  serve(kSmall);
  const Fd fd = connect();
  say(fd, "GET /metrics HTTP/1.0\r\n\r\n");
  ::shutdown(fd.get(), SHUT_WR);
  EXPECT_TRUE(hear(fd).ends_with("42\n"));
}

TEST_F(HttpServerTest, APageThatCannotBeMadeCostsItsClientOnly) {
  int asked = 0;
  serve({"/metrics", "text/plain", [&asked]() -> std::string {
           if (++asked == 1) throw std::bad_alloc();
           return "43\n";
         }});
  EXPECT_EQ(scrape(), "");
  EXPECT_TRUE(scrape().ends_with("43\n"));
}

TEST_F(HttpServerTest, ItEndsWhateverItsClientsDo) {
  serve(kSmall);
  std::deque<Fd> half;
  for (int i = 0; i < 10; ++i) say(half.emplace_back(connect()), "GET ");
  server.reset();
  EXPECT_EQ(hear(half[0]), "");
}

}  // namespace
}  // namespace control
