// Also the steps of an SDU through it (dataplane/buffer/steps.h) and the parties that these consult
// (dataplane/buffer/parties.h).
#include "dataplane/buffer/buffer.h"

#include <array>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

namespace dp {
namespace {

constexpr std::uint64_t kRate = 384'000;

class RlcBufferTest : public ::testing::Test {
 protected:
  Sdu& sdu(std::uint32_t ip_len, std::uint16_t segments = 1) {
    sdus.push_back(std::make_unique<Sdu>(Sdu{}));
    sdus.back()->ip_len = ip_len;
    sdus.back()->segments = segments;
    return *sdus.back();
  }
  std::uint64_t drops(DropReason reason) { return context->account.dropped[0][index(reason)].frames; }

  std::vector<std::unique_ptr<Sdu>> sdus;
  ClassLegCounters stats;
  std::unique_ptr<Context> context = std::make_unique<Context>();
};

TEST(BufferLimit, TakesAnyPacketIntoAnEmptyBufferFromTheLongestOneOn) {
  EXPECT_TRUE((BufferLimit{1, BufferLimit::kLongestPacket}.takes_any_first()));
  EXPECT_FALSE((BufferLimit{1, BufferLimit::kLongestPacket - 1}.takes_any_first()));
  EXPECT_FALSE((BufferLimit{0, BufferLimit::kLongestPacket}.takes_any_first()));
}

TEST_F(RlcBufferTest, OccupancyCountsWhatWaitsAndWhatIsInTransmission) {
  RlcBuffer buffer(BufferLimit{10, 10'000}, DropTail::Config{}, kRate);
  buffer.count_in(stats);
  for (std::uint32_t n : {1500u, 1000u, 40u}) EXPECT_TRUE(buffer.push(sdu(n), *context));
  EXPECT_EQ(buffer.start(Time{}, *context), sdus[0].get());
  EXPECT_EQ(buffer.sdus(), 3u);
  EXPECT_EQ(buffer.bytes(), 2540u);
  EXPECT_EQ(context->account.buffered, 3u);
  EXPECT_EQ(&buffer.finish(Time{}, *context), sdus[0].get());
  EXPECT_EQ(buffer.sdus(), 2u);
  EXPECT_EQ(buffer.bytes(), 1040u);
  EXPECT_EQ(stats.buffer_bytes.get(), 1040u);
  EXPECT_EQ(buffer.delivered_bytes(), 1500u);
}

TEST_F(RlcBufferTest, AnSduThatFitsExactlyIsTakenAndOneByteMoreIsNot) {
  RlcBuffer buffer(BufferLimit{10, 3000}, DropTail::Config{}, kRate);
  buffer.count_in(stats);
  EXPECT_TRUE(buffer.push(sdu(1500), *context));
  buffer.push(sdu(1501), *context);
  EXPECT_EQ(buffer.sdus(), 1u);
  EXPECT_TRUE(buffer.push(sdu(1500), *context));
  EXPECT_EQ(drops(DropReason::buffer_bytes), 1u);
  EXPECT_EQ(buffer.dropped_sdus(), 1u);
  EXPECT_EQ(buffer.dropped_full(), 1u);
  EXPECT_EQ(buffer.dropped_by_aqm(), 0u);
  EXPECT_EQ(stats.dropped_sdus[index(DropReason::buffer_bytes)].get(), 1u);
}

// Every arrival calls for a mark of the front, which stays the same one.
TEST_F(RlcBufferTest, AFrontThatHasCeAlreadyIsMarkedAndCountedOnceAndNotDropped) {
  Pdpc::Config each{.form = Pdpc::Form::two_thresholds, .minth = {1}, .maxth = {2}, .ecn = true};
  AqmInstance instance(each, 1);
  RlcBuffer buffer(BufferLimit{10, 10'000}, each, kRate, {&instance});
  buffer.count_in(stats);
  std::array<std::byte, 20> header{std::byte{0x45}, std::byte{2}};
  for (int i = 0; i < 5; ++i) {
    Sdu& ect = sdu(100);
    ect.data = header.data();
    ect.ecn = 2;
    EXPECT_TRUE(buffer.push(ect, *context));
  }
  EXPECT_EQ(buffer.marked_sdus(), 1u);
  EXPECT_EQ(stats.marked_sdus.get(), 1u);
  EXPECT_EQ(stats.aqm[AqmList::index_of("pdpc")].marked_sdus.get(), 1u);
  EXPECT_EQ(buffer.dropped_sdus(), 0u);
  EXPECT_EQ(buffer.start(Time{}, *context)->ecn, kCe);
  EXPECT_EQ(buffer.start(Time{}, *context)->ecn, 2u) << "those behind it were not asked for";
}

TEST_F(RlcBufferTest, WhatThePolicyDropsIsCountedForItAndAnOverflowIsNot) {
  const Pdpc::Config third{.maxth = {3}};
  AqmInstance instance(third, 1);
  RlcBuffer buffer(BufferLimit{3, 10'000}, third, kRate, {&instance});
  buffer.count_in(stats);
  for (int i = 0; i < 5; ++i) buffer.push(sdu(100), *context);
  EXPECT_EQ(buffer.dropped_sdus(), 2u);
  EXPECT_EQ(buffer.dropped_by_aqm(), 1u);
  EXPECT_EQ(buffer.dropped_full(), 1u);
  EXPECT_EQ(drops(DropReason::aqm), 1u);
  EXPECT_EQ(stats.aqm[AqmList::index_of("pdpc")].dropped_sdus.get(), 1u);
  EXPECT_EQ(stats.aqm[AqmList::index_of("drop-tail")].dropped_sdus.get(), 0u);
}

TEST_F(RlcBufferTest, AnInstanceComesWithAPolicyAndIsReturnedWithIt) {
  const AqmConfig none = DropTail::Config{}, early = Red::Config{.minth = {1}, .maxth = {2}},
                  timed = Sbd::Config{.minth = {1}, .maxth = {10}, .alpha = {1}};
  AqmInstance instance(early, 1), another(early, 1);
  RlcBuffer buffer(BufferLimit{10, 10'000}, none, kRate);
  buffer.count_in(stats);
  EXPECT_TRUE(buffer.fast_without_aqm());
  EXPECT_EQ(buffer.set_aqm(early, FifoSpec::Config{}, {&instance}, Time{}, *context).aqm, nullptr);
  EXPECT_TRUE(buffer.fast_with_aqm());
  for (int i = 0; i < 3; ++i) buffer.push(sdu(100), *context);
  EXPECT_EQ(drops(DropReason::aqm), 2u) << "each from the second on costs the first";
  // It goes on under another policy, and what came for nothing is not kept.
  EXPECT_EQ(buffer.set_aqm(timed, FifoSpec::Config{}, {&another}, Time{}, *context).aqm, &another);
  EXPECT_EQ(buffer.parts().aqm, &instance);
  buffer.push(sdu(100), *context);
  EXPECT_EQ(context->timers.size(), 1u) << "its timer runs";
  EXPECT_EQ(buffer.set_aqm(none, FifoSpec::Config{}, {}, Time{}, *context).aqm, &instance);
  EXPECT_EQ(context->timers.size(), 0u);
  EXPECT_TRUE(buffer.fast_without_aqm());
  buffer.push(sdu(100), *context);
  EXPECT_EQ(drops(DropReason::aqm), 2u);
  EXPECT_EQ(buffer.dropped_sdus(), 2u);
}

TEST_F(RlcBufferTest, WhatIsInTransmissionCountsAgainstTheLimit) {
  RlcBuffer buffer(BufferLimit{1, 3000}, DropTail::Config{}, kRate);
  buffer.count_in(stats);
  EXPECT_TRUE(buffer.push(sdu(100), *context));
  buffer.start(Time{}, *context);
  EXPECT_FALSE(buffer.push(sdu(100), *context));
  EXPECT_EQ(drops(DropReason::buffer_sdus), 1u);
}

TEST_F(RlcBufferTest, AChainCountsByItsMbufsAgainstThePool) {
  RlcBuffer buffer(BufferLimit{10, 100'000}, DropTail::Config{}, kRate);
  buffer.count_in(stats);
  context->mbuf_cap = 4;
  EXPECT_TRUE(buffer.push(sdu(9000, 3), *context));
  buffer.push(sdu(9000, 3), *context);
  EXPECT_EQ(buffer.sdus(), 1u);
  EXPECT_TRUE(buffer.push(sdu(1500), *context));
  EXPECT_EQ(context->account.mbufs_held, 4u);
  EXPECT_EQ(drops(DropReason::pool), 1u);
}

TEST_F(RlcBufferTest, AFlushTakesWhatIsInTransmissionFirst) {
  RlcBuffer buffer(BufferLimit{10, 100'000}, DropTail::Config{}, kRate);
  buffer.count_in(stats);
  for (std::uint32_t n : {1u, 2u, 3u}) buffer.push(sdu(n), *context);
  buffer.start(Time{}, *context);
  std::vector<std::uint32_t> order;
  buffer.take_all(*context, [&](Sdu& s) { order.push_back(s.ip_len); });
  EXPECT_EQ(order, (std::vector<std::uint32_t>{1, 2, 3}));
  EXPECT_EQ(buffer.bytes(), 0u);
  EXPECT_EQ(context->account.buffered, 0u);
  EXPECT_EQ(context->account.mbufs_held, 0u);
}

}  // namespace
}  // namespace dp
