#include "dataplane/packet/udp.h"

#include <gtest/gtest.h>

#include "tests/support/frames.h"

namespace dp {
namespace {

test::Buffer datagram(const test::FrameSpec& spec) {
  const auto f = test::frame(spec);
  return {f.begin() + 34, f.end()};
}

TEST(Udp, FieldsAreReadWhereRfc768PutsThem) {
  const auto d = datagram({.protocol = 17, .sport = 1234, .dport = 53, .payload = 12});
  const auto v = UdpView::at(d);
  ASSERT_TRUE(v);
  EXPECT_EQ(v->source_port(), 1234);
  EXPECT_EQ(v->destination_port(), 53);
  EXPECT_EQ(v->length(), 20);
  EXPECT_NE(v->checksum(), 0);
}

TEST(Udp, ShortHeaderOrLengthBelowItIsRefused) {
  auto d = datagram({.protocol = 17, .payload = 0});
  for (std::size_t n = 0; n < 8; ++n) EXPECT_FALSE(UdpView::at(Bytes(d).first(n))) << n;
  EXPECT_TRUE(UdpView::at(d));
  store16(d.data() + 4, 7);
  EXPECT_FALSE(UdpView::at(d));
}

TEST(Udp, LengthBeyondAFirstFragmentIsTaken) {
  auto d = datagram({.protocol = 17, .payload = 8});
  store16(d.data() + 4, 3000);
  EXPECT_TRUE(UdpView::at(d));
}

TEST(Udp, BfdPortsAreTheFiveOfItsRfcs) {
  int found = 0;
  for (unsigned port = 0; port < 65536; ++port) found += is_bfd_port(static_cast<std::uint16_t>(port));
  EXPECT_EQ(found, 5);
  for (unsigned port : {3784, 3785, 4784, 6784, 7784}) {
    EXPECT_TRUE(is_bfd_port(static_cast<std::uint16_t>(port))) << port;
  }
}

}  // namespace
}  // namespace dp
