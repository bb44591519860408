#include "control/told/radius/duplicates.h"

#include <gtest/gtest.h>

#include "tests/support/told/memory_sink.h"

namespace control::told::radius {
namespace {

using test::at_ms;

RequestKey request_key(std::uint8_t identifier, std::uint16_t port = 1000, int octet = 1) {
  RequestKey key{test::endpoint("192.0.2.1", port), identifier, {}};
  key.authenticator[15] = static_cast<std::byte>(octet);
  return key;
}

TEST(RadiusDuplicates, ARequestIsKnownUntilItsWindowIsOver) {
  Duplicates duplicates(10, std::chrono::seconds(60));
  EXPECT_EQ(duplicates.find(request_key(1), at_ms(0)), nullptr);
  duplicates.add(request_key(1), {Code::coa_nak, 503}, at_ms(0));
  const Verdict* const verdict = duplicates.find(request_key(1), at_ms(59'999));
  ASSERT_NE(verdict, nullptr);
  EXPECT_EQ(*verdict, (Verdict{Code::coa_nak, 503}));
  EXPECT_EQ(duplicates.find(request_key(1), at_ms(60'000)), nullptr);
  EXPECT_EQ(duplicates.size(), 0u);
}

TEST(RadiusDuplicates, SourceIdentifierAndAuthenticatorTellRequestsApart) {
  Duplicates duplicates(10, std::chrono::seconds(60));
  duplicates.add(request_key(1), {}, at_ms(0));
  EXPECT_EQ(duplicates.find(request_key(2), at_ms(1)), nullptr);
  EXPECT_EQ(duplicates.find(request_key(1, 1001), at_ms(1)), nullptr);
  EXPECT_EQ(duplicates.find(request_key(1, 1000, 2), at_ms(1)), nullptr);
  EXPECT_NE(duplicates.find(request_key(1), at_ms(1)), nullptr);
}

TEST(RadiusDuplicates, BeyondTheMostTheOldestIsForgotten) {
  Duplicates duplicates(3, std::chrono::seconds(60));
  for (std::uint8_t i = 0; i < 10; ++i) duplicates.add(request_key(i), {}, at_ms(i));
  EXPECT_EQ(duplicates.size(), 3u);
  EXPECT_EQ(duplicates.find(request_key(6), at_ms(10)), nullptr);
  EXPECT_NE(duplicates.find(request_key(7), at_ms(10)), nullptr);
}

TEST(RadiusDuplicates, WithoutEntriesNothingIsADuplicate) {
  Duplicates duplicates(0, std::chrono::seconds(60));
  duplicates.add(request_key(1), {}, at_ms(0));
  EXPECT_EQ(duplicates.find(request_key(1), at_ms(0)), nullptr);
}

}  // namespace
}  // namespace control::told::radius
