// Effects of an MRW on the receiving side of RLC AM.
#include "tests/support/am_single.h"

namespace dp::test {
namespace {

template <class Write>
Texts answer(AmSingle& am, Write&& write) {
  am.status(write);
  return am.build();
}
auto mrw(Sn sn, unsigned n, bool beyond = false) {
  return [=](StatusWriter& out) { out.mrw({&sn, 1}, n, beyond); };
}

TEST(AmMrwReceived, MovesTheWindowAndAbandonsWhatHadBegun) {
  AmSingle am(quiet());
  am.amd(0, false, {}, 1, 0);
  am.amd(3, false, {39}, 2, 1);
  EXPECT_EQ(answer(am, mrw(3, 0)), Texts{"MRW_ACK 4 N 0"});
  EXPECT_EQ(am.end.n_abandoned, 1u);
  EXPECT_EQ(am.delivered(), Texts{"1:39"});
}

TEST(AmMrwReceived, DropsTheSegmentsUpToTheLi) {
  AmSingle am(quiet());
  am.amd(0, false, {}, 1, 0);
  EXPECT_EQ(answer(am, mrw(2, 2)), Texts{"MRW_ACK 2 N 2"});
  am.amd(2, false, {10, 20, 30, 0x7f}, 2, 0);
  EXPECT_EQ(am.delivered(), Texts{"2:10"});
}

TEST(AmMrwReceived, CountsTheLiThatSpeaksOfThePduBefore) {
  AmSingle am(quiet());
  am.amd(0, false, {}, 1, 0);
  EXPECT_EQ(answer(am, mrw(1, 1)), Texts{"MRW_ACK 1 N 1"});
  am.amd(1, false, {0, 20, 0x7f}, 2, 1);
  EXPECT_EQ(am.delivered(), Texts{"1:20"});
}

TEST(AmMrwReceived, FindsThePduAlreadyThere) {
  AmSingle am(quiet());
  am.amd(1, false, {20, 38}, 2, 0);
  EXPECT_EQ(answer(am, mrw(1, 1)), Texts{"MRW_ACK 2 N 0"});
  EXPECT_EQ(am.delivered(), Texts{"1:18"});
}

TEST(AmMrwReceived, ThatIsObsoleteIsAnsweredWithTheWindow) {
  AmSingle am(quiet());
  for (Sn sn = 0; sn < 5; ++sn) am.amd(sn, false, {39}, 1, sn);
  EXPECT_EQ(answer(am, mrw(3, 1)), Texts{"MRW_ACK 5 N 0"});
  EXPECT_EQ(am.entity().receiver().vr_r(), 5u);
  EXPECT_EQ(am.end.n_abandoned, 0u);
}

TEST(AmMrwReceived, AgainChangesNothingMore) {
  AmSingle am(quiet());
  am.amd(0, false, {}, 1, 0);
  EXPECT_EQ(answer(am, mrw(2, 1)), Texts{"MRW_ACK 2 N 1"});
  EXPECT_EQ(answer(am, mrw(2, 1)), Texts{"MRW_ACK 2 N 1"});
  am.amd(2, false, {10, 20, 0x7f}, 2, 0);
  EXPECT_EQ(am.delivered(), Texts{"1:10"});
}

TEST(AmMrwReceived, MayMoveBeyondTheWholeWindow) {
  AmSingle am(quiet());
  am.amd(0, false, {39}, 1, 0);
  am.amd(500, false, {39}, 1, 500);
  EXPECT_EQ(answer(am, mrw(1026, 0, true)), Texts{"MRW_ACK 1026 N 0"});
  am.amd(1026, true, {39}, 1, 1026);
  EXPECT_EQ(am.delivered(), (Texts{"0:39", "1026:39"}));
  EXPECT_EQ(am.build(), Texts{"ACK 1027"});
}

TEST(AmMrwReceived, IsAnsweredTogetherWithAReport) {
  AmSingle am(quiet());
  am.amd(4, true, {39}, 1, 0);
  EXPECT_EQ(answer(am, mrw(2, 0)), Texts{"MRW_ACK 2 N 0, LIST 2-3, ACK 5"});
}

}  // namespace
}  // namespace dp::test
