#include "control/told/radius/source.h"

#include <gtest/gtest.h>

#include "control/told/radius/authenticator.h"
#include "tests/support/told/radius_request.h"

namespace control::told::radius {
namespace {

using test::at_ms;
using test::endpoint;
using test::kSecret;
using test::MemorySink;
using test::RadiusRequest;

class RadiusSourceTest : public ::testing::Test {
 protected:
  static RadiusSettings settings(bool answer = true) {
    return {.clients = {{*dp::parse_prefix("192.0.2.0/24"), std::string(kSecret)}}, .answer = answer};
  }
  std::vector<std::byte> take(const std::vector<std::byte>& request, std::string_view from = "192.0.2.1") {
    const auto answer = source.take({now, endpoint(from), endpoint("192.0.2.254", 1813), request});
    return {answer.begin(), answer.end()};
  }
  static RadiusRequest start(std::string_view id = "1", std::uint8_t identifier = 1) {
    return RadiusRequest::accounting(Status::start, id, identifier).user("ada").framed("10.45.0.2");
  }
  std::uint64_t count(std::string_view kind, std::string_view result) const {
    const auto found = source.counts().find({kind, result});
    return found == source.counts().end() ? 0 : found->second;
  }
  // The answer's code, after a look at its authenticator; 0 without an answer.
  static unsigned code_of(const std::vector<std::byte>& answer, const std::vector<std::byte>& request) {
    const auto packet = PacketView::at(answer);
    if (!packet) return 0;
    PacketWriter again(packet->code(), packet->identifier());
    AttributeReader reader(packet->attributes());
    while (const auto a = reader.next()) again.add(a->type, a->value);
    sign_answer(again, PacketView::at(request)->authenticator(), kSecret, false);
    EXPECT_TRUE(std::ranges::equal(again.bytes(), answer));
    EXPECT_EQ(packet->identifier(), PacketView::at(request)->identifier());
    return static_cast<unsigned>(packet->code());
  }
  static std::uint32_t error_cause(const std::vector<std::byte>& answer) {
    AttributeReader reader(PacketView::at(answer)->attributes());
    while (const auto a = reader.next()) {
      if (a->type == attribute::kErrorCause) return a->integer().value_or(0);
    }
    return 0;
  }

  dp::Time now = at_ms(0);
  MemorySink sink;
  RadiusSource source{sink, settings()};
};

TEST_F(RadiusSourceTest, AStartIsAnsweredAndMakesASession) {
  const auto request = start().sign();
  EXPECT_EQ(code_of(take(request), request), 5u);
  EXPECT_EQ(sink.sessions.count("192.0.2.1 1"), 1u);
  EXPECT_EQ(count("start", "applied"), 1u);
}

TEST_F(RadiusSourceTest, ProxyStatesComeBackInOrder) {
  const auto request = start().text(33, "first").text(1, "x").text(33, "").text(33, "third").sign();
  const auto answer = take(request);
  AttributeReader reader(PacketView::at(answer)->attributes());
  EXPECT_EQ(reader.next()->text(), "first");
  EXPECT_EQ(reader.next()->text(), "");
  EXPECT_EQ(reader.next()->text(), "third");
  EXPECT_FALSE(reader.next());
}

TEST_F(RadiusSourceTest, ADuplicateIsAnsweredAgainAndAppliedOnce) {
  const auto request = start().sign();
  const auto first = take(request);
  now = at_ms(3000);
  EXPECT_EQ(take(request), first);
  EXPECT_EQ(sink.calls.size(), 1u);
  EXPECT_EQ(count("accounting", "duplicate"), 1u);
  EXPECT_EQ(count("start", "applied"), 1u);
}

TEST_F(RadiusSourceTest, ALateDuplicateOfAStartDoesNotReviveAStoppedSession) {
  const auto request = start().sign();
  take(request);
  take(RadiusRequest::accounting(Status::stop, "1", 2).sign());
  now = at_ms(3000);
  EXPECT_FALSE(take(request).empty());
  EXPECT_TRUE(sink.sessions.empty());
}

TEST_F(RadiusSourceTest, AnUnknownSourceGetsNoAnswer) {
  EXPECT_TRUE(take(start().sign(), "198.51.100.1").empty());
  EXPECT_TRUE(sink.sessions.empty());
  EXPECT_EQ(count("datagram", "unknown_source"), 1u);
}

TEST_F(RadiusSourceTest, AWrongSecretGetsNoAnswer) {
  EXPECT_TRUE(take(start().sign("wrong")).empty());
  EXPECT_TRUE(take(start().message_authenticator("wrong").sign()).empty());
  EXPECT_TRUE(sink.sessions.empty());
  EXPECT_EQ(count("accounting", "wrong_secret"), 2u);
}

TEST_F(RadiusSourceTest, AMessageAuthenticatorIsAnsweredByOneButForAccounting) {
  const auto accounting = take(start().message_authenticator().sign());
  EXPECT_FALSE(has_message_authenticator(*PacketView::at(accounting)));
  for (const Code code : {Code::disconnect_request, Code::coa_request}) {
    const auto answer = take(RadiusRequest(code, 2).user("ada").message_authenticator().sign());
    EXPECT_TRUE(has_message_authenticator(*PacketView::at(answer)));
  }
}

TEST_F(RadiusSourceTest, WhatIsNoRequestIsCountedAndNotAnswered) {
  EXPECT_TRUE(take({}).empty());
  EXPECT_TRUE(take(std::vector<std::byte>(19)).empty());
  EXPECT_TRUE(take(RadiusRequest(Code::accounting_response).sign()).empty());
  EXPECT_TRUE(take(RadiusRequest(Code{12}).sign()).empty());
  EXPECT_EQ(count("datagram", "malformed"), 2u);
  EXPECT_EQ(count("answer", "ignored"), 1u);
  EXPECT_EQ(count("other", "ignored"), 1u);
}

TEST_F(RadiusSourceTest, CopiesAreAppliedAndNotAnswered) {
  RadiusSource quiet(sink, settings(false));
  EXPECT_TRUE(quiet.take({now, endpoint("192.0.2.1"), endpoint("192.0.2.254"), start().sign()}).empty());
  EXPECT_EQ(sink.sessions.size(), 1u);
}

TEST_F(RadiusSourceTest, AStatusThatIsNotKnownIsAnsweredAndIgnored) {
  EXPECT_FALSE(take(RadiusRequest::accounting(Status{9}, "1").sign()).empty());
  EXPECT_FALSE(take(RadiusRequest(Code::accounting_request, 2).sign()).empty());
  EXPECT_EQ(count("accounting", "ignored"), 2u);
  EXPECT_TRUE(sink.sessions.empty());
}

TEST_F(RadiusSourceTest, AccountingOnEndsTheSessionsOfTheNas) {
  take(start("1", 1).nas("10.0.0.1").sign());
  take(start("2", 2).user("bob").nas("10.0.0.2").framed("10.45.0.3").sign());
  EXPECT_FALSE(take(RadiusRequest::accounting(Status::on, "", 3).nas("10.0.0.1").sign()).empty());
  source.advance(at_ms(2000));
  EXPECT_EQ(sink.sessions.size(), 1u);
  EXPECT_EQ(sink.sessions.count("10.0.0.2 2"), 1u);
}

TEST_F(RadiusSourceTest, ADisconnectIsAcknowledgedAndEndsTheSession) {
  take(start().sign());
  const auto request = RadiusRequest(Code::disconnect_request, 2).framed("10.45.0.2").sign();
  EXPECT_EQ(code_of(take(request), request), 41u);
  EXPECT_EQ(sink.sessions.at("192.0.2.1 1").state, SessionState::ending);
  EXPECT_EQ(count("disconnect", "applied"), 1u);
}

TEST_F(RadiusSourceTest, ADisconnectOfNobodyIsRefusedWithItsCause) {
  const auto request = RadiusRequest(Code::disconnect_request, 2).framed("10.45.0.9").sign();
  const auto answer = take(request);
  EXPECT_EQ(code_of(answer, request), 42u);
  EXPECT_EQ(error_cause(answer), 503u);
  EXPECT_EQ(take(request), answer);
}

TEST_F(RadiusSourceTest, ACoaChangesTheRates) {
  take(start().vendor(14988, 8, "1M/2M").sign());
  const auto request =
      RadiusRequest(Code::coa_request, 2).framed("10.45.0.2").vendor(14988, 8, "3M/4M").sign();
  EXPECT_EQ(code_of(take(request), request), 44u);
  EXPECT_EQ(sink.sessions.at("192.0.2.1 1").uplink.bit_per_s, 3'000'000u);
  EXPECT_EQ(sink.sessions.at("192.0.2.1 1").downlink.bit_per_s, 4'000'000u);
}

TEST_F(RadiusSourceTest, ACoaThatCannotBeAppliedIsRefusedWithItsCause) {
  take(start().sign());
  const auto nobody = RadiusRequest(Code::coa_request, 2).user("bob").vendor(14988, 8, "3M/4M").sign();
  const auto nameless = RadiusRequest(Code::coa_request, 3).vendor(14988, 8, "3M/4M").sign();
  const auto nothing = RadiusRequest(Code::coa_request, 4).user("ada").sign();
  EXPECT_EQ(code_of(take(nobody), nobody), 45u);
  EXPECT_EQ(error_cause(take(nobody)), 503u);
  EXPECT_EQ(error_cause(take(nameless)), 402u);
  EXPECT_EQ(error_cause(take(nothing)), 401u);
}

TEST_F(RadiusSourceTest, ARequestThatIsFullOfProxyStatesHasAnAnswerOfItsSize) {
  RadiusRequest request(Code::disconnect_request);
  for (int i = 0; i < 15; ++i) request.text(33, std::string(253, 'x'));
  const auto bytes = request.text(33, std::string(200, 'x')).sign();
  EXPECT_EQ(take(bytes).size(), bytes.size() + 6);
  const auto longer = RadiusRequest(request).text(33, std::string(47, 'x')).sign();
  EXPECT_TRUE(take(longer).empty());
  EXPECT_EQ(count("answer", "too_long"), 1u);
}

TEST_F(RadiusSourceTest, AFullTableIsCountedAndAnswered) {
  MemorySink none(0);
  RadiusSource full(none, settings());
  EXPECT_FALSE(full.take({now, endpoint("192.0.2.1"), endpoint("192.0.2.254"), start().sign()}).empty());
  EXPECT_EQ(full.sessions(), 0u);
  EXPECT_EQ(full.counts().at({"start", "full"}), 1u);
}

}  // namespace
}  // namespace control::told::radius
