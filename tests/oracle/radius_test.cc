// Packets that pyrad made (radius_vectors.h) before control/told/radius: they are authentic, mean what was
// meant, and our answers are pyrad's octet by octet.
#include <gtest/gtest.h>

#include "control/told/radius/attributes.h"
#include "control/told/radius/authenticator.h"
#include "control/told/radius/source.h"
#include "tests/oracle/radius_vectors.h"
#include "tests/support/told/radius_request.h"

namespace control::told::test {
namespace {

using radius::PacketView;
using radius::Told;
using Octets = std::vector<std::byte>;

Octets vector_octets(std::string_view name) {
  for (const RadiusVector& vector : kRadiusVectors) {
    if (vector.name != name) continue;
    const std::string_view hex = vector.hex;
    Octets octets;
    for (std::size_t at = 0; at < hex.size(); at += 2) {
      octets.push_back(static_cast<std::byte>(std::stoi(std::string(hex.substr(at, 2)), nullptr, 16)));
    }
    return octets;
  }
  ADD_FAILURE() << "no vector " << name;
  return {};
}

Told vector_told(std::string_view name) {
  const Octets octets = vector_octets(name);
  return radius::read_attributes(PacketView::at(octets)->attributes());
}

class RadiusOracle : public ::testing::Test {
 protected:
  Octets answer_to(std::string_view name) {
    const auto answer =
        source.take({at_ms(0), endpoint("192.0.2.1"), endpoint("192.0.2.2"), vector_octets(name)});
    return {answer.begin(), answer.end()};
  }

  MemorySink sink;
  radius::RadiusSource source{sink, {.clients = {{*dp::parse_prefix("192.0.2.0/24"), std::string(kSecret)}}}};
};

TEST_F(RadiusOracle, RequestsAreAuthenticAndOnlyWithTheirSecret) {
  int requests = 0;
  for (const RadiusVector& vector : kRadiusVectors) {
    if (std::string_view(vector.name).starts_with("answer")) continue;
    const Octets octets = vector_octets(vector.name);
    EXPECT_TRUE(radius::is_authentic(*PacketView::at(octets), kSecret)) << vector.name;
    EXPECT_FALSE(radius::is_authentic(*PacketView::at(octets), "testing124")) << vector.name;
    ++requests;
  }
  EXPECT_GE(requests, 10);
  const Octets proved = vector_octets("start with a Message-Authenticator");
  EXPECT_TRUE(radius::has_message_authenticator(*PacketView::at(proved)));
}

TEST_F(RadiusOracle, AnswersAreThoseOfPyrad) {
  EXPECT_EQ(answer_to("CoA"), vector_octets("answer to CoA of nobody"));
  EXPECT_EQ(answer_to("start"), vector_octets("answer to start"));
  EXPECT_EQ(answer_to("stop through a proxy"), vector_octets("answer to stop through a proxy"));
  EXPECT_EQ(sink.sessions.at("10.0.0.1 0A1B").state, SessionState::ending);
}

TEST_F(RadiusOracle, ACoaOfASessionIsAcknowledgedAsPyradDoes) {
  answer_to("start with a Message-Authenticator");
  EXPECT_EQ(answer_to("CoA"), vector_octets("answer to CoA"));
  EXPECT_EQ(sink.sessions.at("192.0.2.1 0A1B").uplink.bit_per_s, 1'000'000u);
  EXPECT_EQ(answer_to("disconnect with a Message-Authenticator"),
            vector_octets("answer to disconnect with a Message-Authenticator"));
  EXPECT_EQ(sink.sessions.at("192.0.2.1 0A1B").state, SessionState::ending);
}

TEST_F(RadiusOracle, RatesOfEachVendorAreThoseThatWereMeant) {
  for (const char* vendor : {"WISPr", "Mikrotik", "Huawei"}) {
    EXPECT_EQ(vector_told(vendor).uplink, 5'000'000u) << vendor;
    EXPECT_EQ(vector_told(vendor).downlink, 20'000'000u) << vendor;
  }
}

TEST_F(RadiusOracle, NamesAndAddressesAreThoseThatWereMeant) {
  EXPECT_EQ(vector_told("ERX").class_hint, "gold\nvideo\nc-7");
  EXPECT_EQ(vector_told("3GPP").identity(), "001010000000001");
  EXPECT_EQ(vector_told("3GPP").class_hint, "05-1B93\n6");
  EXPECT_EQ(vector_told("station").identity(), "491701234");
  EXPECT_EQ(vector_told("station").nas, "bng-1");
  EXPECT_EQ(vector_told("IPv6").ues,
            (std::vector<dp::UeAddress>{ue("2001:db8:0:5::/64"), ue("2001:db8:0:6::/64")}));
  const Told wide = vector_told("IPv6, a wide prefix and an address");
  EXPECT_EQ(wide.ues, std::vector<dp::UeAddress>{ue("2001:db8:0:7::1")});
  EXPECT_EQ(wide.unusable, 1u);
}

}  // namespace
}  // namespace control::told::test
