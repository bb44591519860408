// The ring of bits behind the windows of RLC AM.
#include "dataplane/rlc/am_count_set.h"

#include <array>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace dp::test {
namespace {

AmCountSet copy_of(const AmCountSet& ring, AmCount base) {
  AmCountSet copy(256);
  for (AmCount offset = 0; offset < 256; ++offset) {
    if (ring.has(base + offset)) copy.add(base + offset);
  }
  return copy;
}

TEST(AmCountSet, FindsWhatASetFindsWhereverTheWindowLies) {
  std::mt19937 random(1);
  for (const AmCount base : {0u, 63u, 1000u, 4090u, 0xffffff80u}) {
    AmCountSet ring(200);
    std::set<AmCount> offsets;
    for (int round = 0; round < 3000; ++round) {
      const AmCount offset = random() % 256;
      if (random() % 2 == 0) {
        ring.add(base + offset);
        offsets.insert(offset);
      } else {
        ring.remove(base + offset);
        offsets.erase(offset);
      }
      const AmCount from = random() % 257, to = from + random() % (257 - from);
      AmCount present = from, absent = from;
      while (present != to && !offsets.contains(present)) ++present;
      while (absent != to && offsets.contains(absent)) ++absent;
      ASSERT_EQ(ring.first(base + from, base + to), base + present);
      ASSERT_EQ(ring.first_absent(base + from, base + to), base + absent);
      ASSERT_EQ(ring.has(base + offset), offsets.contains(offset));
    }
    ring.clear();
    EXPECT_EQ(ring.first(base, base + 256), base + 256);
  }
}

TEST(AmCountSet, AddsThoseOfAnotherThatAreNotInAThirdAndSaysHowManyAreNew) {
  std::mt19937 random(3);
  for (const AmCount base : {0u, 63u, 4090u, 0xffffff80u}) {
    for (int round = 0; round < 500; ++round) {
      AmCountSet ring(256), of(256), but(256);
      for (int i = 0; i < round; ++i)
        (std::array{&ring, &of, &but}[random() % 3])->add(base + random() % 256);
      const AmCount from = random() % 257, to = from + random() % (257 - from);
      AmCountSet expected = copy_of(ring, base);
      std::uint32_t added = 0;
      for (AmCount c = base + from; c != base + to; ++c) {
        if (!of.has(c) || but.has(c) || ring.has(c)) continue;
        expected.add(c);
        ++added;
      }
      ASSERT_EQ(ring.add_those_of(of, but, base + from, base + to), added);
      for (AmCount offset = 0; offset < 256; ++offset)
        ASSERT_EQ(ring.has(base + offset), expected.has(base + offset)) << offset;
    }
  }
}

TEST(AmCountSet, GoesThroughWhatIsInNeitherOfTwoAlsoWhileItIsAdded) {
  std::mt19937 random(2);
  for (const AmCount base : {0u, 63u, 4090u, 0xffffff80u}) {
    for (int round = 0; round < 500; ++round) {
      AmCountSet a(256), b(256);
      for (int i = 0; i < round; ++i) (random() % 2 == 0 ? a : b).add(base + random() % 256);
      const AmCount from = random() % 257, to = from + random() % (257 - from);
      std::vector<AmCount> expected, got;
      for (AmCount offset = from; offset != to; ++offset) {
        if (!a.has(base + offset) && !b.has(base + offset)) expected.push_back(base + offset);
      }
      AmCountSet::for_those_in_neither(a, b, base + from, base + to, [&](const AmCountSet::Some& some) {
        AmCountSet::for_each(some, [&](AmCount c) { got.push_back(c); });
        a.add(some);
      });
      ASSERT_EQ(got, expected);
      ASSERT_EQ(a.first_absent(base + from, base + to), [&] {
        AmCount c = base + from;
        while (c != base + to && a.has(c)) ++c;
        return c;
      }());
    }
  }
}

TEST(AmCountSet, PutsInAndTakesOutManyAtOnce) {
  std::mt19937 random(3);
  for (const AmCount base : {0u, 63u, 4090u, 0xffffff80u}) {
    for (int round = 0; round < 300; ++round) {
      AmCountSet ring(256), expected(256);
      for (AmCount offset = 0; offset != 256; ++offset) {
        if (random() % 2 == 0) continue;
        ring.add(base + offset);
        expected.add(base + offset);
      }
      const AmCount from = random() % 257, n = random() % (257 - from);
      const bool in = random() % 2 == 0;
      in ? ring.add(base + from, n) : ring.remove(base + from, n);
      for (AmCount offset = from; offset != from + n; ++offset) {
        in ? expected.add(base + offset) : expected.remove(base + offset);
      }
      const AmCount word = (base + random() % 256) / 64 * 64;
      const AmCountSet::Some some{word, std::uint64_t{random()} << 32 | random()};
      unsigned were_in = 0;
      AmCountSet::for_each(some, [&](AmCount c) {
        were_in += expected.has(c) ? 1 : 0;
        expected.remove(c);
      });
      EXPECT_EQ(ring.remove(some), were_in);
      for (AmCount offset = 0; offset != 256; ++offset) {
        ASSERT_EQ(ring.has(base + offset), expected.has(base + offset)) << base << ' ' << offset;
      }
    }
  }
}

TEST(AmCountSet, HasRoomForItsWindowAndWholeWords) {
  EXPECT_EQ(AmCountSet::slots(1), 64u);
  EXPECT_EQ(AmCountSet::slots(64), 64u);
  EXPECT_EQ(AmCountSet::slots(1025), 2048u);
  EXPECT_EQ(AmCountSet::bytes_for(1024), 128u);
}

}  // namespace
}  // namespace dp::test
