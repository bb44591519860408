// Rules for every source of sessions (control/told/source.h).

#include <functional>
#include <memory>

#include <gtest/gtest.h>

#include "control/told/pfcp/pfcp_source.h"
#include "control/told/radius/source.h"
#include "dataplane/base/rng.h"
#include "tests/support/runs.h"
#include "tests/support/told/pfcp_core.h"
#include "tests/support/told/radius_request.h"

namespace control::told::test {
namespace {

using Octets = std::vector<std::byte>;

struct Good {
  Octets payload;
  bool back = false;  // it comes the other way
};

struct SourceKind {
  const char* name;
  std::function<std::unique_ptr<Source>(SessionSink&)> make;
  Endpoint from, to;
  std::size_t longest_answer;               // octets beyond those of the datagram
  std::function<std::vector<Good>()> good;  // datagrams that make a session, and what else it understands
};

std::vector<Good> good_radius() {
  using radius::Code;
  using radius::Status;
  const auto accounting = [](Status status, std::uint8_t identifier) {
    auto request = RadiusRequest::accounting(status, "0A1B", identifier);
    request.user("ada").nas("10.0.0.1").framed("10.45.0.2").vendor(14988, 8, "5M/20M");
    return request.text(33, "proxy").message_authenticator().sign();
  };
  return {{accounting(Status::start, 1)},
          {accounting(Status::interim, 2)},
          {RadiusRequest(Code::coa_request, 3).framed("10.45.0.2").vendor_integer(14122, 7, 9000).sign()},
          {RadiusRequest(Code::disconnect_request, 4).user("ada").sign()},
          {accounting(Status::stop, 5)},
          {RadiusRequest::accounting(Status::on, "", 6).nas("10.0.0.1").sign()}};
}

std::vector<Good> good_pfcp() {
  using control::test::message;
  return {{message(5, {}, 1, control::test::node_id(0x0a000001))},
          {message(6, {}, 1, control::test::cause(1)), true},
          {message(50, 0, 7, control::test::establishment(1, 0x0a2d0002, 5000))},
          {message(51, 1, 7, control::test::accepted_with(0x1001)), true},
          {message(54, 0x1001, 8, {})},
          {message(55, 1, 8, control::test::cause(1)), true}};
}

// A new source is one more row.
const std::vector<SourceKind> kSources{
    {"radius",
     [](SessionSink& sink) {
       radius::RadiusSettings settings;
       settings.clients = {{*dp::parse_prefix("192.0.2.0/24"), std::string(kSecret)}};
       return std::make_unique<radius::RadiusSource>(sink, settings);
     },
     endpoint("192.0.2.1"), endpoint("192.0.2.254", radius::kAccountingPort), 24, good_radius},
    {"pfcp",
     [](SessionSink& sink) { return std::make_unique<PfcpSource>(PfcpSettings{.sessions = 50}, sink); },
     endpoint("192.0.2.1", 8805), endpoint("192.0.2.254", 8805), 0, good_pfcp},
};

class ToldSource : public ::testing::TestWithParam<std::size_t> {
 protected:
  // Gives the datagram to the source, and judges the answer and the counts.
  void take(const Octets& payload, bool back = false) {
    const MessageCounts before = source->counts();
    const auto answer = source->take({now, back ? kind.to : kind.from, back ? kind.from : kind.to, payload});
    EXPECT_LE(answer.size(), payload.size() + kind.longest_answer);
    std::uint64_t grown = 0;
    for (const auto& [key, count] : source->counts()) {
      const auto known = before.find(key);
      const std::uint64_t was = known == before.end() ? 0 : known->second;
      EXPECT_GE(count, was) << key.first << " " << key.second;
      grown += count - was;
    }
    EXPECT_GE(grown, 1u);
    for (const auto& [key, count] : before) EXPECT_TRUE(source->counts().contains(key));
  }
  Octets random_octets(std::size_t most) {
    Octets octets(rng.below(static_cast<std::uint32_t>(most)));
    for (std::byte& octet : octets) octet = static_cast<std::byte>(rng.below(256));
    return octets;
  }
  // A good datagram with a few octets changed, and cut or made longer at times.
  Good damaged() {
    Good one = good[rng.below(static_cast<std::uint32_t>(good.size()))];
    Octets& octets = one.payload;
    for (std::uint32_t i = rng.below(4); i > 0; --i) {
      octets[rng.below(static_cast<std::uint32_t>(octets.size()))] = static_cast<std::byte>(rng.below(256));
    }
    if (rng.below(4) == 0) octets.resize(rng.below(static_cast<std::uint32_t>(2 * octets.size())));
    return one;
  }

  const SourceKind& kind = kSources[GetParam()];
  const std::vector<Good> good = kind.good();
  dp::Rng rng{1};
  dp::Time now = at_ms(0);
  MemorySink sink{100};
  std::unique_ptr<Source> source = kind.make(sink);
};

TEST_P(ToldSource, BearsItsName) { EXPECT_EQ(source->name(), kind.name); }

TEST_P(ToldSource, UnderstandsGoodDatagrams) {
  for (const Good& one : good) take(one.payload, one.back);
  EXPECT_FALSE(sink.calls.empty());
}

TEST_P(ToldSource, TakesAnyOctetsAndMakesNoSessionOfThem) {
  for (std::uint32_t i = 0; i < dp::test::runs_of(20'000); ++i) take(random_octets(200));
  take({});
  take(Octets(65'535));
  EXPECT_TRUE(sink.calls.empty());
}

TEST_P(ToldSource, MakesNoSessionOfADatagramThatIsCut) {
  for (const auto& [whole, back] : good) {
    for (std::size_t size = 0; size < whole.size(); ++size)
      take(Octets(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)), back);
  }
  EXPECT_TRUE(sink.calls.empty());
}

TEST_P(ToldSource, TakesDamagedDatagramsInAnyOrderAndKeepsItsBounds) {
  for (std::uint32_t i = 0; i < dp::test::runs_of(20'000); ++i) {
    const Good one = damaged();
    take(one.payload, one.back);
    now += dp::Duration{rng.below(100'000'000)};
    if (rng.below(10) == 0) source->advance(now);
    ASSERT_LE(sink.sessions.size(), 100u);
  }
}

TEST_P(ToldSource, IsDoneAfterABoundedNumberOfCalls) {
  for (const Good& one : good) take(one.payload, one.back);
  take(good.front().payload);
  int calls = 0;
  for (dp::Time next = now; next != dp::kNever && calls < 1000; ++calls) next = source->advance(next);
  EXPECT_LT(calls, 1000);
}

TEST_P(ToldSource, AtTheEndOfTimeNothingWaits) {
  for (const Good& one : good) take(one.payload, one.back);
  EXPECT_EQ(source->advance(dp::kNever), dp::kNever);
  EXPECT_EQ(source->advance(dp::kNever), dp::kNever);
}

TEST_P(ToldSource, TakesTimesAtBothEnds) {
  for (const dp::Time time : {dp::Time::min(), at_ms(0), dp::kNever - dp::Duration{1}, dp::kNever}) {
    now = time;
    for (const Good& one : good) take(one.payload, one.back);
    source->advance(now);
  }
}

TEST_P(ToldSource, HoldsNothingThatTheSinkRefuses) {
  MemorySink none(0);
  source = kind.make(none);
  for (int i = 0; i < 3; ++i) {
    for (const Good& one : good) take(one.payload, one.back);
    source->advance(now);
  }
  EXPECT_TRUE(none.calls.empty());
  EXPECT_EQ(source->advance(dp::kNever), dp::kNever);
}

INSTANTIATE_TEST_SUITE_P(Each, ToldSource, ::testing::Range(std::size_t{0}, kSources.size()),
                         [](const auto& info) { return std::string(kSources[info.param].name); });

}  // namespace
}  // namespace control::told::test
