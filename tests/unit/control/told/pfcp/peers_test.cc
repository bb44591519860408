#include "control/told/pfcp/peers.h"

#include <gtest/gtest.h>

namespace control::told::pfcp {
namespace {

Address peer_at(std::uint64_t n) { return {0, n, false}; }

TEST(PfcpPeers, LaterTimeStampSaysThatThePeerHasRestarted) {
  Peers peers(4);
  peers.add(peer_at(1));
  EXPECT_FALSE(peers.note(peer_at(1), 100)) << "the first";
  EXPECT_FALSE(peers.note(peer_at(1), 100)) << "the same";
  EXPECT_FALSE(peers.note(peer_at(1), 90)) << "overtaken";
  EXPECT_FALSE(peers.note(peer_at(1), 100)) << "the one before";
  EXPECT_TRUE(peers.note(peer_at(1), 101));
  EXPECT_FALSE(peers.note(peer_at(1), 101));
}

TEST(PfcpPeers, TimeStampsWrap) {
  Peers peers(4);
  peers.add(peer_at(1));
  peers.note(peer_at(1), 0xfffffff0);
  EXPECT_TRUE(peers.note(peer_at(1), 5));
}

TEST(PfcpPeers, StrangerIsNotRemembered) {
  Peers peers(4);
  EXPECT_FALSE(peers.note(peer_at(1), 1));
  EXPECT_FALSE(peers.note(peer_at(1), 2));
  EXPECT_EQ(peers.size(), 0u);
}

TEST(PfcpPeers, OneThatWasHeardLeastLatelyMakesRoom) {
  Peers peers(2);
  peers.add(peer_at(1));
  peers.add(peer_at(2));
  peers.note(peer_at(1), 1);
  peers.add(peer_at(3));
  EXPECT_EQ(peers.size(), 2u);
  EXPECT_TRUE(peers.note(peer_at(1), 2)) << "kept";
  peers.note(peer_at(2), 1);
  EXPECT_FALSE(peers.note(peer_at(2), 2)) << "gone";
}

}  // namespace
}  // namespace control::told::pfcp
