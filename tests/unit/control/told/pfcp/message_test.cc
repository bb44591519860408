#include "control/told/pfcp/message.h"

#include <gtest/gtest.h>

#include "tests/support/told/pfcp_messages.h"

namespace control::told::pfcp {
namespace {

using Step = MessageReader::Step;

TEST(PfcpMessage, FieldsAreReadWhereClause7222PutsThem) {
  const auto bytes = test::message(52, 0x1122334455667788, 0xabcdef, test::cause(1));
  Message m;
  MessageReader reader(bytes);
  ASSERT_EQ(reader.next(m), Step::message);
  EXPECT_EQ(m.type, MessageType::session_modification_request);
  EXPECT_EQ(m.seid, 0x1122334455667788u);
  EXPECT_EQ(m.sequence, 0xabcdefu);
  EXPECT_EQ(m.ies.size(), 5u);
  EXPECT_EQ(m.whole.size(), bytes.size());
  EXPECT_EQ(reader.next(m), Step::end);
}

TEST(PfcpMessage, OneOfANodeHasNoSeid) {
  const auto bytes = test::message(1, {}, 7, test::recovery(1));
  Message m;
  ASSERT_EQ(MessageReader(bytes).next(m), Step::message);
  EXPECT_FALSE(m.seid);
  EXPECT_EQ(m.sequence, 7u);
  EXPECT_EQ(m.ies.size(), 8u);
}

TEST(PfcpMessage, OthersFollowAsLongAsFoSaysSo) {
  const auto bytes = test::joined({test::message(54, 1, 1, {}, true), test::message(1, {}, 2, {}, true),
                                   test::message(54, 3, 3, {}), test::message(54, 4, 4, {})});
  MessageReader reader(bytes);
  Message m;
  for (const unsigned sequence : {1u, 2u, 3u}) {
    ASSERT_EQ(reader.next(m), Step::message);
    EXPECT_EQ(m.sequence, sequence);
  }
  EXPECT_EQ(reader.next(m), Step::end);
}

TEST(PfcpMessage, CutOneIsMalformedWhereverItEnds) {
  const auto bytes = test::message(50, 0, 1, test::cause(1));
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    Message m;
    MessageReader reader(dp::Bytes(bytes).first(n));
    EXPECT_EQ(reader.next(m), Step::malformed) << n;
    EXPECT_EQ(reader.next(m), Step::end) << n;
  }
}

TEST(PfcpMessage, LengthBelowTheHeaderIsMalformed) {
  auto bytes = test::message(50, 0, 1, {});
  bytes[3] = std::byte{11};
  Message m;
  EXPECT_EQ(MessageReader(bytes).next(m), Step::malformed);
}

TEST(PfcpMessage, AnnouncedFollowerThatIsMissingIsMalformed) {
  const auto bytes = test::message(54, 1, 1, {}, true);
  MessageReader reader(bytes);
  Message m;
  EXPECT_EQ(reader.next(m), Step::message);
  EXPECT_EQ(reader.next(m), Step::malformed);
}

TEST(PfcpMessage, OtherVersionIsToldApart) {
  auto bytes = test::message(50, 0, 1, {});
  bytes[0] = std::byte{0x41};
  Message m;
  EXPECT_EQ(MessageReader(bytes).next(m), Step::version);
}

TEST(PfcpMessage, RequestsAreNeverResponsesAndShareTheirKind) {
  for (unsigned type = 0; type < 255; ++type) {
    const MessageType request{static_cast<std::uint8_t>(type)}, response{static_cast<std::uint8_t>(type + 1)};
    if (!is_request(request)) continue;
    EXPECT_FALSE(is_request(response)) << type;
    EXPECT_EQ(kind_of(request), kind_of(response)) << type;
  }
}

}  // namespace
}  // namespace control::told::pfcp
