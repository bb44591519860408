#include "dataplane/store/segment_store.h"

#include <algorithm>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "dataplane/base/rng.h"

namespace dp {
namespace {

TEST(SegmentStore, KeepsTheOrderOfOctetsWhateverTheOrderOfArrival) {
  std::vector<Sdu> sdus(4);
  SegmentStore store(8, 1);
  for (const Offset begin : {200, 0, 300, 100}) {
    ASSERT_NE(store.put(0, begin, 100, sdus[static_cast<std::size_t>(begin / 100)], false), nullptr);
  }
  EXPECT_EQ(store.put(0, 150, 100, sdus[0], false), nullptr) << "shares octets";
  EXPECT_EQ(store.put(0, 0, 100, sdus[0], false), nullptr);
  Offset next = 0;
  for (const KeptSegment* s = store.oldest(0); s != nullptr; s = store.after(*s), next += 100) {
    EXPECT_EQ(s->begin, next);
  }
  EXPECT_EQ(next, 400);
  EXPECT_EQ(store.newest(0)->begin, 300);
  EXPECT_EQ(store.holding(0, 250)->begin, 200);
  EXPECT_EQ(store.holding(0, 400), nullptr);
  EXPECT_EQ(store.holding(0, -1), nullptr);
}

TEST(SegmentStore, DividesItsRoomAmongFlowsButLeavesEachALeastPart) {
  std::vector<Sdu> sdus(64);
  SegmentStore store(32, 4);
  Offset at = 0;
  while (store.has_space_for(0)) store.put(0, at++, 1, sdus[0], false);
  EXPECT_EQ(store.count_of(0), 32u);
  EXPECT_FALSE(store.has_space_for(1)) << "until some have left";
  while (store.count_of(0) > 20) store.remove(*store.oldest(0));
  while (store.has_space_for(1)) store.put(1, at++, 1, sdus[1], false);
  EXPECT_EQ(store.count_of(1), 12u);
  EXPECT_FALSE(store.has_space_for(0)) << "more than its part";
  EXPECT_EQ(store.flows(), 2u);
}

// Counts by its tree, against a look at each.
void expect_counts(SegmentStore& store, std::uint32_t flow, const std::map<Offset, KeptSegment*>& own,
                   Offset octet) {
  const auto beyond = std::ranges::find_if(own, [&](const auto& s) { return s.second->end() > octet; });
  ASSERT_EQ(store.first_beyond(flow, octet), beyond == own.end() ? nullptr : beyond->second);
  for (const auto what : {KeptSegment::kSent, KeptSegment::kIdle, KeptSegment::kFresh}) {
    std::uint32_t all = 0, above = 0;
    for (const auto& [at, s] : own) {
      if (!s->is(what)) continue;
      ASSERT_EQ(store.nth(flow, all, what), s);
      ++all;
      above += at > octet ? 1 : 0;
    }
    ASSERT_EQ(store.nth(flow, all, what), nullptr);
    ASSERT_EQ(store.count_of(flow, what), all);
    ASSERT_EQ(store.count_above(flow, octet, what), above);
  }
}

// Against lists that cannot be wrong.
TEST(SegmentStore, DoesWhatAMapWouldOverManyTurns) {
  constexpr std::uint32_t kFlows = 5, kCapacity = 40;
  std::vector<Sdu> sdus(2000);
  for (const std::uint64_t seed : {1, 2}) {
    Rng rng(seed);
    SegmentStore store(kCapacity, kFlows);
    std::array<std::map<Offset, KeptSegment*>, kFlows> model;
    std::vector<KeptSegment*> to_go;
    std::size_t size = 0;
    for (int turn = 0; turn < 200'000; ++turn) {
      const std::uint32_t flow = rng.below(kFlows);
      auto& own = model[flow];
      switch (rng.below(5)) {
        case 0:
        case 1: {
          if (!store.has_space_for(flow)) break;
          const Offset begin = rng.below(300);
          const auto length = static_cast<std::uint16_t>(1 + rng.below(20));
          bool free = true;
          for (const auto& [at, s] : own) free = free && (s->end() <= begin || begin + length <= at);
          KeptSegment* const s = store.put(
              flow, begin, length, sdus[flow * 400 + static_cast<std::size_t>(begin)], rng.below(4) == 0);
          ASSERT_EQ(s != nullptr, free);
          if (s != nullptr) own[begin] = s, ++size;
          break;
        }
        case 2: {
          if (own.empty()) break;
          const auto it = std::next(own.begin(), rng.below(static_cast<std::uint32_t>(own.size())));
          std::erase(to_go, it->second);
          store.remove(*it->second);
          own.erase(it);
          --size;
          break;
        }
        case 3: {
          const Offset octet = rng.below(330);
          KeptSegment* expected = nullptr;
          for (const auto& [at, s] : own) {
            if (at <= octet && octet < s->end()) expected = s;
          }
          ASSERT_EQ(store.holding(flow, octet), expected);
          if (expected != nullptr) {
            const KeptSegment* const next = store.next_of_frame(flow, *expected->sdu);
            ASSERT_TRUE(next == nullptr || next == expected);
            if (!expected->sent) {
              store.mark_sent(*expected);
            } else if (!expected->to_go) {
              store.push_to_go(*expected), to_go.push_back(expected);
            }
          }
          break;
        }
        default:
          ASSERT_EQ(store.first_to_go(), to_go.empty() ? nullptr : to_go.front());
          if (to_go.empty()) break;
          const std::size_t which = rng.below(static_cast<std::uint32_t>(to_go.size()));
          store.leave_to_go(*to_go[which]);
          to_go.erase(to_go.begin() + static_cast<std::ptrdiff_t>(which));
      }
      ASSERT_NO_FATAL_FAILURE(expect_counts(store, flow, own, rng.below(330)));
      ASSERT_EQ(store.size(), size);
      ASSERT_EQ(store.count_of(flow), own.size());
      ASSERT_EQ(store.oldest(flow), own.empty() ? nullptr : own.begin()->second);
      ASSERT_EQ(store.newest(flow), own.empty() ? nullptr : own.rbegin()->second);
    }
  }
}

}  // namespace
}  // namespace dp
