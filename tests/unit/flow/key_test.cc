#include "dataplane/flow/key.h"

#include "tests/unit/flow/support.h"

namespace dp {
namespace {

using namespace test;

std::optional<FlowSegment> read(TestFrame& frame, Direction direction) {
  parse(frame.sdu());
  return flow_segment(frame.sdu(), direction);
}
std::optional<FlowSegment> read(const FrameSpec& spec, Direction direction) {
  TestFrame frame(spec);
  auto segment = read(frame, direction);
  if (segment) segment->tcp.p = nullptr;  // the bytes go with the frame
  return segment;
}

TEST(FlowSegment, HasTheSameKeyFromBothDirections) {
  for (const Ends& ends : {Ends{}, Ends{.vlans = {{}}}, Ends{.vlans = {{0x88a8, 5}, {0x8100, 6}}},
                           Ends{.peer = "2001:db8:ffff::1", .ue = "2001:db8:45::2"},
                           Ends{.peer = "2001:db8:ffff::1", .ue = "2001:db8:45::2", .vlans = {{}}}}) {
    const Spoken down(ends, {}, Direction::downlink);
    const Spoken up(ends, {}, Direction::uplink);
    EXPECT_EQ(down.segment().key, up.segment().key);
    EXPECT_EQ(down.segment().key.ue_port, 40000);
    EXPECT_EQ(down.segment().key.peer_port, 80);
    EXPECT_EQ(down.segment().key.ipv6, ends.ue.ipv6);
  }
}

TEST(FlowSegment, HasAKeyOfItsOwnForEachPartOfTheTuple) {
  const auto key = [](const Ends& ends) { return Spoken(ends, {}, Direction::uplink).segment().key; };
  const std::vector<FlowKey> keys{
      key({}),
      key({.peer = "192.0.2.2"}),
      key({.ue = "10.45.0.3"}),
      key({.peer_port = 81}),
      key({.ue_port = 40001}),
      key({.peer_port = 40000, .ue_port = 80}),
      key({.peer = "10.45.0.2", .ue = "192.0.2.1"}),
      key({.peer = Ip(0, 0xc0000201), .ue = Ip(0, 0x0a2d0002)}),
      key({.peer = Ip(1, 0xc0000201), .ue = Ip(0, 0x0a2d0002)}),
      key({.peer = Ip(0, 0xc0000201), .ue = Ip(1, 0x0a2d0002)}),
  };
  for (std::size_t i = 0; i < keys.size(); ++i) {
    for (std::size_t j = 0; j < keys.size(); ++j) EXPECT_EQ(keys[i] == keys[j], i == j) << i << ' ' << j;
  }
}

TEST(FlowSegment, CountsThePayloadWithoutHeadersOptionsAndEthernetPadding) {
  const auto direction = Direction::downlink;
  EXPECT_EQ(read({.payload = 100}, direction)->payload, 100u);
  EXPECT_EQ(read({.payload = 0, .padding = 6}, direction)->payload, 0u);
  EXPECT_EQ(read({.ip_options = bytes({1, 1, 1, 0}), .tcp_options = options({stamps(1, 2)}), .payload = 9},
                 direction)
                ->payload,
            9u);
  const Extension destination{60, bytes({0, 0, 1, 4, 0, 0, 0, 0})};
  EXPECT_EQ(read({.dst = "2001:db8:45::2", .extensions = {destination}, .payload = 7}, direction)->payload,
            7u);
}

TEST(FlowSegment, IsAsLongAsItsPayloadWithOneForSynAndFin) {
  const auto length = [](std::uint8_t flags, std::size_t payload) {
    return Spoken({}, {.flags = flags, .payload = payload}, Direction::uplink).segment().length();
  };
  EXPECT_EQ(length(kAck, 0), 0u);
  EXPECT_EQ(length(kAck, 10), 10u);
  EXPECT_EQ(length(kSyn, 0), 1u);
  EXPECT_EQ(length(kSyn, 10), 11u);
  EXPECT_EQ(length(kFin | kAck, 10), 11u);
}

TEST(FlowSegment, IsNotReadFromOtherProtocolsAndFragments) {
  for (Direction d : kDirections) {
    EXPECT_FALSE(read({.protocol = 17}, d));
    EXPECT_FALSE(read({.protocol = 1}, d));
    EXPECT_FALSE(read({.more_fragments = true, .payload = 24}, d)) << "the first, ports and all";
    EXPECT_FALSE(read({.fragment_offset = 64}, d));
    EXPECT_FALSE(read({.ethertype = 0x0806}, d));
  }
}

TEST(FlowSegment, MayHaveItsPayloadButNotItsHeaderInALaterSegment) {
  const Buffer whole = frame({.tcp_options = options({stamps(1, 2)}), .payload = 100});
  const std::size_t headers = 14 + 20 + 20 + 12;
  for (std::size_t cut = 15; cut <= whole.size(); ++cut) {
    TestFrame frame(Bytes(whole).first(cut));
    frame.chained(static_cast<std::uint32_t>(whole.size() - cut));
    const auto segment = read(frame, Direction::downlink);
    ASSERT_EQ(segment.has_value(), cut >= headers) << cut;
    if (segment) {
      EXPECT_EQ(segment->payload, 100u);
    }
  }
}

TEST(FlowHandleField, IsNoneInEveryFrameThatIsParsed) {
  TestFrame frame(FrameSpec{});
  frame.sdu().flow = 77;
  parse(frame.sdu());
  EXPECT_EQ(frame.sdu().flow, 0u);
}

}  // namespace
}  // namespace dp
