#include "tests/unit/ack/stages/window_bench.h"

namespace dp::test {
namespace {

TEST_F(WindowRegulatorTest, StaticFormTellsTheBuffer) {
  add(kUe, with(form(Form::static_)));
  open();
  data(0, 10);
  at(35ms);
  acks(0, 3);
  EXPECT_EQ(advertised(), (Windows{{1'001, 5'000}, {2'001, 5'000}, {3'001, 5'000}}));
  EXPECT_EQ(counted(AckEvent::edited), 4u) << "with the handshake's";
}

TEST_F(WindowRegulatorTest, DynamicFormTellsTheBufferAndWhatIsInThePipe) {
  add(kUe, with(form(Form::dynamic)));
  open();
  data(0, 10);
  at(35ms);  // four have started
  acks(0, 2);
  EXPECT_EQ(advertised(), (Windows{{1'001, 8'000}, {2'001, 7'000}}));
  at(45ms);
  acks(2, 1);
  EXPECT_EQ(advertised(), (Windows{{3'001, 7'000}}));
}

TEST_F(WindowRegulatorTest, UesOwnWindowStaysWhereItIsSmaller) {
  add(kUe, with(form(Form::ack_buffer)));
  open();
  data(0, 10);
  at(35ms);
  ack(1'001, 3'000);
  ack(2'001, 3'000);
  ack(3'001, 3'000);
  EXPECT_EQ(advertised(), (Windows{{1'001, 3'000}, {2'001, 3'000}, {3'001, 3'000}}));
  EXPECT_EQ(held(), 0u) << "none would take window back";
}

// The link is idle at each ACK, so that each leaves with the window that was advertised last.
TEST_F(WindowRegulatorTest, WindowThatTheUeHadClosedOpensAgainThoughTheLinkIsIdle) {
  add(kUe, with(form(Form::ack_buffer)));
  open();
  data(0);
  at(20ms);
  ack(1'001, 200);
  EXPECT_EQ(advertised(), (Windows{{1'001, 200}}));
  data(1);
  at(40ms);
  ack(2'001);
  EXPECT_EQ(advertised(), (Windows{{2'001, 5'000}}));
}

TEST_F(WindowRegulatorTest, WindowsOfSynsAreNeitherReadAsScaledNorTouched) {
  add(kUe, with(form(Form::static_)));
  up({.seq = 100, .ack = 0, .tcp_flags = 2, .window = 60'000, .tcp_options = syn_options(7)});
  down({.seq = 0, .ack = 101, .tcp_flags = 0x12, .tcp_options = syn_options(0), .payload = 0});
  wait(1ms);
  ack(1);
  EXPECT_EQ(advertised(), (Windows{{0, 60'000}, {1, 469}})) << "60000 bytes were told, in units of 128";
}

TEST_F(WindowRegulatorTest, FlowWhoseHandshakeWasNotSeenIsLeftAlone) {
  add(kUe, with(form(Form::ack_buffer)));
  began = clock.now();
  data(0, 10);
  at(55ms);
  acks(0, 6);
  ack(6'001);
  EXPECT_EQ(advertised(), (Windows{{1'001, 65'535},
                                   {2'001, 65'535},
                                   {3'001, 65'535},
                                   {4'001, 65'535},
                                   {5'001, 65'535},
                                   {6'001, 65'535},
                                   {6'001, 65'535}}));
  EXPECT_EQ(counted(AckEvent::edited) + counted(AckEvent::held), 0u);
}

TEST_F(WindowRegulatorTest, DataAndFinOfTheUeCarryTheWindowToo) {
  add(kUe, with(form(Form::dynamic)));
  open();
  data(0, 10);
  at(35ms);
  ack(1'001, 65'535, 500);
  up({.seq = 601, .ack = 2'001, .tcp_flags = 0x11, .payload = 0});
  EXPECT_EQ(advertised(), (Windows{{1'001, 8'000}, {2'001, 7'000}}));
}

}  // namespace
}  // namespace dp::test
