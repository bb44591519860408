// The differences between `snoop` and `new-snoop`; what they have in common is in local_repair_test.cc.
#include "dataplane/ack/engines.h"
#include "tests/support/repair_bench.h"

namespace dp::test {
namespace {

class SnoopTest : public RepairBench {
 protected:
  template <class Config>
  Bearer& measured(const Config& config, std::uint32_t sdus = 128) {
    Bearer& bearer = add(kUe, keeping({config}, 8'000'000, sdus));
    open();
    data(1);
    run_for(21);
    ack(2);
    up(), down();
    return bearer;
  }
};

TEST_F(SnoopTest, OneDuplicateOfEachLossGoesToTheSource) {
  measured(Snoop::Config{});
  data(2, 6);
  run_for(20);
  acks(2, 4);
  EXPECT_EQ(up(), (Numbers{2}));
  ack(5);  // 5 is lost, too
  data(7, 10);
  run_for(20);
  acks(5, 3);
  EXPECT_EQ(up(), (Numbers{5, 5}));
}

TEST_F(SnoopTest, NewSnoopTellsTheSourceNothing) {
  measured(NewSnoop::Config{});
  data(2, 6);
  run_for(20);
  acks(2, 4);
  ack(5);
  data(7, 10);
  run_for(20);
  acks(5, 3);
  ack(4);
  EXPECT_EQ(up(), (Numbers{5})) << "nor a number that is behind";
}

TEST_F(SnoopTest, SnoopLeavesALossUpstreamToTheSource) {
  measured(Snoop::Config{});
  data(3, 7);
  run_for(20);
  down();
  acks(2, 5);
  EXPECT_EQ(up(), (Numbers{2, 2, 2, 2, 2})) << "it is not kept";
  data(2);
  run_for(5);
  EXPECT_EQ(down(), (Numbers{2}));
  acks(2, 3);
  EXPECT_EQ(up(), (Numbers{2, 2, 2})) << "and then its repeat is the source's, too";
}

TEST_F(SnoopTest, WhenItsTriesAreUsedUpTheSourceTakesOver) {
  measured(Snoop::Config{.tries = 3});
  data(2);
  run_for(3000);
  EXPECT_EQ(down(), (Numbers{2, 2, 2, 2}));
  ack(2);
  EXPECT_EQ(up(), (Numbers{2}));
  data(2);
  run_for(2);
  EXPECT_EQ(down(), (Numbers{2})) << "a fresh start";
  run_for(3000);
  EXPECT_EQ(down(), (Numbers{2, 2, 2}));
  data(2);
  run_for(2);
  ack(3);
  EXPECT_EQ(up(), (Numbers{3}));
  EXPECT_EQ(retained(), 0u);
}

TEST_F(SnoopTest, NewSnoopTriesLongerEachTime) {
  measured(NewSnoop::Config{});
  data(2);
  run_for(29'000);
  const std::size_t tries = down().size();
  EXPECT_GE(tries, 9u);
  EXPECT_LE(tries, 16u);
  ack(3);
  EXPECT_EQ(up(), (Numbers{3}));
}

TEST_F(SnoopTest, AFloodOfDuplicatesSendsNoMoreThanOneInARoundTrip) {
  for (const AckConfig& config : {AckConfig(Snoop::Config{}), AckConfig(NewSnoop::Config{})}) {
    Bearer& bearer = add(kUe, keeping({config}));
    open();
    data(1);
    run_for(21);
    ack(2);
    data(2, 6);
    run_for(20);
    down();
    acks(2, 500);
    run_for(15);
    EXPECT_EQ(down(), (Numbers{2}));
    command(RemoveBearer{&bearer});
    look_away();
  }
}

TEST_F(SnoopTest, InAFullBufferNewSnoopMakesRoomWithItsNewest) {
  Bearer& bearer = measured(NewSnoop::Config{.places = Places::buffer}, 10);
  data(3, 12);
  run_for(20);
  EXPECT_EQ(down(), (Numbers{3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
  EXPECT_EQ(bearer.downlink.buffer().sdus(), 10u);
  data(13);
  EXPECT_EQ(dropped(DropReason::buffer_sdus), 1u);
  data(2);
  run_for(5);
  EXPECT_EQ(down(), (Numbers{2}));
  EXPECT_EQ(counted(AckEvent::let_go), 1u);
  EXPECT_EQ(retained(), 10u);
  ack(13);
  EXPECT_EQ(retained(), 0u);
}

TEST_F(SnoopTest, InAFullBufferSnoopSendsItOnWithoutKeepingIt) {
  Bearer& bearer = measured(Snoop::Config{.places = Places::buffer}, 10);
  data(3, 12);
  run_for(20);
  down();
  data(2);
  EXPECT_EQ(bearer.downlink.buffer().sdus(), 11u);
  run_for(5);
  EXPECT_EQ(down(), (Numbers{2}));
  EXPECT_EQ(counted(AckEvent::let_go), 0u);
  EXPECT_EQ(retained(), 10u);
}

TEST_F(SnoopTest, TheAwaitedSegmentPassesTheAqmUnlessOnlyTheLimitIsMeant) {
  for (const Awaited awaited : {Awaited::always, Awaited::limit}) {
    BearerSettings settings = keeping({Snoop::Config{.awaited = awaited, .places = Places::buffer}});
    settings.downlink.aqm = Red::Config{.minth = {2}, .maxth = {4}, .victim = RedSpec::DropFrom::arriving};
    Bearer& bearer = add(kUe, settings);
    open();
    data(1);
    run_for(21);
    ack(2);
    data(3, 6);
    run_for(20);
    down();
    const std::uint64_t before = dropped(DropReason::aqm);
    data(2);
    run_for(5);
    EXPECT_EQ(down().size(), awaited == Awaited::always ? 1u : 0u);
    EXPECT_EQ(dropped(DropReason::aqm), before + (awaited == Awaited::always ? 0 : 1));
    command(RemoveBearer{&bearer});
    look_away();
  }
}

TEST_F(SnoopTest, EachFlowKeepsItsPartAndTheRestGoesOnWithout) {
  add(kUe, keeping({Snoop::Config{.cache = 16}}));
  open();
  open({}, 40001);
  data(1, 12);
  data(1, 12, 40001);
  run_for(100);
  EXPECT_EQ(kept(), 16u + 4u - 4u);
  EXPECT_EQ(down().size(), 24u) << "nothing is dropped because of it";
}

}  // namespace
}  // namespace dp::test
