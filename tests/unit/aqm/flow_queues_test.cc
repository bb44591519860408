#include "dataplane/aqm/flow_queues.h"

#include <deque>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "dataplane/buffer/waiting.h"
#include "dataplane/packet/parse.h"
#include "tests/support/frames.h"

namespace dp {
namespace {

using test::FrameSpec;
using test::Ip;
using test::TestFrame;

class FlowQueuesTest : public ::testing::Test {
 protected:
  // An SDU of this flow and length, in bytes; frames are numbered in the order of their making.
  Sdu& sdu(std::uint16_t flow, std::uint32_t bytes) {
    frames.emplace_back(FrameSpec{.dst = Ip("10.45.0.2"), .sport = flow, .payload = 100});
    Sdu& made = parsed(frames.back());
    made.ip_len = bytes;
    made.flow = flow;
    made.dropped_for.reset();
    numbers[&made] = static_cast<int>(numbers.size());
    return made;
  }
  static Sdu& parsed(TestFrame& frame) {
    parse(frame.sdu());
    return frame.sdu();
  }
  // Flows in the order in which they are served, until nothing is left.
  std::vector<std::uint32_t> serve(FlowQueues& queues) {
    std::vector<std::uint32_t> order;
    while (queues.first() != nullptr) order.push_back(queues.take().flow);
    return order;
  }

  std::deque<TestFrame> frames;
  std::map<const Sdu*, int> numbers;
};

using Flows = std::vector<std::uint32_t>;

TEST_F(FlowQueuesTest, TwoFlowsTakeTurnsByTheirBytes) {
  FlowQueues queues(1024, 1);
  for (int i = 0; i < 4; ++i) queues.push(sdu(1, 1500));
  for (int i = 0; i < 12; ++i) queues.push(sdu(2, 500));
  // A quantum of 1514: after 1500 bytes 14 are left, so that one more goes; three of 500 likewise.
  EXPECT_EQ(serve(queues), (Flows{1, 1, 2, 2, 2, 2, 1, 2, 2, 2, 1, 2, 2, 2, 2, 2}));
}

TEST_F(FlowQueuesTest, ANewFlowGoesBeforeTheOld) {
  FlowQueues queues(1024, 1);
  for (int i = 0; i < 6; ++i) queues.push(sdu(1, 1500));
  for (int i = 0; i < 3; ++i) {
    queues.first();
    EXPECT_EQ(queues.take().flow, 1u);
  }
  queues.push(sdu(9, 100));
  EXPECT_EQ(serve(queues), (Flows{9, 1, 1, 1}));
}

// RFC 8290 section 4.2: an emptied new flow goes to the end of the old ones, and so is not new at once again.
TEST_F(FlowQueuesTest, AFlowThatComesBackAtOnceWaitsItsTurn) {
  FlowQueues queues(1024, 1);
  for (int i = 0; i < 6; ++i) queues.push(sdu(1, 1500));
  for (int i = 0; i < 2; ++i) queues.first(), queues.take();
  queues.push(sdu(9, 100));
  ASSERT_EQ(queues.first()->flow, 9u);
  queues.take();
  EXPECT_EQ(queues.first()->flow, 1u) << "9 is empty and goes behind it";
  queues.push(sdu(9, 100));
  EXPECT_EQ(queues.first()->flow, 1u);
  EXPECT_EQ(serve(queues), (Flows{1, 9, 1, 1, 1}));
}

TEST_F(FlowQueuesTest, AskedAgainItAnswersTheSame) {
  FlowQueues queues(1024, 1);
  for (std::uint16_t flow : {1, 2, 3, 1, 2, 3}) queues.push(sdu(flow, 1514));
  for (int i = 0; i < 6; ++i) {
    const Sdu* first = queues.first();
    EXPECT_EQ(queues.first(), first);
    EXPECT_EQ(&queues.take(), first);
  }
  EXPECT_EQ(queues.first(), nullptr);
}

TEST_F(FlowQueuesTest, EachFlowStaysInOrder) {
  FlowQueues queues(16, 1);
  for (int i = 0; i < 200; ++i) queues.push(sdu(static_cast<std::uint16_t>(i % 7), 100 + i * 37 % 1400));
  std::map<std::uint32_t, int> last;
  int served = 0;
  while (queues.first() != nullptr) {
    const Sdu& s = queues.take();
    if (last.contains(s.flow)) {
      EXPECT_GT(numbers[&s], last[s.flow]);
    }
    last[s.flow] = numbers[&s];
    ++served;
  }
  EXPECT_EQ(served, 200);
}

TEST_F(FlowQueuesTest, OverflowTakesTheFirstOfTheFlowWithMostBytes) {
  FlowQueues queues(1024, 1);
  for (int i = 0; i < 5; ++i) queues.push(sdu(1, 100));
  for (int i = 0; i < 2; ++i) queues.push(sdu(2, 400));
  EXPECT_EQ(numbers[&queues.discard_from_fattest()], 5);
  EXPECT_EQ(queues.discard_from_fattest().flow, 1u) << "500 bytes against 400 now";
}

// One that joined later, or has had its turn, is behind the others: as a walk over both lists would find it.
TEST_F(FlowQueuesTest, OfFlowsThatHaveEquallyManyBytesTheNextToBeServedLosesTheFirst) {
  FlowQueues queues(1024, 1);
  for (std::uint16_t flow : {1, 2, 3, 1, 2, 3}) queues.push(sdu(flow, 1514));
  EXPECT_EQ(queues.discard_from_fattest().flow, 1u);
  EXPECT_EQ(queues.discard_from_fattest().flow, 2u);
  queues.push(sdu(1, 1514));
  queues.push(sdu(2, 1514));
  queues.first();
  EXPECT_EQ(queues.take().flow, 1u);
  queues.push(sdu(1, 1514));
  ASSERT_EQ(queues.first()->flow, 2u) << "the quantum of 1 is used up";
  EXPECT_EQ(queues.discard_from_fattest().flow, 2u) << "1 is behind 2 and 3 now";
  EXPECT_EQ(queues.discard_from_fattest().flow, 3u);
  EXPECT_EQ(queues.discard_from_fattest().flow, 1u);
}

TEST_F(FlowQueuesTest, WhatIsDiscardedCostsItsFlowNoTurn) {
  FlowQueues queues(1024, 1);
  for (int i = 0; i < 3; ++i) queues.push(sdu(1, 1500));
  for (int i = 0; i < 3; ++i) queues.push(sdu(2, 1500));
  queues.first();
  queues.discard();
  EXPECT_EQ(serve(queues), (Flows{1, 1, 2, 2, 2}));
}

TEST_F(FlowQueuesTest, FragmentsOfOnePacketShareAQueue) {
  TestFrame first(FrameSpec{.dst = Ip("10.45.0.2"), .more_fragments = true, .ident = 7});
  TestFrame second(FrameSpec{.dst = Ip("10.45.0.2"), .fragment_offset = 800, .ident = 7});
  EXPECT_EQ(flow_hash(parsed(first), KeyedHash(5)), flow_hash(parsed(second), KeyedHash(5)));
  TestFrame first6(FrameSpec{.dst = Ip("2001:db8::2"), .more_fragments = true, .ident = 7});
  TestFrame second6(FrameSpec{.dst = Ip("2001:db8::2"), .fragment_offset = 800, .ident = 7});
  EXPECT_EQ(flow_hash(parsed(first6), KeyedHash(5)), flow_hash(parsed(second6), KeyedHash(5)));
}

TEST_F(FlowQueuesTest, EveryPartOfTheFiveTupleAndTheSeedCount) {
  for (const bool ipv6 : {false, true}) {
    const Ip dst = ipv6 ? Ip("2001:db8::2") : Ip("10.45.0.2");
    const Ip other = ipv6 ? Ip("2001:db8::3") : Ip("10.45.0.3");
    const Ip src = ipv6 ? Ip("2001:db8:1::1") : Ip("192.0.2.9");
    TestFrame base(FrameSpec{.dst = dst});
    const std::uint32_t hash = flow_hash(parsed(base), KeyedHash(5));
    TestFrame same(FrameSpec{.dst = dst, .ttl = 3, .tos = 2, .seq = 99, .payload = 700});
    EXPECT_EQ(flow_hash(parsed(same), KeyedHash(5)), hash);
    EXPECT_NE(flow_hash(parsed(base), KeyedHash(6)), hash);
    for (const FrameSpec& spec :
         {FrameSpec{.dst = other}, FrameSpec{.src = src, .dst = dst}, FrameSpec{.dst = dst, .protocol = 17},
          FrameSpec{.dst = dst, .sport = 1}, FrameSpec{.dst = dst, .dport = 1}}) {
      TestFrame frame(spec);
      EXPECT_NE(flow_hash(parsed(frame), KeyedHash(5)), hash);
    }
  }
}

// Differences in two words that cancel out, for one seed in a thousand, where words are mixed in one after
// the other by splitmix64's output function.
TEST_F(FlowQueuesTest, NoTwoFlowsCanBeChosenThatShareAQueueUnderManySeeds) {
  const auto word = [](const Ip& ip, std::size_t at) { return load64(ip.bytes().data() + at); };
  const Ip src("2001:db8:1::1");
  const Ip other(word(src, 0) ^ 0x8000000200000008, word(src, 8) ^ 0xb51121516a2242a0);
  TestFrame a(FrameSpec{.src = src, .dst = Ip("2001:db8::2")});
  TestFrame b(FrameSpec{.src = other, .dst = Ip("2001:db8::2")});
  int alike = 0;
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    alike += flow_hash(parsed(a), KeyedHash(seed)) == flow_hash(parsed(b), KeyedHash(seed)) ? 1 : 0;
  }
  EXPECT_EQ(alike, 0);
}

TEST_F(FlowQueuesTest, PacketsWithoutPortsGoByTheirAddresses) {
  TestFrame a(FrameSpec{.dst = Ip("10.45.0.2"), .protocol = 1, .icmp_type = 8});
  TestFrame b(FrameSpec{.dst = Ip("10.45.0.2"), .protocol = 1, .icmp_type = 0});
  EXPECT_EQ(flow_hash(parsed(a), KeyedHash(5)), flow_hash(parsed(b), KeyedHash(5)));
}

TEST_F(FlowQueuesTest, AHandOverKeepsAllAndTheOrderOfEachFlow) {
  FlowQueues small(3, 1), large(1024, 2);
  WaitingFifo fifo;
  Waiting waiting(fifo);
  for (int i = 0; i < 60; ++i) {
    waiting.push(sdu(static_cast<std::uint16_t>(i % 5), 200 + 20 * (i % 5)));
  }
  const std::uint32_t bytes = fifo.bytes();
  waiting.move_to(&large);
  EXPECT_EQ(fifo.first(), nullptr);
  waiting.move_to(&small);
  EXPECT_EQ(large.first(), nullptr);
  waiting.move_to(Queues{});
  EXPECT_EQ(fifo.sdus(), 60u);
  EXPECT_EQ(fifo.bytes(), bytes);
  std::map<std::uint32_t, int> last;
  while (fifo.first() != nullptr) {
    const Sdu& s = fifo.take();
    if (last.contains(s.flow)) {
      EXPECT_EQ(numbers[&s], last[s.flow] + 5);
    }
    last[s.flow] = numbers[&s];
  }
  EXPECT_TRUE(fifo.empty());
}

}  // namespace
}  // namespace dp
