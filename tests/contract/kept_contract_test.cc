// An ACK stage or a split proxy that keeps a frame sends it on as the bearer's frames are now, and not
// as it came: behind other headers (dataplane/packet/outer_header.h), in smaller pieces. Its
// Io is the worker's own (dataplane/worker/io_frames.h).
#include <string>

#include "tests/support/ack_chains.h"
#include "tests/support/repair_bench.h"

namespace dp::test {
namespace {

constexpr Mac kOther{0x02, 0, 0, 0, 0, 0x77};
constexpr std::uint16_t kNarrow = 700;

class KeptContract : public RepairBench {
 protected:
  static BearerSettings split() {
    BearerSettings s = bearer_at(8'000'000, 128);
    s.proxy = SplitConfig{};
    return s;
  }
  // f(settings, name) for every chain that keeps segments, and for a split proxy; the bearer goes afterwards.
  template <class F>
  void for_each_keeper(F&& f) {
    const auto run = [&](const BearerSettings& settings, const std::string& name) {
      SCOPED_TRACE(name);
      Bearer& bearer = add(kUe, settings, 7);
      f(settings);
      command(RemoveBearer{&bearer});
      look_away();
    };
    for_each_chain([&](const std::vector<AckConfig>& stages, const std::string& name) {
      const BearerSettings settings = keeping(stages);
      // The toy sends again at random, and lets go.
      if (kept_segments(settings.uplink.ack) != 0 && name.find("meddler") == std::string::npos)
        run(settings, name);
    });
    run(split(), "split");
  }
  // Ten segments have left, of which the third does not arrive.
  void lose_one() {
    open(looks);
    data(1, 10);
    run_for(50);
    ack(3);
    run_for(5);
  }
  // Until the local timers have gone off as well.
  void miss_it() {
    for (int i = 0; i < 6; ++i) ack(3), run_for(10);
    run_for(3000);
  }

  // Frames that have left by a port since look_away(), from the Ethernet header on.
  std::vector<Buffer> frames(Side side) const {
    std::vector<Buffer> out;
    for (const auto& sent : io.sent) {
      if (sent.side == side) out.push_back(sent.bytes);
    }
    return out;
  }
  static std::uint32_t ip_bytes(const Buffer& frame) {
    TestFrame copy(frame, Side::core);
    parse(copy.sdu());
    return copy.sdu().ip_len;
  }
  // The header of a frame of the direction that came now.
  Buffer link_header(Side from) const {
    FrameSpec spec;
    (from == Side::core ? spec.eth_dst : spec.eth_src) = looks.next_hop;
    spec.vlans = looks.vlans;
    const TestFrame frame(spec, from);
    const Bytes head = const_cast<TestFrame&>(frame).sdu().head();
    return Buffer(head.begin(), head.begin() + static_cast<std::ptrdiff_t>(14 + 4 * looks.vlans.size()));
  }
  void expect_behind(Side side, const Buffer& header) const {
    for (const Buffer& frame : frames(side)) {
      EXPECT_TRUE(std::equal(header.begin(), header.end(), frame.begin())) << "behind a header of before";
    }
  }
};

TEST_F(KeptContract, WhatIsSentAgainLeavesBehindTheLinkHeaderOfTheLastFrameThatCame) {
  for (const bool tagged : {false, true}) {
    for_each_keeper([&](const BearerSettings&) {
      looks = {};
      if (tagged) looks.vlans = {{0x8100, 5}};
      lose_one();
      looks.next_hop = kOther;
      if (tagged) looks.vlans = {{0x8100, 6}};
      chatter(Side::core);
      run_for(20);
      look_away();
      miss_it();
      EXPECT_FALSE(down().empty()) << "nothing was sent again";
      expect_behind(Side::radio, link_header(Side::core));
    });
  }
}

// A kept frame has no room for a tag: a proxy copies it, and a stage leaves it to the source, whose repeat
// passes.
TEST_F(KeptContract, ATagMoreOrLessDoesNotKeepTheSegmentFromTheUe) {
  for (const bool tagged : {false, true}) {
    for_each_keeper([&](const BearerSettings& settings) {
      looks = {};
      if (tagged) looks.vlans = {{0x8100, 5}};
      lose_one();
      looks.vlans = tagged ? std::vector<VlanTag>{} : std::vector<VlanTag>{{0x8100, 6}};
      chatter(Side::core);
      run_for(20);
      look_away();
      miss_it();
      if (!settings.proxy) data(3), run_for(20);
      const auto again = down();
      EXPECT_TRUE(std::ranges::find(again, 3u) != again.end());
      expect_behind(Side::radio, link_header(Side::core));
    });
  }
}

TEST_F(KeptContract, AnAckThatWasHeldLeavesBehindTheLinkHeaderOfTheLastFrameThatCame) {
  std::uint64_t all_held = 0;
  for_each_chain([&](const std::vector<AckConfig>& stages, const std::string& name) {
    if (!any_holds(stages)) return;
    SCOPED_TRACE(name);
    looks = {};
    Bearer& bearer = add(kUe, keeping(stages, 400'000, 40), 7);
    open(looks);
    data(1, 30);
    run_for(300);
    for (std::uint32_t n = 2; n < 12; ++n) ack(n), run_for(25);
    looks.next_hop = kOther;
    chatter(Side::radio);
    const std::uint64_t held = worker->context().account.held;
    look_away();
    run_for(3000);
    EXPECT_GE(up().size(), held);
    all_held += held;
    expect_behind(Side::core, link_header(Side::radio));
    command(RemoveBearer{&bearer});
    look_away();
  });
  EXPECT_GT(all_held, 0u) << "else it shows nothing";
}

TEST_F(KeptContract, WhatIsTooBigForThePathIsNotSentAgainAndTheSourcesPiecesPass) {
  for_each_keeper([&](const BearerSettings& settings) {
    looks = {};
    lose_one();
    // The router quotes what it could not send on.
    std::optional<Buffer> lost;
    for (const Buffer& frame : frames(Side::radio)) {
      if (ip_bytes(frame) > kNarrow) lost = frame;
    }
    ASSERT_TRUE(lost);
    io.offer(Side::radio, TestFrame(too_big(Ip("10.45.0.9"), *lost, kNarrow), Side::radio));
    settle();
    run_for(1);
    look_away();
    miss_it();
    for (const Buffer& frame : frames(Side::radio)) EXPECT_LE(ip_bytes(frame), kNarrow);
    if (settings.proxy) {
      EXPECT_FALSE(frames(Side::radio).empty());
      return;
    }
    look_away();
    piece(3, 0, 500), piece(3, 500, 500);
    run_for(20);
    EXPECT_EQ(frames(Side::radio).size(), 2u);
    ack(4);
    run_for(5);
    EXPECT_EQ(up().back(), 4u);
  });
}

TEST_F(KeptContract, ASourcesRepeatInOtherPiecesPassesAndTakesThePlaceOfWhatIsKept) {
  for_each_keeper([&](const BearerSettings& settings) {
    if (settings.proxy) return;  // it cuts what it sends by itself
    looks = {};
    lose_one();
    look_away();
    for (const std::uint32_t n : {3u, 5u}) {
      piece(n, 0, 400), piece(n, 400, 600);
      run_for(20);
      EXPECT_EQ(frames(Side::radio).size(), 2u) << "of segment " << n;
      look_away();
    }
    miss_it();
    for (const Buffer& frame : frames(Side::radio)) EXPECT_NE(ip_bytes(frame), 1040u) << "the old third";
  });
}

}  // namespace
}  // namespace dp::test
