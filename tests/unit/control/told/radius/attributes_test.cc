#include "control/told/radius/attributes.h"

#include <gtest/gtest.h>

#include "tests/support/told/radius_request.h"

namespace control::told::radius {
namespace {

using test::RadiusRequest;
using test::ue;
using Ues = std::vector<dp::UeAddress>;

RadiusRequest some_attributes() { return RadiusRequest(Code::accounting_request); }
Told told_by(RadiusRequest& request) {
  const auto bytes = request.unsigned_bytes();
  return read_attributes(PacketView::at(bytes)->attributes());
}
Told told_by(RadiusRequest&& request) { return told_by(request); }

std::string prefix_octets(unsigned length, std::initializer_list<unsigned char> octets) {
  std::string value{'\0', static_cast<char>(length)};
  for (const unsigned char octet : octets) value += static_cast<char>(octet);
  return value;
}

TEST(RadiusAttributes, NamesAreRead) {
  const Told told = told_by(some_attributes()
                                .user("ada")
                                .text(attribute::kCallingStationId, "491701234")
                                .text(attribute::kAcctSessionId, "0A1B")
                                .nas("192.0.2.1")
                                .text(attribute::kNasIdentifier, "bng-1")
                                .integer(attribute::kAcctStatusType, 3)
                                .integer(attribute::kAcctDelayTime, 90));
  EXPECT_EQ(told.delay, std::chrono::seconds(90));
  EXPECT_EQ(told.user, "ada");
  EXPECT_EQ(told.station, "491701234");
  EXPECT_EQ(told.acct_session_id, "0A1B");
  EXPECT_EQ(told.nas, "192.0.2.1");
  EXPECT_EQ(told.nas_identifier, "bng-1");
  EXPECT_EQ(told.status, 3u);
  EXPECT_EQ(told.identity(), "ada");
}

TEST(RadiusAttributes, AnImsiIsTheIdentityBeforeTheNameOfTheUser) {
  EXPECT_EQ(told_by(some_attributes().user("ada").vendor(10415, 1, "001010000000001")).identity(),
            "001010000000001");
  EXPECT_EQ(told_by(some_attributes().text(31, "49170")).identity(), "49170");
  EXPECT_EQ(told_by(some_attributes()).identity(), "");
}

TEST(RadiusAttributes, ANasNamesItselfByAddressOrElseByName) {
  EXPECT_EQ(told_by(some_attributes().text(32, "bng-1")).nas, "bng-1");
  const std::string v6("\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\1", 16);
  EXPECT_EQ(told_by(some_attributes().text(32, "bng-1").text(95, v6)).nas, "2001:db8::1");
}

TEST(RadiusAttributes, AddressesAndPrefixesAreUes) {
  const std::string v6("\x20\x01\x0d\xb8\0\0\0\7\0\0\0\0\0\0\0\1", 16);
  const Told told = told_by(some_attributes()
                                .framed("10.45.0.2")
                                .text(97, prefix_octets(64, {0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 5}))
                                .text(123, prefix_octets(64, {0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 6}))
                                .text(168, v6));
  EXPECT_EQ(told.ues,
            (Ues{ue("10.45.0.2"), ue("2001:db8:0:5::/64"), ue("2001:db8:0:6::/64"), ue("2001:db8:0:7::1")}));
  EXPECT_EQ(told.unreadable + told.unusable, 0u);
}

TEST(RadiusAttributes, AnAddressWithinAPrefixOfTheSessionIsNoUeOfItsOwn) {
  const std::string v6("\x20\x01\x0d\xb8\0\0\0\5\0\0\0\0\0\0\0\1", 16);
  const auto prefix = prefix_octets(64, {0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 5});
  EXPECT_EQ(told_by(some_attributes().text(168, v6).text(97, prefix)).ues, (Ues{ue("2001:db8:0:5::/64")}));
}

TEST(RadiusAttributes, WhatNoUeCanHaveIsCountedAndSkipped) {
  const Told told = told_by(some_attributes()
                                .integer(8, 0xffffffff)
                                .integer(8, 0xfffffffe)
                                .integer(8, 0x7f000001)
                                .text(123, prefix_octets(56, {0x20, 0x01, 0x0d, 0xb8, 0, 0, 1})));
  EXPECT_EQ(told.ues, Ues{});
  EXPECT_EQ(told.unusable, 4u);
}

TEST(RadiusAttributes, OfMoreUesThanASessionMayHaveTheFirstAreKept) {
  RadiusRequest request = some_attributes();
  for (unsigned i = 1; i <= 10; ++i) request.integer(8, 0x0a2d0000 + i);
  const Told told = told_by(request);
  EXPECT_EQ(told.ues.size(), kMaxUes);
  EXPECT_EQ(told.unusable, 10 - kMaxUes);
}

TEST(RadiusAttributes, ValuesOfAWrongLengthAreCountedAndSkipped) {
  const Told told = told_by(some_attributes()
                                .text(8, "abc")
                                .text(97, prefix_octets(64, {0x20, 0x01}))
                                .text(97, "")
                                .text(97, prefix_octets(129, {}))
                                .text(168, "short")
                                .text(40, "ab")
                                .text(26, "abc")
                                .vendor(14988, 8, "fast")
                                .vendor(14122, 7, "x"));
  EXPECT_EQ(told.unreadable, 9u);
  EXPECT_EQ(told.ues, Ues{});
  EXPECT_FALSE(told.status || told.uplink || told.downlink);
}

TEST(RadiusAttributes, RatesOfWisprAreBitsASecond) {
  const Told told =
      told_by(some_attributes().vendor_integer(14122, 7, 5'000'000).vendor_integer(14122, 8, 20'000'000));
  EXPECT_EQ(told.uplink, 5'000'000u);
  EXPECT_EQ(told.downlink, 20'000'000u);
}

TEST(RadiusAttributes, ReceivingOfMikrotikIsTheUpload) {
  const Told told = told_by(some_attributes().vendor(14988, 8, "5M/20M 6M/30M"));
  EXPECT_EQ(told.uplink, 5'000'000u);
  EXPECT_EQ(told.downlink, 20'000'000u);
}

TEST(RadiusAttributes, InputOfHuaweiIsTheUpload) {
  const Told told = told_by(some_attributes().vendor_integer(2011, 2, 5000).vendor_integer(2011, 5, 20000));
  EXPECT_EQ(told.uplink, 5000u);
  EXPECT_EQ(told.downlink, 20000u);
}

TEST(RadiusAttributes, RatesOfVendorsHaveAnOrderEachDirectionAlone) {
  const Told told = told_by(
      some_attributes().vendor_integer(2011, 2, 1).vendor_integer(2011, 5, 2).vendor_integer(14122, 7, 3));
  EXPECT_EQ(told.uplink, 3u);
  EXPECT_EQ(told.downlink, 2u);
  EXPECT_EQ(told_by(some_attributes().vendor_integer(14122, 7, 3).vendor(14988, 8, "7/8")).uplink, 7u);
}

TEST(RadiusAttributes, NamesOfClassesAreLines) {
  const Told told = told_by(some_attributes()
                                .text(attribute::kClass, "gold-1")
                                .vendor(4874, 26, "profile")
                                .vendor(4874, 65, "\x01service")
                                .vendor(10415, 5, "05-1B93")
                                .vendor(10415, 10, "6"));
  EXPECT_EQ(told.class_hint, "gold-1\nprofile\nservice\n05-1B93\n6");
}

TEST(RadiusAttributes, AClassThatIsNoTextIsNoName) {
  EXPECT_EQ(told_by(some_attributes().text(25, "a\nb").text(25, "\x01\x02").text(25, "")).class_hint, "");
}

TEST(RadiusAttributes, NamesOfClassesAreBounded) {
  RadiusRequest request = some_attributes();
  for (int i = 0; i < 10; ++i) request.text(25, std::string(200, 'x'));
  EXPECT_EQ(told_by(request).class_hint.size(), 401u);
}

TEST(RadiusAttributes, UnknownVendorsAndTypesAreSkipped) {
  const Told told =
      told_by(some_attributes().vendor(9, 1, "x").text(26, std::string("\0\0\0\x09zzz", 7)).text(200, "x"));
  EXPECT_EQ(told.unreadable, 0u);
}

TEST(RadiusAttributes, EscapedTextsAreEqualOnlyIfTheirOctetsAre) {
  EXPECT_EQ(escaped_text("ada@example.org"), "ada@example.org");
  EXPECT_EQ(escaped_text("a b%\n\xc3"), "a%20b%25%0A%C3");
}

}  // namespace
}  // namespace control::told::radius
