// RLC AM under random schedules and losses: the SDUs delivered are an in-order subset of those sent, byte for
// byte, every SDU has one fate, and when the air is good again everything comes to an end.
#include <algorithm>
#include <random>

#include "tests/support/am_pair.h"
#include "tests/support/runs.h"

namespace dp::test {
namespace {

class Dice {
 public:
  explicit Dice(std::uint32_t seed) : random_(seed) {}
  std::uint32_t between(std::uint32_t low, std::uint32_t high) {
    return std::uniform_int_distribution<std::uint32_t>(low, high)(random_);
  }
  bool chance(double p) { return std::bernoulli_distribution(p)(random_); }
  template <class T>
  T pick(std::initializer_list<T> values) {
    return *(values.begin() + between(0, static_cast<std::uint32_t>(values.size()) - 1));
  }

 private:
  std::mt19937 random_;
};

AmConfig random_config(Dice& dice) {
  AmConfig c;
  c.pdu_size = dice.pick({8u, 9u, 20u, 42u, 42u, 42u, 126u, 127u, 200u});
  c.tx_window = dice.pick({1u, 2u, 7u, 64u, 64u, 100u, 1024u, 2047u});
  c.rx_window = std::max(c.tx_window, dice.pick({1u, 64u, 1024u}));
  c.sdus = dice.pick({1u, 2u, 20u, 128u});
  c.max_dat = dice.pick({2u, 3u, 5u, 10u, 40u});
  c.max_dat_counts = static_cast<AmMaxDat>(dice.between(0, 2));
  c.discard = dice.between(0, 3) != 0 ? AmGiveUp::mrw : AmGiveUp::reset;
  c.send_mrw = dice.between(0, 1) != 0;
  c.max_mrw = dice.pick({1u, 2u, 8u});
  c.max_rst = dice.pick({1u, 4u, 32u});
  c.poll_last = dice.between(0, 1) != 0;
  c.poll_last_retransmission = dice.between(0, 1) != 0;
  c.poll_window = dice.pick({0.0, 0.5, 1.0});
  c.poll_pdus = dice.pick({0u, 0u, 1u, 30u});
  c.timer_poll = dice.pick({ms(0), ms(60), ms(200)});
  c.timer_status_prohibit = dice.pick({ms(0), ms(60)});
  c.nack_hold = dice.pick({ms(0), ms(0), ms(60)});
  c.missing_pdu = dice.between(0, 1) != 0;
  c.status_sufi = static_cast<AmStatusSufi>(dice.between(0, 1));
  c.he_ends_sdu = dice.between(0, 1) != 0;
  c.timer_status_periodic = dice.pick({ms(0), ms(0), ms(100)});
  c.piggyback = dice.between(0, 1) != 0;
  c.repeat_unreported = dice.pick({ms(0), ms(0), ms(20), ms(160), ms(300)});
  return c;
}

// With other settings no end polls for the last PDUs or sends them again, should they get lost.
bool ends_by_itself(const AmConfig& c) {
  return (c.poll_last && c.timer_poll > Duration{}) ||
         (c.repeat_unreported > Duration{} && c.timer_status_periodic > Duration{});
}

Buffer random_sdu(Dice& dice) {
  Buffer sdu(dice.chance(0.5) ? dice.between(1, 60) : dice.between(1, 1500));
  for (auto& b : sdu) b = static_cast<std::byte>(dice.between(0, 255));
  return sdu;
}

// The air: spells of good and bad luck, by frame or by PDU.
class LossyAir {
 public:
  LossyAir(Dice& dice) : dice_(dice) {}
  void next_spell() {
    loss_ = dice_.pick({0.0, 0.0, 0.05, 0.2, 0.5, 1.0});
    by_pdu_ = dice_.chance(0.5);
  }
  void next_tti() {
    for (bool& bad : bad_) bad = dice_.chance(loss_);
  }
  void heal() { loss_ = 0; }
  bool loses(int from) { return by_pdu_ ? dice_.chance(loss_) : bad_[static_cast<std::size_t>(from)]; }

 private:
  Dice& dice_;
  double loss_ = 0;
  bool by_pdu_ = false;
  std::array<bool, 2> bad_{};
};

class AmSchedule : public testing::TestWithParam<std::uint32_t> {};

TEST_P(AmSchedule, DeliversAnInOrderSubsetAndEverySduHasOneFate) {
  Dice dice(GetParam());
  const AmConfig config = random_config(dice);
  AmPair pair(config, dice.pick({1u, 2u, 12u, 40u}), ms(dice.pick({0, 5, 25, 120})));
  for (PairEnd& end : pair.ends) end.lossy_resets = true;
  LossyAir air(dice);
  pair.lose = [&](int from, const Buffer&) { return air.loses(from); };
  const std::array load{dice.pick({0.0, 0.1, 1.0}), dice.pick({0.02, 0.3})};
  for (unsigned tti = 0; tti < 1500; ++tti) {
    if (tti % 50 == 0) air.next_spell();
    air.next_tti();
    for (std::size_t i : {0u, 1u}) {
      if (pair.ends[i].queue.size() < 20 && dice.chance(load[i])) pair.ends[i].offer(random_sdu(dice));
    }
    pair.tick();
    if (HasFailure()) FAIL() << "at TTI " << tti;
  }
  air.heal();
  air.next_tti();
  const bool drained = pair.drain(ends_by_itself(config) ? 300'000 : 300);
  EXPECT_TRUE(drained || !ends_by_itself(config));
  for (const PairEnd& end : pair.ends) {
    std::size_t delivered = 0;
    for (const auto& s : end.sent) delivered += s.delivered ? 1 : 0;
    EXPECT_EQ(end.peer->delivered.size(), delivered);
    const auto& stats = end.entity.stats();
    if (drained && stats.resets.get() + stats.resets_by_peer.get() + pair.reestablishments == 0) {
      EXPECT_GE(delivered, end.n_acked);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, AmSchedule, testing::Range(1u, 1 + std::max(30u, runs_of(300))));

// The course of one seed's schedule: each PDU of both ends, lost ones too; the SDUs that arrived, and the
// counters of both ends.
struct Course {
  std::vector<Buffer> pdus;
  std::vector<std::uint64_t> counts;
};
Course course_of(std::uint32_t seed, bool piggyback, bool builds_one_by_one, bool receives_one_by_one) {
  Dice dice(seed);
  AmConfig config = random_config(dice);
  config.piggyback = piggyback;
  AmPair pair(config, dice.pick({2u, 12u, 40u}), ms(dice.pick({0, 5, 25, 120})));
  pair.builds_one_by_one = builds_one_by_one;
  pair.receives_one_by_one = receives_one_by_one;
  for (PairEnd& end : pair.ends) end.lossy_resets = true;
  LossyAir air(dice);
  Course course;
  pair.lose = [&](int from, const Buffer& pdu) {
    course.pdus.push_back(pdu);
    return air.loses(from);
  };
  for (unsigned tti = 0; tti < 400; ++tti) {
    if (tti % 50 == 0) air.next_spell();
    air.next_tti();
    for (PairEnd& end : pair.ends) {
      if (end.queue.size() < 20 && dice.chance(0.3)) end.offer(random_sdu(dice));
    }
    pair.tick();
    for (const PairEnd& end : pair.ends) {
      const AmEntityCounters& c = end.entity.stats();
      course.counts.insert(course.counts.end(),
                           {end.delivered.size(), end.n_acked, c.pdus_new.get(), c.pdus_retransmitted.get(),
                            c.polls.get(), c.pdus_received.get(), c.pdus_duplicate.get()});
    }
  }
  return course;
}

const std::uint32_t kSchedules = std::max(20u, runs_of(200));

TEST(AmTogether, PdusOfATtiAreReceivedAsOneByOne) {
  for (std::uint32_t seed = 1; seed <= kSchedules; ++seed) {
    const bool piggyback = seed % 2 == 0;
    const Course together = course_of(seed, piggyback, false, false);
    const Course one_by_one = course_of(seed, piggyback, false, true);
    ASSERT_EQ(together.pdus, one_by_one.pdus) << "seed " << seed;
    ASSERT_EQ(together.counts, one_by_one.counts) << "seed " << seed;
  }
}

// With piggyback a TTI's last PDU takes no report with it, and each would be the last.
TEST(AmTogether, PdusOfATtiAreBuiltAsOneByOne) {
  for (std::uint32_t seed = 1; seed <= kSchedules; ++seed) {
    const Course together = course_of(seed, false, false, false);
    const Course one_by_one = course_of(seed, false, true, false);
    ASSERT_EQ(together.pdus, one_by_one.pdus) << "seed " << seed;
    ASSERT_EQ(together.counts, one_by_one.counts) << "seed " << seed;
  }
}

// A PDU of a hostile peer: right in form, or nearly, and wrong in its values.
Buffer hostile(Dice& dice, std::size_t size, AmCount near) {
  Buffer pdu(size);
  for (auto& b : pdu) b = static_cast<std::byte>(dice.between(0, 255));
  const auto sn = [&] {
    return static_cast<Sn>((dice.chance(0.8) ? near + dice.between(0, 40) - 5 : dice.between(0, 4095)) &
                           kSnMask);
  };
  StatusWriter out(pdu);
  const std::array<ListItem, 2> items{{{sn(), 3}, {sn(), 0}}};
  const std::array<Sn, 2> sns{sn(), sn()};
  const std::array<std::uint16_t, 2> lis{static_cast<std::uint16_t>(dice.between(0, 10)), 20};
  switch (dice.between(0, 8)) {
    case 0:
      out.list(items);
      out.ack(sn());
      break;
    case 1:
      out.mrw({sns.data(), dice.between(1, 2)}, dice.between(0, 15), dice.chance(0.2));
      break;
    case 2:
      out.mrw_ack(dice.between(0, 2), sn());
      out.ack(sn());
      break;
    case 3:
      out.window(static_cast<Sn>(dice.between(0, 4095)));
      break;
    case 4:
      write_reset(
          pdu, {dice.chance(0.5), static_cast<std::uint8_t>(dice.between(0, 1)), dice.between(0, kHfnMask)});
      break;
    case 5:
      write_amd_header(pdu.data(), sn(), dice.chance(0.5), li_size_for(size), lis);
      break;
    case 6:
      write_amd_octets(pdu.data(), sn(), dice.chance(0.5), He::data);
      break;
    default:
      break;
  }
  return pdu;
}

TEST(AmHostility, AnyPdusLeaveTheEntitySound) {
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    Dice dice(seed);
    AmConfig config = random_config(dice);
    config.pdu_size = std::max(config.pdu_size, 20u);
    PairEnd end(config, Time{});
    Time now{};
    Buffer out(12 * config.pdu_size);
    std::array<std::uint32_t, 12> first;
    for (int round = 0; round < 3000; ++round) {
      if (end.queue.size() < 5) end.offer(random_sdu(dice));
      const bool ours = dice.chance(0.5);
      const AmCount near = ours ? end.entity.sender().vt_a() : end.entity.receiver().vr_r();
      end.entity.receive(hostile(dice, config.pdu_size, near), dice.between(0, 5), now);
      EXPECT_LE(end.entity.build(dice.between(0, 12), now, out.data(), first.data()), 12u);
      EXPECT_LE(end.entity.sender().vt_s() - end.entity.sender().vt_a(), config.tx_window + 1);
      EXPECT_LE(end.entity.receiver().vr_h() - end.entity.receiver().vr_r(), config.rx_window);
      end.expect_balance();
      if (end.failed) end.entity.reestablish(now);
      end.failed = false;
      now += ms(dice.between(0, 30));
    }
  }
}

}  // namespace
}  // namespace dp::test
