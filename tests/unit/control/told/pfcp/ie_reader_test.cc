#include "control/told/pfcp/ie_reader.h"

#include <gtest/gtest.h>

#include "tests/support/told/pfcp_messages.h"

namespace control::told::pfcp {
namespace {

TEST(PfcpIeReader, ElementsAreReadInOrder) {
  const auto bytes = test::joined({test::cause(1), test::ie(26, test::Octets{}), test::pdr_id(3)});
  IeReader reader(bytes);
  EXPECT_EQ(reader.next()->type, IeType::cause);
  EXPECT_TRUE(reader.next()->value.empty());
  EXPECT_EQ(reader.next()->value.size(), 2u);
  EXPECT_FALSE(reader.next());
  EXPECT_TRUE(reader.good());
}

TEST(PfcpIeReader, EnterpriseElementKeepsAnyNumberOfItsOwn) {
  const auto bytes =
      test::joined({test::ie(0x8001, {test::number(10415, 2), test::number(9, 4)}), test::cause(1)});
  IeReader reader(bytes);
  EXPECT_EQ(static_cast<unsigned>(reader.next()->type), 0x8001u);
  EXPECT_EQ(reader.next()->type, IeType::cause);
}

TEST(PfcpIeReader, ElementThatExceedsTheBytesEndsTheWalk) {
  const auto bytes = test::joined({test::cause(1), test::pdr_id(3)});
  for (std::size_t n = 6; n < bytes.size(); ++n) {
    IeReader reader(dp::Bytes(bytes).first(n));
    EXPECT_TRUE(reader.next());
    EXPECT_FALSE(reader.next());
    EXPECT_FALSE(reader.good()) << n;
    EXPECT_FALSE(reader.next());
  }
}

TEST(PfcpIeReader, VisitThatRefusesEndsTheWalk) {
  const auto bytes = test::joined({test::cause(1), test::cause(2), test::cause(3)});
  unsigned seen = 0;
  EXPECT_FALSE(for_each_ie(bytes, [&](const Ie&) { return ++seen < 2; }));
  EXPECT_EQ(seen, 2u);
  EXPECT_TRUE(for_each_ie(bytes, [](const Ie&) { return true; }));
}

}  // namespace
}  // namespace control::told::pfcp
