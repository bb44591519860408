// The shelf of a split connection: whatever comes in whatever order, it is what a plain list would be.
#include "dataplane/split/shelf.h"

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace dp::test {
namespace {

bool same(const StoredSegment& a, const StoredSegment& b) {
  return a.begin == b.begin && a.sdu == b.sdu && a.length == b.length && a.fin == b.fin && a.sent == b.sent;
}

// A list of segments in their order, and a shelf to which the same is done.
class ShelfBeside {
 public:
  ShelfBeside(std::uint32_t capacity, Offset from, std::uint32_t seed)
      : shelf_(capacity), capacity_(capacity), next_(from), draw_(seed) {}

  // A segment in one of the gaps, or behind the last, perhaps with a gap before it.
  void put() {
    if (list_.size() == capacity_) return;
    const std::size_t i = draw_() % 2 == 0 ? list_.size() : draw_() % (list_.size() + 1);
    const Offset low = i == 0 ? next_ : list_[i - 1].end();
    const Offset room = (i == list_.size() ? low + 3000 : list_[i].begin) - low;
    if (room < 1) return;
    const Offset skip =
        draw_() % 3 == 0 ? 0 : static_cast<Offset>(draw_() % static_cast<std::uint32_t>(room));
    StoredSegment s{.begin = low + skip, .sdu = &sdus_[draw_() % sdus_.size()]};
    s.length = 1 + draw_() % static_cast<std::uint32_t>(std::min<Offset>(room - skip, 1460));
    s.fin = draw_() % 7 == 0;
    s.sent = draw_() % 2 == 0;
    list_.insert(list_.begin() + static_cast<std::ptrdiff_t>(i), s);
    shelf_.put(s);
  }
  void pop() {
    if (list_.empty()) return;
    next_ = list_.front().end();
    list_.erase(list_.begin());
    shelf_.pop();
  }
  void pop_last() {
    if (list_.empty()) return;
    list_.pop_back();
    shelf_.pop_last();
  }
  void mark_sent() {
    if (list_.empty()) return;
    const auto i = static_cast<std::uint32_t>(draw_() % list_.size());
    list_[i].sent = true;
    shelf_.mark_sent(i);
  }
  void join() {
    if (list_.size() < 2) return;
    const auto i = static_cast<std::uint32_t>(draw_() % (list_.size() - 1));
    StoredSegment both = list_[i];
    const StoredSegment& second = list_[i + 1];
    if (both.end() != second.begin) return;
    both.length += second.length;
    both.sdu = second.sdu;
    both.fin = second.fin;
    both.sent = false;
    list_.erase(list_.begin() + i);
    list_[i] = both;
    shelf_.join(i, both);
  }
  void clear() {
    if (!list_.empty()) next_ = list_.back().end();
    list_.clear();
    shelf_.clear();
  }

  void compare() {
    ASSERT_EQ(shelf_.size(), list_.size());
    EXPECT_EQ(shelf_.empty(), list_.empty());
    EXPECT_EQ(shelf_.full(), list_.size() == capacity_);
    for (std::uint32_t i = 0; i < list_.size(); ++i) ASSERT_TRUE(same(shelf_.at(i), list_[i])) << i;
    const Offset low = list_.empty() ? next_ : list_.front().begin - 2;
    const Offset high = list_.empty() ? next_ + 2 : list_.back().end() + 2;
    for (int i = 0; i < 8; ++i) look_for(low + static_cast<Offset>(draw_()) % (high - low));
    for (const StoredSegment& s : list_) look_for(draw_() % 2 == 0 ? s.begin : s.end() - 1);
  }
  Offset next() const { return next_; }

 private:
  void look_for(Offset octet) {
    const auto it =
        std::find_if(list_.begin(), list_.end(), [&](const StoredSegment& s) { return octet < s.end(); });
    ASSERT_EQ(shelf_.find(octet), static_cast<std::uint32_t>(it - list_.begin()));
    const auto holding = shelf_.holding(octet);
    ASSERT_EQ(holding.has_value(), it != list_.end() && it->begin <= octet);
    if (holding) {
      ASSERT_TRUE(same(*holding, *it));
    }
  }

  Shelf shelf_;
  std::uint32_t capacity_;
  std::vector<StoredSegment> list_;
  Offset next_;  // beyond what was taken off at the front
  std::mt19937 draw_;
  std::array<Sdu, 16> sdus_{};
};

TEST(Shelf, BesideAPlainListIsTheSameWhateverComes) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 draw(seed);
    // Half of them go over the end of 32 bits.
    const Offset near = static_cast<Offset>(1 + draw() % 5) << 32;
    const Offset from = seed % 2 == 0 ? near - static_cast<Offset>(draw() % 60'000) : 1;
    const std::uint32_t capacity = 1 + draw() % 40, filling = 2 + draw() % 6;
    ShelfBeside beside(capacity, from, seed);
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

TEST(Shelf, KeepsWhatLiesAlmostFourGigabytesApart) {
  for (const Offset from : {Offset{0}, Offset{1} << 31, (Offset{1} << 32) - 1, Offset{77} << 40}) {
    Shelf shelf(4);
    const Offset far = from + (Offset{1} << 32) - 1000;
    shelf.put({.begin = far, .length = 900});
    shelf.put({.begin = from, .length = 100});
    shelf.put({.begin = far - 1, .length = 1});
    EXPECT_EQ(shelf.at(0).begin, from);
    EXPECT_EQ(shelf.at(1).begin, far - 1);
    EXPECT_EQ(shelf.at(2).begin, far);
    EXPECT_EQ(shelf.find(from + 100), 1u);
    EXPECT_FALSE(shelf.holding(far - 2));
    shelf.pop();
    EXPECT_EQ(shelf.front().begin, far - 1);
    shelf.join(0, {.begin = far - 1, .length = 901, .fin = true});
    EXPECT_EQ(shelf.front().end(), far + 900);
    EXPECT_TRUE(shelf.front().fin);
  }
}

TEST(Shelf, GoesRoundItsRingWithoutAWordMore) {
  Shelf shelf(5);
  Offset next = 1, gone = 1;
  for (int i = 0; i < 1000; ++i) {
    while (!shelf.full()) {
      shelf.put({.begin = next, .length = 1000});
      next += 1000;
    }
    for (int k = 0; k <= i % 5; ++k) {
      EXPECT_EQ(shelf.front().begin, gone);
      gone += 1000;
      shelf.pop();
    }
  }
  EXPECT_EQ(Shelf::bytes_for(5), 5u * 16);
}

}  // namespace
}  // namespace dp::test
