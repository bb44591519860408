// The reset procedure of RLC AM, its peer played by the test.
#include "tests/support/am_single.h"

namespace dp::test {
namespace {

// Speaks of a PDU that was never sent.
void provoke(AmSingle& am) { am.ack(100); }

TEST(AmReset, AStatusOutsideTheWindowStartsIt) {
  const auto resets = [](auto&& write) {
    AmSingle am(quiet());
    am.offer(39, 20);
    am.build(20);
    am.ack(5);
    am.status(write);
    const Texts sent = am.build();
    return !sent.empty() && sent[0] == "RESET 0 HFN 0";
  };
  const auto list = [](Sn sn, std::uint8_t length) {
    return [=](StatusWriter& out) {
      const ListItem item{sn, length};
      out.list({&item, 1});
    };
  };
  EXPECT_FALSE(resets([](StatusWriter& out) { out.ack(5); }));
  EXPECT_FALSE(resets([](StatusWriter& out) { out.ack(20); }));
  EXPECT_TRUE(resets([](StatusWriter& out) { out.ack(4); }));
  EXPECT_TRUE(resets([](StatusWriter& out) { out.ack(21); }));
  EXPECT_FALSE(resets(list(19, 0)));
  EXPECT_TRUE(resets(list(20, 0)));
  EXPECT_TRUE(resets(list(19, 1)));
  EXPECT_TRUE(resets(list(4, 3)));
  const std::uint8_t octet = 0xff;
  EXPECT_FALSE(resets([&](StatusWriter& out) { out.bitmap(19, {&octet, 1}); })) << "bits behind mean nothing";
  EXPECT_TRUE(resets([&](StatusWriter& out) { out.bitmap(4, {&octet, 1}); }));
}

TEST(AmReset, AStatusOutsideTheWindowHasNoOtherEffect) {
  AmSingle am(quiet());
  am.offer(39, 3);
  am.build();
  am.status([](StatusWriter& out) {
    const ListItem item{50, 0};
    out.list({&item, 1});
    out.ack(3);
  });
  EXPECT_EQ(am.end.n_acked, 0u);
}

TEST(AmReset, NothingElseIsSentUntilItIsAnswered) {
  AmSingle am(quiet());
  am.offer(39, 3);
  am.build();
  provoke(am);
  EXPECT_EQ(am.build(), Texts{"RESET 0 HFN 0"});
  am.offer(39);
  am.amd(0, true, {39}, 1, 0);
  am.ack(3);
  EXPECT_TRUE(am.build().empty());
  EXPECT_TRUE(am.delivered().empty()) << "under which numbers it was sent is unknown";
  EXPECT_EQ(am.entity().wake_at(), Time{} + ms(200));
}

TEST(AmReset, TheAnswerDiscardsWhatWasSentAndBeginsAnewUnderTheNextHfn) {
  AmSingle am(quiet());
  am.offer(39, 3);
  am.build();
  am.amd(0, false, {39}, 1, 0);
  am.amd(1, false, {}, 1, 1);
  provoke(am);
  am.build();
  am.offer(20);
  am.reset(true, 0, 7);
  EXPECT_EQ(am.end.n_discarded, 3u);
  EXPECT_EQ(am.end.n_released, 3u);
  EXPECT_EQ(am.end.n_abandoned, 1u);
  EXPECT_EQ(am.entity().sender().vt_s(), after_hfn(0));
  EXPECT_EQ(am.entity().receiver().vr_r(), after_hfn(7));
  EXPECT_EQ(am.build(), Texts{"0 {20 pad}"});
  EXPECT_EQ(am.first_sdus[0], 3u) << "SDUs are numbered across resets";
}

TEST(AmReset, AnAnswerToAnotherResetIsIgnored) {
  AmSingle am(quiet());
  am.offer(39);
  am.build();
  am.reset(true, 0, 0);
  EXPECT_EQ(am.end.n_discarded, 0u) << "nobody asked";
  provoke(am);
  am.build();
  am.reset(true, 1, 0);
  EXPECT_EQ(am.end.n_discarded, 0u);
  am.reset(true, 0, 0);
  EXPECT_EQ(am.end.n_discarded, 1u);
}

TEST(AmReset, IsRepeatedAsItWasAndTheNextHasAnotherNumber) {
  AmSingle am(quiet());
  provoke(am);
  EXPECT_EQ(am.build(), Texts{"RESET 0 HFN 0"});
  EXPECT_TRUE(am.after(ms(199)).empty());
  EXPECT_EQ(am.after(ms(1)), Texts{"RESET 0 HFN 0"});
  am.reset(true, 0, 0);
  provoke(am);
  EXPECT_EQ(am.build(), Texts{"RESET 1 HFN 1"});
}

TEST(AmReset, WithoutAnyAnswerIsAnUnrecoverableError) {
  AmConfig config = quiet();
  config.max_rst = 3;
  AmSingle am(config);
  am.offer(39);
  am.build();
  provoke(am);
  EXPECT_EQ(am.build().size(), 1u);
  EXPECT_EQ(am.after(ms(200)).size(), 1u);
  EXPECT_EQ(am.after(ms(200)).size(), 1u);
  EXPECT_FALSE(am.end.failed);
  EXPECT_TRUE(am.after(ms(200)).empty());
  EXPECT_TRUE(am.end.failed);
  EXPECT_EQ(am.entity().wake_at(), kNever);
  am.entity().reestablish(am.now);
  EXPECT_EQ(am.end.n_discarded, 1u);
  am.offer(39);
  EXPECT_EQ(am.build(), Texts{"0 {39}"});
  EXPECT_EQ(am.entity().sender().vt_s(), 1u);
  provoke(am);
  EXPECT_EQ(am.build(), Texts{"RESET 0 HFN 0"});
}

TEST(AmResetReceived, IsAnsweredFirstAndBeginsAnew) {
  AmSingle am(quiet());
  am.offer(39, 2);
  am.build();
  am.amd(0, false, {}, 1, 0);
  am.amd(5, false, {39}, 1, 5);
  am.offer(10);
  am.reset(false, 0, 4);
  EXPECT_EQ(am.end.n_discarded, 2u);
  EXPECT_EQ(am.build(), (Texts{"RESET_ACK 0 HFN 0", "0 {10 pad}"}));
  am.amd(0, true, {39}, 1, 6);
  EXPECT_EQ(am.delivered(), Texts{"6:39"});
  EXPECT_EQ(am.build(), Texts{"ACK 1"});
  EXPECT_EQ(hfn_of(am.entity().receiver().vr_r()), 5u);
}

TEST(AmResetReceived, AgainIsAnsweredTheSameWithoutAnotherReset) {
  AmSingle am(quiet());
  am.reset(false, 1, 0);
  EXPECT_EQ(am.build(), Texts{"RESET_ACK 1 HFN 0"});
  am.offer(39);
  am.build();
  am.reset(false, 1, 0);
  EXPECT_EQ(am.build(), Texts{"RESET_ACK 1 HFN 0"});
  EXPECT_EQ(am.end.n_discarded, 0u);
  am.reset(false, 0, 1);
  EXPECT_EQ(am.build(), Texts{"RESET_ACK 0 HFN 1"});
  EXPECT_EQ(am.end.n_discarded, 1u);
}

TEST(AmResetReceived, StopsTimersAndWhatWasDue) {
  AmConfig config = quiet();
  config.poll_last = true;
  config.timer_poll = ms(60);
  AmSingle am(config);
  am.offer(39);
  am.build();
  am.amd(0, true, {39}, 1, 0);
  am.reset(false, 0, 0);
  EXPECT_EQ(am.build(), Texts{"RESET_ACK 0 HFN 0"});
  EXPECT_EQ(am.entity().wake_at(), kNever);
}

TEST(AmResetReceived, WhileOursIsPendingIsAnsweredAndOursGoesOn) {
  AmSingle am(quiet());
  am.offer(39);
  am.build();
  provoke(am);
  am.build();
  am.reset(false, 0, 0);
  EXPECT_EQ(am.build(), Texts{"RESET_ACK 0 HFN 0"});
  am.offer(20);
  EXPECT_TRUE(am.build().empty());
  EXPECT_EQ(am.after(ms(200)), Texts{"RESET 0 HFN 0"});
  am.reset(true, 0, 0);
  EXPECT_EQ(am.build(), Texts{"0 {20 pad}"});
  EXPECT_EQ(hfn_of(am.entity().sender().vt_s()), 1u);
}

TEST(AmResetCrossing, BothEndsComeToTheSameNumbers) {
  AmPair pair(AmConfig{});
  for (PairEnd& end : pair.ends) end.lossy_resets = true;
  for (int round = 0; round < 3; ++round) {
    for (PairEnd& end : pair.ends) end.offer(Buffer(1500, std::byte{1}));
    pair.run(2);
    Buffer status(42);
    StatusWriter out(status);
    out.ack(1000);
    for (PairEnd& end : pair.ends) end.entity.receive(status, 0, pair.now);
    for (PairEnd& end : pair.ends) end.offer(Buffer(700, std::byte{2}));
    EXPECT_TRUE(pair.drain(100));
    EXPECT_EQ(pair.ends[0].entity.sender().vt_s(), pair.ends[1].entity.receiver().vr_r());
    EXPECT_EQ(pair.ends[1].entity.sender().vt_s(), pair.ends[0].entity.receiver().vr_r());
  }
  EXPECT_EQ(pair.ends[0].entity.stats().resets.get(), 3u);
  EXPECT_EQ(pair.ends[0].n_discarded, 3u);
  EXPECT_EQ(pair.ends[0].n_acked, 3u);
}

}  // namespace
}  // namespace dp::test
