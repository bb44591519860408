// Places of split connections: which connections get one, and which give way, within a bearer and among the
// bearers that share dataplane.proxy_store.
#include "tests/unit/split/crowd_bench.h"

namespace dp::test {
namespace {

using namespace std::chrono_literals;

class SplitShare : public CrowdBench {
 protected:
  static constexpr SplitConfig kConfig{.window = 8192, .store = 4 * 8192, .give_way = 10s};
  static constexpr unsigned kHogs = 3, kNewcomer = kHogs, kEach = 4;

  // Each of kHogs UEs has kEach connections at risk, and the store has no place for one more.
  void fill() {
    begin(kConfig, kHogs + 2, kHogs * kEach);
    for (unsigned hog = 0; hog < kHogs; ++hog) {
      for (unsigned i = 0; i < kEach; ++i) open_and_stall(port(hog, i));
    }
    ASSERT_EQ(split(), kHogs * kEach);
    forget();
  }
  static Name port(unsigned ue, unsigned i) { return {ue, static_cast<std::uint16_t>(40'000 + i)}; }
  std::uint64_t refused() { return counters().unsplit[index(Unsplit::store)].get(); }
};

TEST_F(SplitShare, ANewcomerGetsThePlaceOfAConnectionWhoseUeHasStoppedAndBothEndsHearOfIt) {
  fill();
  run_for(11s);
  forget();
  EXPECT_TRUE(opens_split(port(kNewcomer, 0)));
  EXPECT_EQ(split(), kHogs * kEach);
  EXPECT_EQ(resets(SplitReset::gave_way), 1u);
  EXPECT_EQ(counters().gave_way.get(), 1u);
  EXPECT_EQ(count(left(Side::core), TcpView::kRst), 1u);
  EXPECT_EQ(count(left(Side::radio), TcpView::kRst), 1u);
}

TEST_F(SplitShare, ANewcomerGetsThePlaceOfOneOfAFewConnectionsOfABearerThatMayHaveMany) {
  begin({.window = 8192, .max_flows = 1024, .store = 1024 * 8192, .give_way = 10s}, kHogs + 1, kHogs * kEach);
  for (unsigned hog = 0; hog < kHogs; ++hog) {
    for (unsigned i = 0; i < kEach; ++i) open_and_stall(port(hog, i));
  }
  run_for(11s);
  EXPECT_TRUE(opens_split(port(kNewcomer, 0)));
  EXPECT_EQ(resets(SplitReset::gave_way), 1u);
}

TEST_F(SplitShare, ANewcomerGetsAsMuchAsTheOthersHaveAndNoMore) {
  fill();
  run_for(11s);
  std::uint32_t got = 0;
  for (unsigned i = 0; i < 2 * kEach; ++i) got += opens_split(port(kNewcomer, i)) ? 1 : 0;
  EXPECT_EQ(got, kHogs * kEach / (kHogs + 1));
  for (unsigned hog = 0; hog < kHogs; ++hog) EXPECT_EQ(proxy(hog).split(), 3u);
}

TEST_F(SplitShare, AConnectionWhoseUeGoesOnIsDrainedAndItsPlaceIsKeptForANewcomer) {
  fill();
  EXPECT_FALSE(opens_split(port(kNewcomer, 0)));
  EXPECT_EQ(counters().flows[index(SplitState::drain)].get(), 1u);
  EXPECT_EQ(refused(), 1u);
  for (unsigned hog = 0; hog < kHogs; ++hog) {
    for (unsigned i = 0; i < kEach; ++i) ue(port(hog, i), {.ack = 1 + 2 * kMss});
  }
  EXPECT_EQ(split(), kHogs * kEach - 1);
  EXPECT_FALSE(opens_split(port(0, kEach))) << "for one beyond its share";
  EXPECT_TRUE(opens_split(port(kNewcomer, 1)));
  EXPECT_EQ(resets(SplitReset::gave_way), 0u);
}

TEST_F(SplitShare, AConnectionWithNothingAtRiskIsLetGoUnnoticed) {
  fill();
  for (unsigned i = 0; i < kEach; ++i) ue(port(0, i), {.ack = 1 + 2 * kMss});
  forget();
  EXPECT_TRUE(opens_split(port(kNewcomer, 0)) || opens_split(port(kNewcomer, 1)) ||
              opens_split(port(kNewcomer, 2)));
  EXPECT_EQ(proxy(0).split(), kEach - 1);
  EXPECT_EQ(count(left(Side::core), TcpView::kRst), 0u);
  EXPECT_EQ(count(left(Side::radio), TcpView::kRst), 0u);
}

// An octet now and then is no progress.
TEST_F(SplitShare, AUeThatTricklesIsResetAfterGiveWay) {
  fill();
  for (std::uint32_t octets = 1; octets <= 12; ++octets) {
    opens_split(port(kNewcomer, octets));
    run_for(1s);
    for (unsigned hog = 0; hog < kHogs; ++hog) {
      for (unsigned i = 0; i < kEach; ++i) ue(port(hog, i), {.ack = 1 + octets, .window = 1});
    }
  }
  EXPECT_GT(proxy(kNewcomer).split(), 0u);
  EXPECT_GT(resets(SplitReset::gave_way), 0u);
}

TEST_F(SplitShare, NobodyWithinItsShareGivesWay) {
  begin(kConfig, kHogs + 1, kHogs);
  for (unsigned ue = 0; ue < kHogs; ++ue) open_and_stall(port(ue, 0));
  run_for(11s);
  EXPECT_FALSE(opens_split(port(kHogs, 0)));
  EXPECT_EQ(split(), kHogs);
  EXPECT_EQ(counters().gave_way.get(), 0u);
  EXPECT_EQ(refused(), 1u);
}

TEST_F(SplitShare, WithoutANewcomerABearerMayHaveTheWholeStore) {
  begin(kConfig, 2, kEach);
  for (unsigned i = 0; i < kEach; ++i) open_and_stall(port(0, i));
  run_for(30s);
  EXPECT_EQ(proxy(0).split(), kEach);
}

TEST_F(SplitShare, OfABearersOwnOneThatIsQuietGivesWayAndOneAtRiskDoesNot) {
  SplitConfig two = kConfig;
  two.max_flows = 2;
  begin(two, 1);
  open_and_stall(port(0, 0));
  open(port(0, 1));
  server(port(0, 1), {.seq = 1, .payload = kMss});
  ue(port(0, 1), {.ack = 1 + kMss});
  run_for(100ms);
  open(port(0, 2));
  server(port(0, 2), {.seq = 1, .payload = kMss});
  EXPECT_EQ(counters().unsplit[index(Unsplit::max_flows)].get(), 1u) << "it was heard of a moment ago";
  run_for(2s);
  open(port(0, 3));
  server(port(0, 3), {.seq = 1, .payload = kMss});
  server(port(0, 3), {.seq = 1 + kMss, .payload = kMss});
  EXPECT_EQ(counters().unsplit[index(Unsplit::max_flows)].get(), 1u);
  EXPECT_EQ(counters().gave_way.get(), 1u);
  run_for(2s);
  open(port(0, 4));
  server(port(0, 4), {.seq = 1, .payload = kMss});
  EXPECT_EQ(counters().unsplit[index(Unsplit::max_flows)].get(), 2u);
  EXPECT_EQ(resets(SplitReset::gave_way), 0u);
}

// A connection that requests memory looks at a few others, for any number of bearers and connections.
TEST_F(SplitShare, IsFoundAmongManyThatHaveOneByThoseThatHaveMany) {
  begin(kConfig, 40, 39 + kEach);
  for (unsigned i = 0; i < kEach; ++i) open_and_stall(port(0, i));
  for (unsigned ue = 1; ue < 38; ++ue) open_and_stall(port(ue, 0));
  open_and_stall(port(38, 0));
  open_and_stall(port(38, 1));
  ASSERT_EQ(worker->context().proxy_store.has_space(1), false);
  run_for(11s);
  EXPECT_TRUE(opens_split(port(39, 0)));
  EXPECT_EQ(proxy(0).split(), kEach - 1);
}

}  // namespace
}  // namespace dp::test
