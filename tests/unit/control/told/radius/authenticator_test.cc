#include "control/told/radius/authenticator.h"

#include <gtest/gtest.h>

#include "tests/support/told/radius_request.h"

namespace control::told::radius {
namespace {

using test::kSecret;
using test::RadiusRequest;

bool authentic_bytes(const std::vector<std::byte>& bytes, std::string_view secret = kSecret) {
  return is_authentic(*PacketView::at(bytes), secret);
}

RadiusRequest plain_request() {
  return RadiusRequest(Code::accounting_request, 3).user("ada").integer(40, 1);
}

TEST(RadiusAuthenticator, ARequestOfTheSecretIsAuthentic) {
  EXPECT_TRUE(authentic_bytes(plain_request().sign()));
  EXPECT_FALSE(authentic_bytes(plain_request().sign(), "other"));
}

TEST(RadiusAuthenticator, AnyChangedOctetIsFound) {
  const auto good = plain_request().message_authenticator().sign();
  ASSERT_TRUE(authentic_bytes(good));
  for (std::size_t i = 0; i < good.size(); ++i) {
    auto bad = good;
    bad[i] ^= std::byte{1};
    const auto packet = PacketView::at(bad);
    EXPECT_FALSE(packet && is_authentic(*packet, kSecret)) << i;
  }
}

TEST(RadiusAuthenticator, AWrongMessageAuthenticatorIsFoundUnderARightAuthenticator) {
  EXPECT_FALSE(authentic_bytes(plain_request().message_authenticator("other").sign()));
  EXPECT_FALSE(authentic_bytes(plain_request().text(kMessageAuthenticator, "short").sign()));
}

TEST(RadiusAuthenticator, ASecondMessageAuthenticatorIsRefused) {
  EXPECT_FALSE(authentic_bytes(plain_request().message_authenticator().message_authenticator().sign()));
}

TEST(RadiusAuthenticator, ALongSecretIsHashedForItsKey) {
  const std::string secret(200, 'x');
  EXPECT_TRUE(authentic_bytes(plain_request().message_authenticator(secret).sign(secret), secret));
}

TEST(RadiusAuthenticator, AnAnswerHasAMessageAuthenticatorWhenItIsAsked) {
  PacketWriter answer(Code::accounting_response, 3);
  sign_answer(answer, Authenticator{}, kSecret, false);
  EXPECT_FALSE(has_message_authenticator(*PacketView::at(answer.bytes())));
  PacketWriter other(Code::accounting_response, 3);
  sign_answer(other, Authenticator{}, kSecret, true);
  EXPECT_TRUE(has_message_authenticator(*PacketView::at(other.bytes())));
}

}  // namespace
}  // namespace control::told::radius
