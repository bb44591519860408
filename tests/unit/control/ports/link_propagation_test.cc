// The interface of one port when the other's has lost its carrier, and the mark that rncd leaves on it.
#include "control/ports/link_propagation.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <net/if.h>
#include <unistd.h>

#include "control/host/taken_link.h"

namespace control {
namespace {

using dp::Side;
using std::chrono::milliseconds;
using std::chrono::seconds;
using Do = LinkStep::Do;

class LinkPropagationTest : public ::testing::Test {
 protected:
  LinkPropagationTest() { later(seconds(0)); }

  void later(std::chrono::nanoseconds by) {
    now += by;
    propagation.see(ends, now);
  }
  void lose(Side side) {
    end(side).passes = end(side).carrier = false;
    later(seconds(0));
  }
  void find(Side side) {
    end(side).passes = end(side).carrier = end(side).up = true;
    later(seconds(0));
  }
  LinkEnd& end(Side side) { return ends[dp::index(side)]; }
  LinkStep step() const { return propagation.next(wanted, ends, now); }
  void expect(Do what, Side side) const {
    EXPECT_EQ(step().what, what);
    EXPECT_EQ(step().side, side);
  }
  void expect_nothing_before(std::chrono::nanoseconds wait) const {
    EXPECT_EQ(step().what, Do::nothing);
    EXPECT_EQ(step().again, now + wait);
  }
  // The step is done, and seen.
  void take(Side side) {
    expect(Do::take_down, side);
    propagation.took(side, end(side).index, now);
    end(side).passes = end(side).carrier = end(side).up = false;
    later(seconds(0));
  }
  void give_back(Side side, bool carrier = true) {
    expect(Do::bring_up, side);
    propagation.gave_back(now);
    end(side).up = true;
    end(side).passes = end(side).carrier = carrier;
    later(seconds(0));
  }

  LinkPropagation::Time now{seconds(1000)};
  LinkPropagation::Ends ends{LinkEnd{true, true, true, true, 7}, LinkEnd{true, true, true, true, 8}};
  LinkPropagation propagation{now};
  bool wanted = true;
};

TEST_F(LinkPropagationTest, ALostCarrierTakesTheOtherSideDownAtOnceAndASecondOfItBringsThatUp) {
  EXPECT_EQ(step().what, Do::nothing);
  for (const Side cause : dp::kSides) {
    lose(cause);
    take(opposite(cause));
    EXPECT_EQ(step().what, Do::nothing);
    later(seconds(100));
    find(cause);
    expect_nothing_before(seconds(1));
    later(milliseconds(999));
    EXPECT_EQ(step().what, Do::nothing);
    later(milliseconds(1));
    give_back(opposite(cause));
    later(seconds(100));
    EXPECT_EQ(step().what, Do::nothing);
  }
}

TEST_F(LinkPropagationTest, WhatWasTakenDownIsNoReasonForTheOther) {
  lose(Side::core);
  take(Side::radio);
  find(Side::core);
  for (int i = 0; i < 5; ++i) {
    EXPECT_NE(step().what, Do::take_down);
    later(milliseconds(199));
  }
}

TEST_F(LinkPropagationTest, NothingIsTakenDownUnlessAskedFor) {
  wanted = false;
  lose(Side::core);
  EXPECT_EQ(step().what, Do::nothing);
}

TEST_F(LinkPropagationTest, TurnedOffItBringsUpWhatItTook) {
  lose(Side::core);
  take(Side::radio);
  wanted = false;
  expect_nothing_before(seconds(1));
  later(seconds(1));
  give_back(Side::radio);
  EXPECT_EQ(step().what, Do::nothing);
}

TEST_F(LinkPropagationTest, APortWithoutAKernelInterfaceNeitherTakesNorIsTaken) {
  end(Side::radio) = {};
  end(Side::radio).passes = end(Side::radio).carrier = true;
  lose(Side::core);
  EXPECT_EQ(step().what, Do::nothing);
  find(Side::core);
  lose(Side::radio);
  EXPECT_EQ(step().what, Do::nothing);
}

TEST_F(LinkPropagationTest, WhereBothHaveLostTheirsNeitherIsTaken) {
  end(Side::core).passes = end(Side::core).carrier = false;
  lose(Side::radio);
  EXPECT_EQ(step().what, Do::nothing);
  find(Side::radio);
  take(Side::radio);
}

TEST_F(LinkPropagationTest, AFlappingCarrierChangesTheOtherOnceASecondAtMost) {
  later(seconds(10));
  unsigned changes = 0;
  LinkPropagation::Time last{};
  for (int i = 0; i < 1000; ++i) {
    const bool on = i / 12 % 2 != 0;  // 1.2 s each
    end(Side::core).passes = end(Side::core).carrier = on && i % 3 != 0;
    if (i % 200 > 100) end(Side::core).carrier = on;
    later(milliseconds(100));
    const LinkStep found = step();
    if (found.what == Do::nothing) continue;
    ++changes;
    EXPECT_EQ(found.side, Side::radio);
    EXPECT_GE(now - last, seconds(1));
    last = now;
    found.what == Do::take_down ? take(Side::radio) : give_back(Side::radio);
  }
  EXPECT_GT(changes, 10u);
}

TEST_F(LinkPropagationTest, WhatWasBroughtUpHasTimeToFindItsCarrier) {
  lose(Side::core);
  take(Side::radio);
  find(Side::core);
  later(seconds(1));
  give_back(Side::radio, false);
  expect_nothing_before(seconds(10));
  later(seconds(10));
  take(Side::core);
  find(Side::radio);
  later(seconds(1));
  give_back(Side::core);
}

TEST_F(LinkPropagationTest, AnInterfaceHasTimeToFindItsCarrierAtTheStart) {
  LinkPropagation fresh(now);
  end(Side::core).passes = end(Side::core).carrier = false;
  fresh.see(ends, now);
  EXPECT_EQ(fresh.next(true, ends, now).again, now + seconds(10));
  EXPECT_EQ(fresh.next(true, ends, now + seconds(10)).what, Do::take_down);
}

TEST_F(LinkPropagationTest, WhatSomebodyElseBroughtUpOrDeletedIsNotHeldAnyLonger) {
  lose(Side::core);
  take(Side::radio);
  later(seconds(1));
  end(Side::radio).up = end(Side::radio).carrier = end(Side::radio).passes = true;
  later(seconds(0));
  give_back(Side::radio);
  expect_nothing_before(seconds(1));  // and it is taken down again
  later(seconds(1));
  take(Side::radio);
  later(seconds(1));
  end(Side::radio).index = 0;
  expect(Do::bring_up, Side::radio);
}

TEST_F(LinkPropagationTest, WhatWasTriedInVainIsTriedAgainInASecond) {
  lose(Side::core);
  expect(Do::take_down, Side::radio);
  propagation.tried(Side::radio, now);
  expect_nothing_before(seconds(1));
  later(seconds(1));
  take(Side::radio);
}

TEST(LinkEnd, ATapThatIsOutOfSightHasItsCarrier) {
  PortView view;
  view.watched = true;
  EXPECT_TRUE(link_end(view).carrier && link_end(view).index == 0);
  view.state = PortState::gone;
  EXPECT_FALSE(link_end(view).carrier);
  view.state = PortState::program_foreign;
  view.link.index = 7;
  view.link.up = view.link.carrier = true;
  EXPECT_TRUE(link_end(view).carrier) << "frames do not pass, but the interface is connected";
  EXPECT_FALSE(link_end(view).passes);
}

class TakenLinkTest : public ::testing::Test {
 protected:
  TakenLinkTest() { std::filesystem::create_directory(folder); }
  ~TakenLinkTest() override { std::filesystem::remove_all(folder); }
  bool marked() const { return std::filesystem::exists(socket + ".links"); }

  const std::string folder = ::testing::TempDir() + "taken_link." + std::to_string(::getpid());
  const std::string socket = folder + "/rncd.sock";
  const unsigned stranger = 0x7ffffff0;
};

TEST_F(TakenLinkTest, AnInterfaceThatIsNotThereIsAnErrorAndLeavesNoMark) {
  TakenLink link(socket);
  const auto done = link.take(stranger);
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().message.find("could not be taken down"), std::string::npos) << done.error().message;
  EXPECT_EQ(link.index(), 0u);
  EXPECT_FALSE(marked());
}

TEST_F(TakenLinkTest, WhereNoMarkCanBeWrittenNothingIsTaken) {
  TakenLink link("/proc/no/such/place");
  const auto done = link.take(stranger);
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().message.find("/proc/no/such/place.links.new: open: No such file"),
            std::string::npos);
}

TEST_F(TakenLinkTest, AMarkOfAnotherBootOrNamespaceMeansNothing) {
  for (const std::string text : {"1 0:0 0123-beef\n", ""}) {
    std::ofstream(socket + ".links") << text;
    TakenLink link(socket);
    link.find();
    EXPECT_EQ(link.index(), 0u) << text;
    EXPECT_FALSE(marked()) << text;
  }
}

TEST_F(TakenLinkTest, AFileThatIsNoMarkIsLeftAlone) {
  std::ofstream(socket + ".links") << "garbage";
  TakenLink link(socket);
  link.find();
  EXPECT_EQ(link.index(), 0u);
  EXPECT_FALSE(link.take(stranger));
  EXPECT_TRUE(marked());
}

}  // namespace
}  // namespace control
