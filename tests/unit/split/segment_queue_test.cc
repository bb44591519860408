// The queue of a split connection: for any operations in any order, it is what a plain list would be.
#include "dataplane/split/segment_queue.h"

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/runs.h"

namespace dp::test {
namespace {

bool same(const StoredSegment& a, const StoredSegment& b) {
  return a.begin == b.begin && a.sdu == b.sdu && a.length == b.length && a.fin == b.fin && a.sent == b.sent;
}

// A list of segments in their order, and a queue to which the same is done.
class QueueBeside {
 public:
  QueueBeside(std::uint32_t capacity, Offset from, std::uint32_t seed)
      : queue_(capacity), capacity_(capacity), next_(from), draw_(seed) {}

  // A segment in one of the gaps, or behind the last, perhaps with a gap before it.
  void put() {
    if (list_.size() == capacity_) return;
    const std::size_t i = draw_() % 2 == 0 ? list_.size() : draw_() % (list_.size() + 1);
    const Offset low = i == 0 ? next_ : list_[i - 1].end();
    const Offset space = (i == list_.size() ? low + 3000 : list_[i].begin) - low;
    if (space < 1) return;
    const Offset skip =
        draw_() % 3 == 0 ? 0 : static_cast<Offset>(draw_() % static_cast<std::uint32_t>(space));
    StoredSegment s{.begin = low + skip, .sdu = &sdus_[draw_() % sdus_.size()]};
    s.length = 1 + draw_() % static_cast<std::uint32_t>(std::min<Offset>(space - skip, 1460));
    s.fin = draw_() % 7 == 0;
    s.sent = draw_() % 2 == 0;
    list_.insert(list_.begin() + static_cast<std::ptrdiff_t>(i), s);
    ASSERT_TRUE(same(queue_.at(queue_.put(s)), s));
  }
  void pop() {
    if (list_.empty()) return;
    next_ = list_.front().end();
    list_.erase(list_.begin());
    queue_.pop();
  }
  void pop_last() {
    if (list_.empty()) return;
    list_.pop_back();
    queue_.pop_last();
  }
  void mark_sent() {
    if (list_.empty()) return;
    const auto i = draw_() % list_.size();
    list_[i].sent = true;
    queue_.mark_sent(queue_.find(list_[i].begin));
  }
  void join() {
    if (list_.size() < 2) return;
    const auto i = static_cast<std::ptrdiff_t>(draw_() % (list_.size() - 1));
    StoredSegment both = list_[static_cast<std::size_t>(i)];
    const StoredSegment& second = list_[static_cast<std::size_t>(i) + 1];
    if (both.end() != second.begin) return;
    both.length += second.length;
    both.sdu = second.sdu;
    both.fin = second.fin;
    both.sent = false;
    list_.erase(list_.begin() + i);
    list_[static_cast<std::size_t>(i)] = both;
    ASSERT_TRUE(same(queue_.at(queue_.join(queue_.find(both.begin), both)), both));
  }
  void clear() {
    if (!list_.empty()) next_ = list_.back().end();
    list_.clear();
    queue_.clear();
  }

  void compare() {
    ASSERT_EQ(queue_.size(), list_.size());
    EXPECT_EQ(queue_.empty(), list_.empty());
    EXPECT_EQ(queue_.full(), list_.size() == capacity_);
    SegmentQueue::Position position = SegmentQueue::first();
    for (std::size_t i = 0; i < list_.size(); ++i, position = queue_.after(position)) {
      ASSERT_TRUE(queue_.has(position));
      ASSERT_TRUE(same(queue_.at(position), list_[i])) << i;
      if (i > 0) {
        ASSERT_TRUE(same(queue_.at(queue_.before(position)), list_[i - 1]));
      }
    }
    EXPECT_FALSE(queue_.has(position));
    if (!list_.empty()) {
      EXPECT_TRUE(same(queue_.front(), list_.front()));
      EXPECT_TRUE(same(queue_.back(), list_.back()));
    }
    const Offset low = list_.empty() ? next_ : list_.front().begin - 2;
    const Offset high = list_.empty() ? next_ + 2 : list_.back().end() + 2;
    for (int i = 0; i < 8; ++i) look_for(low + static_cast<Offset>(draw_()) % (high - low));
    for (const StoredSegment& s : list_) look_for(draw_() % 2 == 0 ? s.begin : s.end() - 1);
  }
  Offset next() const { return next_; }
  std::size_t size() const { return list_.size(); }

 private:
  void look_for(Offset octet) {
    const auto it =
        std::find_if(list_.begin(), list_.end(), [&](const StoredSegment& s) { return octet < s.end(); });
    const SegmentQueue::Position found = queue_.find(octet);
    ASSERT_EQ(queue_.has(found), it != list_.end());
    if (it != list_.end()) {
      ASSERT_TRUE(same(queue_.at(found), *it));
    }
    const auto holding = queue_.holding(octet);
    ASSERT_EQ(holding.has_value(), it != list_.end() && it->begin <= octet);
    if (holding) {
      ASSERT_TRUE(same(*holding, *it));
    }
  }

  SegmentQueue queue_;
  std::uint32_t capacity_;
  std::vector<StoredSegment> list_;
  Offset next_;  // beyond what was taken off at the front
  std::mt19937 draw_;
  std::array<Sdu, 16> sdus_{};
};

TEST(SegmentQueue, BesideAPlainListIsTheSameWhateverComes) {
  const std::uint32_t seeds = std::max(40u, runs_of(200));
  for (std::uint32_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 draw(seed);
    // Half of them go over the end of 32 bits.
    const Offset near = static_cast<Offset>(1 + draw() % 5) << 32;
    const Offset from = seed % 2 == 0 ? near - static_cast<Offset>(draw() % 60'000) : 1;
    const std::uint32_t capacity = 1 + draw() % 40, filling = 2 + draw() % 6;
    QueueBeside beside(capacity, from, seed);
    for (int i = 0; i < 600; ++i) {
      const std::uint32_t what = draw() % 12;
      if (what < filling) beside.put();
      if (what >= filling && what < 8) beside.pop();
      if (what == 8) beside.pop_last();
      if (what == 9) beside.join();
      if (what == 10) beside.mark_sent();
      if (what == 11 && draw() % 40 == 0) beside.clear();
      beside.compare();
      if (testing::Test::HasFatalFailure()) return;
    }
    if (seed % 2 == 0 && capacity > 4) {
      EXPECT_GT(beside.next(), from) << "nothing was taken off";
    }
  }
}

// Large enough for rings to be parted, evened out and joined.
TEST(SegmentQueue, OfManyRingsBesideAPlainListIsTheSame) {
  const std::uint32_t steps = std::max(8'000u, runs_of(20'000));
  for (const std::uint32_t capacity : {256u, 257u, 300u, 700u, 2000u}) {
    for (std::uint32_t seed = 0; seed < 8; seed += step_of(7)) {
      SCOPED_TRACE(std::to_string(capacity) + ", seed " + std::to_string(seed));
      std::mt19937 draw(seed);
      QueueBeside beside(capacity, seed % 2 == 0 ? 1 : (Offset{3} << 32) - 400'000, seed);
      std::size_t most = 0;
      bool filling = true;
      for (std::uint32_t i = 0; i < steps; ++i) {
        // It fills, and empties by half.
        if (beside.size() == capacity) filling = false;
        if (beside.size() < capacity / 2) filling = true;
        const std::uint32_t what = draw() % 12;
        if (what < (filling ? 8u : 3u)) beside.put();
        if (what == 8 || (what > 2 && what < 8 && !filling && seed % 4 == 0)) beside.pop();
        if (what == 9) beside.pop_last();
        if (what == 10 || (what > 2 && what < 8 && !filling)) beside.join();
        if (what == 11) beside.mark_sent();
        if (i % 6001 == 6000 && seed % 3 == 0) beside.clear();
        most = std::max(most, beside.size());
        if (i % 200 == 0) beside.compare();
        if (testing::Test::HasFatalFailure()) return;
      }
      beside.compare();
      EXPECT_GT(most, 3 * capacity / 4);
    }
  }
}

// Records come from the highest to the lowest, in two rising runs in turn, shuffled, and from both ends to
// the middle: rings that are parted in any of these ways leave no slot unused.
TEST(SegmentQueue, TakesAsManyAsItHasPlacesInAnyOrder) {
  constexpr std::uint32_t kCapacity = 24'680;  // a window of 16 MiB
  for (const int order : {0, 1, 2, 3}) {
    SCOPED_TRACE(order);
    SegmentQueue queue(kCapacity);
    std::mt19937 draw(7);
    std::vector<std::uint32_t> numbers(kCapacity);
    for (std::uint32_t i = 0; i < kCapacity; ++i) {
      numbers[i] = order == 0 ? kCapacity - 1 - i : order == 1 ? i / 2 + i % 2 * (kCapacity / 2) : i;
    }
    if (order == 2) std::shuffle(numbers.begin(), numbers.end(), draw);
    // From both ends to the middle.
    for (std::uint32_t i = 0; i < kCapacity && order == 3; ++i)
      numbers[i] = i % 2 == 0 ? i / 2 : kCapacity - 1 - i / 2;
    for (const std::uint32_t n : numbers) queue.put({.begin = 10 * Offset{n}, .length = 10});
    ASSERT_TRUE(queue.full());
    for (std::uint32_t n = 0; n < kCapacity; ++n, queue.pop()) ASSERT_EQ(queue.front().begin, 10 * Offset{n});
    EXPECT_TRUE(queue.empty());
  }
}

TEST(SegmentQueue, KeepsWhatLiesAlmostFourGigabytesApart) {
  for (const Offset from : {Offset{0}, Offset{1} << 31, (Offset{1} << 32) - 1, Offset{77} << 40}) {
    SegmentQueue queue(4);
    const Offset far = from + (Offset{1} << 32) - 1000;
    queue.put({.begin = far, .length = 900});
    queue.put({.begin = from, .length = 100});
    queue.put({.begin = far - 1, .length = 1});
    EXPECT_EQ(queue.front().begin, from);
    EXPECT_EQ(queue.at(queue.after(SegmentQueue::first())).begin, far - 1);
    EXPECT_EQ(queue.back().begin, far);
    EXPECT_EQ(queue.find(from + 100), queue.after(SegmentQueue::first()));
    EXPECT_FALSE(queue.holding(far - 2));
    queue.pop();
    EXPECT_EQ(queue.front().begin, far - 1);
    queue.join(SegmentQueue::first(), {.begin = far - 1, .length = 901, .fin = true});
    EXPECT_EQ(queue.front().end(), far + 900);
    EXPECT_TRUE(queue.front().fin);
  }
}

TEST(SegmentQueue, GoesRoundItsRingWithoutAWordMore) {
  SegmentQueue queue(5);
  Offset next = 1, gone = 1;
  for (int i = 0; i < 1000; ++i) {
    while (!queue.full()) {
      queue.put({.begin = next, .length = 1000});
      next += 1000;
    }
    for (int k = 0; k <= i % 5; ++k) {
      EXPECT_EQ(queue.front().begin, gone);
      gone += 1000;
      queue.pop();
    }
  }
  EXPECT_EQ(SegmentQueue::bytes_for(5), 5u * 16) << "one ring needs no list";
}

}  // namespace
}  // namespace dp::test
