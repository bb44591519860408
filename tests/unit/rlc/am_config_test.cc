// The settings of RLC acknowledged mode.
#include <set>

#include <gtest/gtest.h>

#include "dataplane/rlc/am_entity.h"
#include "tests/support/am_pair.h"

namespace dp::test {
namespace {

TEST(AmConfig, DefaultsAreThePapersTableOne) {
  const AmConfig c;
  EXPECT_EQ(c.pdu_size, 2u + 320 / 8);
  EXPECT_EQ(c.tti, ms(10));
  EXPECT_EQ(c.tx_window, 1024u);
  EXPECT_EQ(c.rx_window, 1024u);
  EXPECT_EQ(c.max_dat, 10u);
  EXPECT_EQ(c.timer_poll, ms(60));
  EXPECT_EQ(c.timer_status_prohibit, ms(60));
  EXPECT_EQ(c.timer_status_periodic, ms(0));
  EXPECT_EQ(c.poll_window, 0.5);
  EXPECT_TRUE(c.poll_last && c.poll_last_retransmission && c.poll_pdus == 0);
  EXPECT_TRUE(c.missing_pdu);
  EXPECT_EQ(c.discard, AmGiveUp::mrw);
}

TEST(AmConfig, EveryDefaultLiesWithinItsLimits) {
  const AmConfig c;
  for_each_field<AmConfig>([&](const auto& field) {
    EXPECT_LE(field.min, c.*field.member) << field.name;
    EXPECT_LE(c.*field.member, field.max) << field.name;
    EXPECT_FALSE(field.doc.empty()) << field.name;
  });
}

TEST(AmConfig, NamesAreUnique) {
  std::set<std::string_view> names;
  for_each_field<AmConfig>(
      [&](const auto& field) { EXPECT_TRUE(names.insert(field.name).second) << field.name; });
}

TEST(AmConfig, AnEntityCanBeMadeAtEveryLimit) {
  const auto try_it = [](const AmConfig& c) {
    AmPair pair(c, 4);
    pair.ends[0].offer(Buffer(300, std::byte{1}));
    pair.run(1000);
    EXPECT_EQ(pair.ends[1].delivered.size(), 1u);
    EXPECT_GT(AmEntity::bytes_for(c), 0u);
  };
  for_each_field<AmConfig>([&](const auto& field) {
    for (const auto& limit : {field.min, field.max}) {
      AmConfig c;
      c.*field.member = limit;
      SCOPED_TRACE(field.name);
      try_it(c);
    }
  });
}

TEST(AmConfig, MemoryGrowsWithTheWindows) {
  AmConfig small, large;
  small.tx_window = small.rx_window = 64;
  large.tx_window = large.rx_window = 1024;
  EXPECT_LT(AmEntity::bytes_for(small), AmEntity::bytes_for(large));
  EXPECT_LT(AmEntity::bytes_for(AmConfig{}), 120'000u);
}

}  // namespace
}  // namespace dp::test
