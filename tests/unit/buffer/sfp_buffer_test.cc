// A leg's buffer (dataplane/buffer) with short flows before long ones: the SDUs dropped for others, the SDUs
// that policies see, and changes.
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "dataplane/aqm/flow_queues.h"
#include "dataplane/buffer/buffer.h"
#include "dataplane/packet/parse.h"
#include "tests/support/frames.h"

namespace dp {
namespace {

using test::FrameSpec;
using test::Ip;
using test::TestFrame;
using SfpConfig = SfpSpec::Config;

const AqmConfig kNoPolicy = DropTail::Config{};
constexpr std::uint64_t kSfpRate = 384'000;

class SfpBufferTest : public ::testing::Test {
 protected:
  Sdu& sdu(std::uint16_t flow, std::uint32_t bytes, std::uint8_t tos = 0) {
    frames.emplace_back(FrameSpec{.dst = Ip("10.45.0.2"), .tos = tos, .sport = flow, .payload = 100});
    Sdu& made = frames.back().sdu();
    parse(made);
    made.ip_len = bytes;
    made.segments = 1;
    made.arrival = context->now;
    made.flow = flow;
    numbers[&made] = static_cast<int>(numbers.size());
    return made;
  }
  void push(RlcBuffer& buffer, std::uint16_t flow, std::uint32_t bytes) {
    buffer.push(sdu(flow, bytes), *context);
  }
  // The number of the next SDU, which leaves; -1 when none is left.
  int serve(RlcBuffer& buffer) {
    if (buffer.in_transmission() == nullptr && buffer.start(context->now, *context) == nullptr) return -1;
    return numbers[&buffer.finish(context->now, *context)];
  }
  std::vector<int> drain(RlcBuffer& buffer) {
    std::vector<int> order;
    for (int n = serve(buffer); n >= 0; n = serve(buffer)) order.push_back(n);
    return order;
  }
  // Makes a flow long.
  void spend(RlcBuffer& buffer, std::uint16_t flow) {
    push(buffer, flow, 1'500);
    serve(buffer);
  }
  std::uint64_t drops(DropReason reason) { return context->account.dropped[0][index(reason)].frames; }

  std::unique_ptr<Context> context = std::make_unique<Context>();
  ClassLegCounters stats;
  SfpQueues sfp{SfpConfig{.short_bytes = 1'000}, 1};
  std::deque<TestFrame> frames;
  std::map<const Sdu*, int> numbers;
};

TEST_F(SfpBufferTest, AShortSduDisplacesAsManyLongOnesAsItTakes) {
  RlcBuffer buffer(BufferLimit{50, 20 * 800}, kNoPolicy, kSfpRate, {.queues = &sfp});
  buffer.count_in(stats);
  EXPECT_FALSE(buffer.fast_without_aqm());
  spend(buffer, 1);
  for (int i = 0; i < 20; ++i) push(buffer, 1, 800);
  EXPECT_EQ(buffer.sdus(), 20u);
  push(buffer, 2, 1'500);
  EXPECT_EQ(buffer.sdus(), 19u) << "two of 800 bytes for one of 1500";
  EXPECT_EQ(drops(DropReason::buffer_bytes), 2u);
  push(buffer, 1, 800);
  EXPECT_EQ(buffer.sdus(), 19u) << "a long one displaces nobody";
  EXPECT_EQ(drops(DropReason::buffer_bytes), 3u);
  std::vector<int> expected{21};
  for (int i = 1; i <= 18; ++i) expected.push_back(i);
  EXPECT_EQ(drain(buffer), expected) << "the last two were displaced";
  EXPECT_EQ(context->account.buffered, 0u);
}

TEST_F(SfpBufferTest, WhereAllAreShortTheArrivingOneIsDropped) {
  RlcBuffer buffer(BufferLimit{3, 100'000}, kNoPolicy, kSfpRate, {.queues = &sfp});
  buffer.count_in(stats);
  for (std::uint16_t flow = 1; flow <= 4; ++flow) push(buffer, flow, 100);
  EXPECT_EQ(drops(DropReason::buffer_sdus), 1u);
  EXPECT_EQ(drain(buffer), (std::vector{0, 1, 2}));
}

TEST_F(SfpBufferTest, TheOneInTransmissionIsNeverDisplaced) {
  RlcBuffer buffer(BufferLimit{2, 100'000}, kNoPolicy, kSfpRate, {.queues = &sfp});
  buffer.count_in(stats);
  spend(buffer, 1);
  push(buffer, 1, 100);
  buffer.start(context->now, *context);
  EXPECT_FALSE(buffer.head_is_short());
  push(buffer, 2, 100);
  EXPECT_FALSE(buffer.head_is_short()) << "the one in transmission is long";
  push(buffer, 3, 100);
  EXPECT_EQ(drops(DropReason::buffer_sdus), 1u) << "it was the only long one";
  EXPECT_EQ(serve(buffer), 1);
  EXPECT_TRUE(buffer.head_is_short());
  EXPECT_EQ(drain(buffer), (std::vector{2}));
  EXPECT_FALSE(buffer.head_is_short());
}

TEST_F(SfpBufferTest, BelowALoweredLimitAnArrivalDisplacesNoMoreThanItBrings) {
  RlcBuffer buffer(BufferLimit{20, 100'000}, kNoPolicy, kSfpRate, {.queues = &sfp});
  buffer.count_in(stats);
  spend(buffer, 1);
  for (int i = 0; i < 20; ++i) push(buffer, 1, 100);
  buffer.set_limit(BufferLimit{5, 100'000});
  push(buffer, 2, 100);
  EXPECT_EQ(buffer.sdus(), 20u);
  EXPECT_EQ(drops(DropReason::buffer_sdus), 1u);
}

TEST_F(SfpBufferTest, APolicyThatDropsTheFirstGetsTheFirstLongOne) {
  const Red::Config red{.minth = {3}, .maxth = {4}, .victim = Red::DropFrom::front};
  AqmInstance instance(red, 1);
  RlcBuffer buffer(BufferLimit{50, 100'000}, red, kSfpRate, {&instance, &sfp});
  buffer.count_in(stats);
  spend(buffer, 1);
  for (const std::uint16_t flow : {2, 1, 1}) push(buffer, flow, 100);
  push(buffer, 3, 100);
  EXPECT_EQ(drops(DropReason::aqm), 1u);
  EXPECT_EQ(drain(buffer), (std::vector{1, 4, 3}));
}

TEST_F(SfpBufferTest, APolicyThatMarksTheFirstMarksTheFirstLongOne) {
  const Pdpc::Config each{.form = Pdpc::Form::two_thresholds, .minth = {3}, .maxth = {4}, .ecn = true};
  AqmInstance instance(each, 1);
  RlcBuffer buffer(BufferLimit{50, 100'000}, each, kSfpRate, {&instance, &sfp});
  buffer.count_in(stats);
  spend(buffer, 1);
  for (const std::uint16_t flow : {2, 1, 1, 2}) buffer.push(sdu(flow, 100, 2), *context);
  EXPECT_EQ(buffer.marked_sdus(), 1u);
  for (const auto& [sdu, number] : numbers) EXPECT_EQ(sdu->ecn == kCe, number == 2) << number;
  drain(buffer);
}

TEST_F(SfpBufferTest, AChangeOfQueuesKeepsWhatWaitsInTheOrderInWhichItWouldHaveBeenSent) {
  RlcBuffer buffer(BufferLimit{50, 100'000}, kNoPolicy, kSfpRate);
  buffer.count_in(stats);
  for (const std::uint16_t flow : {1, 2, 1}) push(buffer, flow, 400);
  buffer.start(context->now, *context);
  EXPECT_FALSE(buffer.head_is_short());
  const SfpConfig config{.short_bytes = 1'000};
  EXPECT_TRUE(buffer.set_aqm(kNoPolicy, config, {.queues = &sfp}, context->now, *context).queues.none());
  EXPECT_FALSE(buffer.head_is_short()) << "what was in transmission is long";
  push(buffer, 3, 400);
  push(buffer, 2, 400);
  EXPECT_EQ(serve(buffer), 0);
  EXPECT_TRUE(buffer.head_is_short());
  // To another number of flows, and back to the FIFO.
  SfpQueues few(SfpConfig{.flows = 2}, 1);
  EXPECT_EQ(buffer.set_aqm(kNoPolicy, SfpConfig{.flows = 2}, {.queues = &few}, context->now, *context).queues,
            Queues(&sfp));
  EXPECT_EQ(sfp.first(), nullptr);
  EXPECT_EQ(buffer.set_aqm(kNoPolicy, FifoSpec::Config{}, {}, context->now, *context).queues, Queues(&few));
  EXPECT_TRUE(buffer.fast_without_aqm());
  EXPECT_EQ(buffer.bytes(), 1'600u);
  EXPECT_EQ(drain(buffer), (std::vector{3, 1, 2, 4}));
}

TEST_F(SfpBufferTest, OtherParametersAreTakenOverInPlaceAndFreshQueuesOfTheSameSizeGoHome) {
  RlcBuffer buffer(BufferLimit{50, 100'000}, kNoPolicy, kSfpRate, {.queues = &sfp});
  buffer.count_in(stats);
  spend(buffer, 1);
  const SfpConfig longer{.short_bytes = 2'000};
  SfpQueues another(longer, 1);
  EXPECT_EQ(buffer.set_aqm(kNoPolicy, longer, {.queues = &another}, context->now, *context).queues,
            Queues(&another));
  EXPECT_EQ(sfp.config(), longer);
  push(buffer, 1, 100);
  EXPECT_TRUE(buffer.head_is_short());
  drain(buffer);
}

TEST_F(SfpBufferTest, BetweenShortFlowsFirstAndFlowQueuesNothingIsLost) {
  FlowQueues flows(16, 1);
  const FqCodel::Config fair{};
  AqmInstance instance(fair, 1);
  RlcBuffer buffer(BufferLimit{50, 100'000}, kNoPolicy, kSfpRate, {.queues = &sfp});
  buffer.count_in(stats);
  for (const std::uint16_t flow : {1, 2, 1, 2}) push(buffer, flow, 400);
  const LegParts home = buffer.set_aqm(fair, FifoSpec::Config{}, {&instance, &flows}, context->now, *context);
  EXPECT_EQ(home.queues, Queues(&sfp));
  EXPECT_FALSE(buffer.head_is_short());
  EXPECT_EQ(buffer.sdus(), 4u);
  const LegParts again =
      buffer.set_aqm(kNoPolicy, SfpConfig{.short_bytes = 1'000}, {.queues = &sfp}, context->now, *context);
  EXPECT_EQ(again.queues, Queues(&flows));
  EXPECT_EQ(again.aqm, &instance);
  EXPECT_EQ(drain(buffer).size(), 4u);
  EXPECT_EQ(context->account.buffered, 0u);
}

// Random traffic, limits and policies.
class SfpBufferProperty : public SfpBufferTest, public ::testing::WithParamInterface<int> {};

TEST_P(SfpBufferProperty, NoFlowIsReorderedNoShortWaitsWhileALongStartsAndTheBooksClose) {
  Rng rng(static_cast<std::uint64_t>(GetParam()));
  const std::array<AqmConfig, 3> policies{kNoPolicy, Red::Config{.minth = {5}, .maxth = {15}},
                                          Codel::Config{{.target = Duration{1'000'000}}}};
  const AqmConfig& aqm = policies[static_cast<std::size_t>(GetParam()) % policies.size()];
  const SfpConfig config{
      .short_bytes = rng.below(1'500), .reset = Duration{10'000'000}, .flows = 1 + rng.below(8)};
  SfpQueues queues(config, rng.next());
  const auto instance = dp::is_active(aqm) ? std::make_unique<AqmInstance>(aqm, 1) : nullptr;
  RlcBuffer buffer(BufferLimit{20, 12'000}, aqm, kSfpRate, {instance.get(), &queues});
  buffer.count_in(stats);
  std::map<std::uint32_t, int> last;
  std::uint64_t bytes = 0;
  int delivered = 0, shorts = 0;
  for (int step = 0; step < 5'000; ++step) {
    context->now += Duration{rng.below(rng.chance(0.02) ? 8'000'000 : 400'000)};
    // Bursts, after which it drains.
    if (step % 200 < 120 && rng.chance(0.6)) {
      push(buffer, static_cast<std::uint16_t>(rng.below(rng.chance(0.5) ? 2 : 12)), 40 + rng.below(1'460));
    } else if (buffer.in_transmission() != nullptr) {
      const Sdu& gone = buffer.finish(context->now, *context);
      bytes += gone.ip_len;
      ++delivered;
      if (last.contains(gone.flow)) {
        ASSERT_GT(numbers[&gone], last[gone.flow]);
      }
      last[gone.flow] = numbers[&gone];
    } else if (const Sdu* sdu = buffer.start(context->now, *context)) {
      shorts += SfpQueues::is_short(*sdu) ? 1 : 0;
      ASSERT_TRUE(SfpQueues::is_short(*sdu) || !queues.first_is_short()) << "a short one waits";
      ASSERT_EQ(buffer.head_is_short(), SfpQueues::is_short(*sdu));
    }
    ASSERT_LE(buffer.sdus(), 20u);
    ASSERT_LE(buffer.bytes(), 12'000u);
    ASSERT_EQ(delivered + buffer.sdus() + buffer.dropped_sdus(), frames.size());
    ASSERT_EQ(context->account.buffered, buffer.sdus());
  }
  EXPECT_EQ(buffer.delivered_bytes(), bytes);
  EXPECT_GT(shorts, 20);
  EXPECT_GT(delivered - shorts, 20);
  EXPECT_GT(buffer.dropped_sdus(), 100u);
  context->now += Duration{1'000'000'000};
  drain(buffer);
  EXPECT_EQ(context->account.buffered, 0u);
  EXPECT_EQ(buffer.bytes(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, SfpBufferProperty, ::testing::Range(1, 13));

}  // namespace
}  // namespace dp
