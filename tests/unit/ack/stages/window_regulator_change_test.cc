#include "tests/unit/ack/stages/window_bench.h"

namespace dp::test {
namespace {

TEST_F(WindowRegulatorTest, TimeInBlockIsNoSilence) {
  begin_slowly(20);
  at(610ms);
  acks(0, 6);
  advertised();
  at(650ms);
  command(SetMode{Mode::block});
  at(1'650ms);
  command(SetMode{Mode::inline_});
  at(1'689ms);
  EXPECT_EQ(advertised().size(), 0u);
  at(1'691ms);
  EXPECT_EQ(advertised().size(), 1u);
}

TEST_F(WindowRegulatorTest, AckThatLeavesBecauseTooManyAreHeldIsEditedLikeAnyOther) {
  BearerSettings settings = with(form(Form::ack_buffer));
  settings.uplink.ack.max_held = 2;
  add(kUe, settings);
  open();
  data(0, 20);
  at(55ms);
  acks(0, 5);
  EXPECT_EQ(advertised(), (Windows{{1'001, 10'000}, {2'001, 9'000}, {3'001, 8'000}}));
  EXPECT_EQ(counted(AckEvent::overflowed), 2u);
}

TEST_F(WindowRegulatorTest, AckThatLeavesBecauseAStageBeforeHoldsTooManyIsEditedToo) {
  BearerSettings settings = with(form(Form::dynamic));
  settings.uplink.ack.stages = 2;
  settings.uplink.ack.stage[1] = settings.uplink.ack.stage[0];
  settings.uplink.ack.stage[0] = AckRate::Config{.mode = AckRate::Mode::spacing, .maxd = 400ms};
  settings.uplink.ack.max_held = 2;
  add(kUe, settings);
  open();
  data(0, 20);
  at(55ms);
  acks(0, 5);
  at(56ms);
  const Windows all = advertised();
  ASSERT_GE(all.size(), 3u);
  for (const Advertised& one : all) EXPECT_EQ(one.number + one.window, 11'001u);
}

TEST_F(WindowRegulatorTest, AckThatCannotBeHeldForWantOfMemoryIsEdited) {
  add(kUe, with(form(Form::ack_buffer)));
  open();
  data(0, 20);
  at(55ms);
  acks(0, 3);
  EXPECT_EQ(held(), 2u);
  advertised();
  auto& context = const_cast<Context&>(worker->context());
  context.mbuf_cap = context.account.mbufs_held;
  acks(3, 1);
  EXPECT_EQ(advertised(), (Windows{{2'001, 9'000}, {3'001, 8'000}, {4'001, 7'000}}));
  EXPECT_EQ(held(), 0u);
}

TEST_F(WindowRegulatorTest, BypassSendsWhatIsStoredUnedited) {
  add(kUe, with(form(Form::ack_buffer)));
  open();
  data(0, 20);
  at(55ms);
  acks(0, 3);
  advertised();
  command(SetMode{Mode::bypass});
  wait(1ms);
  EXPECT_EQ(advertised(), (Windows{{2'001, 65'535}, {3'001, 65'535}}));
  command(SetMode{Mode::inline_});
  data(20, 5);
  wait(25ms);
  ack(21'001);
  EXPECT_EQ(advertised(), (Windows{{21'001, 3'001 + 65'535 - 21'001}}))
      << "and does not take back what they told";
}

TEST_F(WindowRegulatorTest, AnotherFormLetsGoOfWhatIsStored) {
  const BearerSettings one = with(form(Form::ack_buffer)), other = with(form(Form::dynamic));
  Bearer& bearer = add(kUe, one);
  open();
  data(0, 20);
  at(55ms);
  acks(0, 3);
  advertised();
  change(bearer, one, other);
  EXPECT_EQ(advertised(), (Windows{{2'001, 9'000}, {3'001, 8'000}}));
  EXPECT_EQ(held(), 0u);
}

TEST_F(WindowRegulatorTest, SmallerBufferTakesNothingBack) {
  const BearerSettings large = with(form(Form::static_, 20)), small = with(form(Form::static_, 3));
  Bearer& bearer = add(kUe, large);
  open();
  data(0, 20);
  at(55ms);
  acks(0, 2);
  change(bearer, large, small);
  acks(2, 2);
  EXPECT_EQ(edges(), (Edges{21'001, 22'001, 22'001, 22'001}));
}

TEST_F(WindowRegulatorTest, QueueThatAnAqmEmptiesLetsAcksGo) {
  BearerSettings settings = with(form(Form::ack_buffer));
  settings.downlink.aqm = Pdpc::Config{.maxth = Amount{3}};
  add(kUe, settings);
  open();
  data(0, 1);
  at(5ms);
  data(1, 1);
  at(12ms);  // both have started
  data(2, 1);
  ack(1'001), ack(1'501);
  EXPECT_EQ(held(), 1u);
  const std::uint64_t before = dropped(DropReason::aqm);
  for (std::uint32_t n = 3; dropped(DropReason::aqm) == before && n < 6; ++n) data(n);
  wait(1s);
  EXPECT_EQ(held(), 0u);
}

TEST_F(WindowRegulatorTest, RestsWhenTheFlowRests) {
  add(kUe, with(form(Form::ack_buffer)));
  open();
  data(0, 20);
  at(55ms);
  acks(0, 6);
  at(300ms);
  ack(20'001);
  EXPECT_EQ(held(), 0u);
  EXPECT_EQ(worker->next_deadline(), kNever);
}

}  // namespace
}  // namespace dp::test
