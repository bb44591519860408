#include "control/told/pfcp/peers.h"

#include <gtest/gtest.h>

namespace control::told::pfcp {
namespace {

Address peer_at(std::uint64_t n) { return {0, n, false}; }

dp::Time second(std::int64_t n) { return dp::time_ns(n * 1'000'000'000); }

TEST(PfcpPeers, LaterTimeStampSaysThatThePeerHasRestarted) {
  Peers peers(4);
  peers.add(peer_at(1));
  EXPECT_FALSE(peers.note(peer_at(1), 100, second(10))) << "the first";
  EXPECT_FALSE(peers.note(peer_at(1), 100, second(20))) << "the same";
  EXPECT_FALSE(peers.note(peer_at(1), 90, second(30))) << "overtaken";
  EXPECT_FALSE(peers.note(peer_at(1), 100, second(40))) << "the one before";
  EXPECT_TRUE(peers.note(peer_at(1), 101, second(50)));
  EXPECT_FALSE(peers.note(peer_at(1), 101, second(60)));
}

TEST(PfcpPeers, TimeStampsThatMoveWithTheClockSayNothing) {
  Peers peers(4);
  peers.add(peer_at(1));
  for (std::uint32_t n = 0; n < 100; n += 5) EXPECT_FALSE(peers.note(peer_at(1), 5000 + n, second(n))) << n;
  EXPECT_FALSE(peers.note(peer_at(1), 5096, second(96))) << "another message soon afterwards";
  EXPECT_TRUE(peers.note(peer_at(1), 5200, second(101))) << "further than the clock";
}

TEST(PfcpPeers, TimeStampThatStaysIsOfAStartHoweverItChangesThen) {
  Peers peers(4);
  peers.add(peer_at(1));
  peers.note(peer_at(1), 5000, second(0));
  peers.note(peer_at(1), 5000, second(10));
  EXPECT_TRUE(peers.note(peer_at(1), 5010, second(20)));
}

TEST(PfcpPeers, TimeStampsWrap) {
  Peers peers(4);
  peers.add(peer_at(1));
  peers.note(peer_at(1), 0xfffffff0, second(0));
  EXPECT_TRUE(peers.note(peer_at(1), 5, second(1)));
}

TEST(PfcpPeers, StrangerIsNotRemembered) {
  Peers peers(4);
  EXPECT_FALSE(peers.note(peer_at(1), 1, second(0)));
  EXPECT_FALSE(peers.note(peer_at(1), 2, second(9)));
  EXPECT_EQ(peers.size(), 0u);
}

TEST(PfcpPeers, OneThatWasHeardLeastLatelyMakesRoom) {
  Peers peers(2);
  peers.add(peer_at(1));
  peers.add(peer_at(2));
  peers.note(peer_at(1), 1, second(0));
  peers.add(peer_at(3));
  EXPECT_EQ(peers.size(), 2u);
  EXPECT_TRUE(peers.note(peer_at(1), 2, second(9))) << "kept";
  peers.note(peer_at(2), 1, second(0));
  EXPECT_FALSE(peers.note(peer_at(2), 2, second(9))) << "gone";
}

}  // namespace
}  // namespace control::told::pfcp
