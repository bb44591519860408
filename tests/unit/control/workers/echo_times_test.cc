// Round trips of GTP-U echoes (control/workers/echo_times.h).
#include "control/workers/echo_times.h"

#include <memory>

#include <gtest/gtest.h>

namespace control {
namespace {

constexpr dp::TunnelEnd kGateway{false, 0, 0xc0000201}, kCell{false, 0, 0xc000020b};

dp::Time at_ms(std::int64_t ms) { return dp::time_ns(ms * 1'000'000); }

class EchoTimesTest : public ::testing::Test {
 protected:
  void request(std::int64_t ms, std::uint16_t sequence, const dp::TunnelEnd& from = kGateway,
               const dp::TunnelEnd& to = kCell, std::size_t worker = 0) {
    ASSERT_TRUE(books[worker]->echoes().push({from, to, true, sequence, at_ms(ms)}));
  }
  void response(std::int64_t ms, std::uint16_t sequence, const dp::TunnelEnd& from = kCell,
                const dp::TunnelEnd& to = kGateway, std::size_t worker = 0) {
    ASSERT_TRUE(books[worker]->echoes().push({from, to, false, sequence, at_ms(ms)}));
  }
  void drain(std::int64_t ms = 0) {
    times.drain({books[0].get(), books[1].get()}, at_ms(ms));
    times.drain({books[0].get(), books[1].get()}, at_ms(ms));
  }
  // The only path.
  EchoPath path() {
    const auto all = times.paths();
    EXPECT_EQ(all.size(), 1u);
    return all.empty() ? EchoPath{} : all.front();
  }

  std::array<std::unique_ptr<dp::TunnelBook>, 2> books{std::make_unique<dp::TunnelBook>(8, 1),
                                                       std::make_unique<dp::TunnelBook>(8, 2)};
  EchoTimes times;
};

TEST_F(EchoTimesTest, ARoundTripIsFromTheRequestToTheResponseOfItsSequenceNumber) {
  request(100, 7);
  request(1100, 8);
  response(1103, 8);
  response(1105, 7);
  response(1106, 9);
  drain();
  EXPECT_EQ(path().requests, 2u);
  EXPECT_EQ(path().answers, 2u);
  EXPECT_EQ(path().timed, 2u);
  EXPECT_EQ(path().sum, std::chrono::milliseconds(3 + 1005));
  EXPECT_EQ(path().unanswered, 0u);
  EXPECT_EQ(path().requester, kGateway);
  EXPECT_EQ(path().responder, kCell);
}

TEST_F(EchoTimesTest, TheResponseOfAnotherWorkerIsMatchedThoughItIsReadFirst) {
  response(105, 7, kCell, kGateway, 0);
  request(100, 7, kGateway, kCell, 1);
  drain();
  EXPECT_EQ(path().last, std::chrono::milliseconds(5));
}

TEST_F(EchoTimesTest, ARequestThatIsReadWithTheResponseBeforeItIsUnanswered) {
  request(100, 7);
  drain();
  response(105, 7);
  times.drain({books[0].get(), books[1].get()}, at_ms(200));
  request(1100, 8);
  drain();
  EXPECT_EQ(path().answers, 1u);
  EXPECT_EQ(path().unanswered, 1u);
}

TEST_F(EchoTimesTest, ARepeatedRequestIsAnsweredAndNotTimed) {
  request(100, 7);
  request(3100, 7);
  response(3105, 7);
  response(3106, 7);
  drain();
  EXPECT_EQ(path().answers, 1u);
  EXPECT_EQ(path().timed, 0u);
  EXPECT_EQ(path().unanswered, 0u);
}

TEST_F(EchoTimesTest, RequestsWithoutResponseAreCountedSinceTheLastAnswer) {
  for (std::uint16_t n = 0; n < 6; ++n) request(100 * n, n);
  drain();
  EXPECT_EQ(path().unanswered, 6u);
  response(700, 0);  // the first is no longer awaited
  drain();
  EXPECT_EQ(path().unanswered, 6u);
  response(701, 5);
  drain();
  EXPECT_EQ(path().unanswered, 0u);
}

TEST_F(EchoTimesTest, ForgedRequestsDisplaceNoPathThatWorks) {
  request(1, 1);
  response(2, 1);
  drain();
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    request(10, 1, {false, 0, i}, kCell);
    if (i % 100 == 0) drain();
  }
  drain();
  EXPECT_EQ(times.paths().size(), EchoTimes::kMostPaths);
  EXPECT_EQ(times.paths().front().answers, 1u);
  EXPECT_EQ(times.unmeasured(), 0u);
}

TEST_F(EchoTimesTest, AFullTableOfPathsThatWorkCountsFurtherOnes) {
  for (std::uint64_t i = 0; i < EchoTimes::kMostPaths; ++i) {
    request(1, 1, {false, 0, i}, kCell);
    response(2, 1, kCell, {false, 0, i});
    drain();
  }
  request(3, 1);
  drain();
  EXPECT_EQ(times.paths().size(), EchoTimes::kMostPaths);
  EXPECT_EQ(times.unmeasured(), 1u);
}

TEST_F(EchoTimesTest, APathWithoutRequestsForAnHourIsForgotten) {
  request(1, 1);
  drain(3'600'000);
  EXPECT_EQ(times.paths().size(), 1u);
  drain(3'600'002);
  EXPECT_TRUE(times.paths().empty());
}

}  // namespace
}  // namespace control
