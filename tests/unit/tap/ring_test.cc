#include "dataplane/tap/ring.h"

#include <atomic>
#include <cstring>
#include <deque>
#include <thread>

#include <gtest/gtest.h>

#include "dataplane/base/rng.h"
#include "dataplane/tap/record.h"

namespace dp::test {
namespace {

// Reserves a record whose bytes all are `value`.
bool put(TapRing& ring, std::uint32_t captured, std::uint8_t value) {
  TapRecord* const record = ring.reserve(captured);
  if (record == nullptr) return false;
  record->captures = 1;
  record->length = value;
  std::memset(record->bytes(), value, captured);
  return true;
}

bool is(const TapRecord* record, std::uint32_t captured, std::uint8_t value) {
  if (record == nullptr || record->captured != captured || record->length != value) return false;
  for (std::uint32_t i = 0; i < captured; ++i) {
    if (record->bytes()[i] != std::byte{value}) return false;
  }
  return true;
}

TEST(TapRing, ShowsARecordOnceItIsPublished) {
  TapRing ring(8);
  ASSERT_TRUE(put(ring, 100, 7));
  EXPECT_EQ(ring.front(), nullptr);
  ring.publish();
  ASSERT_TRUE(is(ring.front(), 100, 7));
  ring.pop();
  EXPECT_EQ(ring.front(), nullptr);
}

TEST(TapRing, RefusesWhatHasNoRoomAndTakesItOnceThereIsSome) {
  TapRing ring(8);
  ASSERT_TRUE(put(ring, 3 * 64, 1));  // 4 slots
  ASSERT_TRUE(put(ring, 2 * 64, 2));  // 3 slots
  EXPECT_FALSE(put(ring, 64, 3));
  EXPECT_TRUE(put(ring, 0, 4));
  ring.publish();
  EXPECT_FALSE(put(ring, 0, 5));
  ring.pop();
  EXPECT_TRUE(put(ring, 3 * 64, 6));
}

TEST(TapRing, ARecordThatDoesNotFitBeforeTheEndBeginsAtTheFirstSlot) {
  TapRing ring(8);
  ASSERT_TRUE(put(ring, 5 * 64, 1));  // 6 slots; 2 are left
  ring.publish();
  ring.pop();
  ASSERT_TRUE(put(ring, 2 * 64, 2));  // 3 slots
  ring.publish();
  ASSERT_TRUE(is(ring.front(), 2 * 64, 2));
  ring.pop();
  EXPECT_EQ(ring.front(), nullptr);
  EXPECT_EQ(ring.popped(), ring.published());
}

TEST(TapRing, WhatIsWithdrawnIsNeverSeen) {
  TapRing ring(16);
  ASSERT_TRUE(put(ring, 64, 1));
  const std::size_t mark = ring.mark();
  ASSERT_TRUE(put(ring, 64, 2));
  ring.withdraw(mark);
  ASSERT_TRUE(put(ring, 64, 3));
  ring.publish();
  ASSERT_TRUE(is(ring.front(), 64, 1));
  ring.pop();
  ASSERT_TRUE(is(ring.front(), 64, 3));
}

TEST(TapRing, AgreesWithAQueueOverRandomSizes) {
  TapRing ring(64);
  std::deque<std::pair<std::uint32_t, std::uint8_t>> model;
  Rng rng(1);
  std::size_t refused = 0;
  for (int i = 0; i < 100'000; ++i) {
    const auto value = static_cast<std::uint8_t>(i);
    if (rng.below(2) == 0) {
      const std::uint32_t captured = rng.below(400);
      if (put(ring, captured, value)) {
        ring.publish();
        model.emplace_back(captured, value);
      } else {
        ++refused;
      }
    } else if (!model.empty()) {
      ASSERT_TRUE(is(ring.front(), model.front().first, model.front().second)) << i;
      ring.pop();
      model.pop_front();
    } else {
      ASSERT_EQ(ring.front(), nullptr);
    }
  }
  EXPECT_GT(refused, 0u);
}

TEST(TapRing, TwoThreadsPassRecordsInOrder) {
  constexpr std::uint32_t kRecords = 50'000;
  TapRing ring(256);
  std::thread producer([&] {
    for (std::uint32_t i = 0; i < kRecords;) {
      TapRecord* const record = ring.reserve(i % 200);
      if (record == nullptr) {
        std::this_thread::yield();
        continue;
      }
      record->captures = 1;
      record->length = i++;
      ring.publish();
    }
  });
  for (std::uint32_t i = 0; i < kRecords;) {
    const TapRecord* const record = ring.front();
    if (record == nullptr) {
      std::this_thread::yield();
      continue;
    }
    if (record->length != i || record->captured != i % 200) {
      ADD_FAILURE() << "found record " << record->length << ", expected " << i;
      break;
    }
    ring.pop();
    ++i;
  }
  while (ring.front() != nullptr) ring.pop();
  producer.join();
}

}  // namespace
}  // namespace dp::test
