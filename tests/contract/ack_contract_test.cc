// Rules for every ACK stage of the list (dataplane/ack/stage.h), and for chains of several.
#include <algorithm>
#include <set>

#include "dataplane/ack/engines.h"
#include "dataplane/base/fields.h"
#include "tests/support/ack_bench.h"
#include "tests/support/ack_chains.h"
#include "tests/support/types.h"

namespace dp::test {
namespace {

using std::chrono::milliseconds, std::chrono::seconds;

template <class S>
class AckContract : public AckBench {
 protected:
  static std::vector<AckConfig> alone() { return {typename S::Config{}}; }
  // Segments that the toy keeps take room in the buffer, so that more is lost there; and a source without
  // fast retransmit takes a second for each loss.
  static std::uint32_t least(std::uint32_t segments) {
    return KeepsSegments<typename S::Config> ? segments / 3 : segments;
  }
};
TYPED_TEST_SUITE(AckContract, Types<AckEngines>::Type);

using AckChains = AckBench;

TYPED_TEST(AckContract, HasANameOfItsOwnAndSaysWhatItDoesAndWhatItSurvives) {
  const std::set<std::string_view> names(AckList::kNames.begin(), AckList::kNames.end());
  EXPECT_EQ(names.size(), AckList::kSize);
  for (const std::string_view text : {TypeParam::kDoc, TypeParam::kBypass, TypeParam::kAsymmetric}) {
    EXPECT_FALSE(text.empty());
  }
  for_each_field<typename TypeParam::Config>([](const auto& field) {
    const typename TypeParam::Config config;
    EXPECT_LE(field.min, config.*field.member) << field.name;
    EXPECT_GE(field.max, config.*field.member) << field.name;
    EXPECT_FALSE(field.doc.empty()) << field.name;
  });
}

TYPED_TEST(AckContract, HoldsAcksUnderLoadAndLetsEachGoInOrder) {
  this->add(this->kUe, this->shaped(this->alone()));
  this->open(3);
  this->run_for(seconds{20});
  EXPECT_GT(this->progress(), this->least(1500)) << "of 2400 segments that the link carries";
  EXPECT_EQ(this->template counted<TypeParam>(AckEvent::held) > 0, TypeParam::kHoldsAcks);
  this->expect_all_left();
  EXPECT_EQ(this->template counted<TypeParam>(AckEvent::held),
            this->template counted<TypeParam>(AckEvent::released));
  EXPECT_EQ(this->shared->classes[0].acks.held.get(), 0u);
}

TYPED_TEST(AckContract, KeepsOrderOverALossyAir) {
  this->add(this->kUe, this->over_air(this->alone()));
  this->open(3);
  this->run_for(seconds{20});
  EXPECT_GT(this->progress(), 200u) << "of 600 segments that the air carries";
  this->expect_all_left();
}

TYPED_TEST(AckContract, HoldsNothingOfAnIdleBearer) {
  this->add(this->kUe, this->shaped(this->alone(), 100'000'000));
  this->open(3);
  for (auto& peer : this->peers) peer->window = 1;
  this->run_for(seconds{5});
  EXPECT_GT(this->progress(), this->least(500));
  this->stop();
  this->run_for(seconds{60});
  EXPECT_EQ(this->held(), 0u);
  EXPECT_EQ(this->worker->next_deadline(), kNever);
}

TYPED_TEST(AckContract, DoesTheSameAgainFromTheSameSeed) {
  std::vector<std::vector<std::int64_t>> runs;
  for (int i = 0; i < 2; ++i) {
    this->begin_anew();
    Bearer& bearer = this->add(this->kUe, this->shaped(this->alone()), 5);
    this->open(3);
    this->run_for(seconds{5});
    runs.push_back(this->trace);
    this->command(RemoveBearer{&bearer});
  }
  EXPECT_GT(runs[0].size(), 1000u);
  const auto [one, other] = std::ranges::mismatch(runs[0], runs[1]);
  EXPECT_TRUE(one == runs[0].end() && other == runs[1].end())
      << "from number " << one - runs[0].begin() << " of " << runs[0].size();
}

TYPED_TEST(AckContract, WorksOnIpv6) {
  this->add(*parse_ue("2001:db8:45::/64"), this->shaped(this->alone()));
  this->open(3, "2001:db8:45::2", "2001:db8:ffff::1");
  this->run_for(seconds{10});
  EXPECT_GT(this->progress(), this->least(700));
  EXPECT_EQ(this->template counted<TypeParam>(AckEvent::held) > 0, TypeParam::kHoldsAcks);
  this->expect_all_left();
}

TYPED_TEST(AckContract, LetsTheOldestGoWhenItHoldsTooMany) {
  BearerSettings settings = this->shaped(this->alone());
  settings.uplink.ack.max_held = 1;
  this->add(this->kUe, settings);
  this->open(3);
  this->run_for(seconds{10});
  EXPECT_EQ(this->most_held, TypeParam::kHoldsAcks ? 1u : 0u);
  EXPECT_EQ(this->template counted<TypeParam>(AckEvent::overflowed) > 0, TypeParam::kHoldsAcks);
  this->expect_all_left();
}

TYPED_TEST(AckContract, SendsOnInOrderWhatThePoolHasNoRoomFor) {
  this->begin_anew({.max_bearers = 4, .mbuf_cap = 25});
  this->add(this->kUe, this->shaped(this->alone()));
  this->open(3);
  this->run_for(seconds{10});
  // A segment that is being retransmitted beside those that are kept may be one more.
  EXPECT_LE(this->worker->context().account.mbufs_held, 26u);
  EXPECT_GT(this->dropped(DropReason::pool), 0u) << "data, not ACKs";
  EXPECT_GT(this->progress(), this->least(300));
  this->expect_all_left();
}

// Flows whose data came another way: the source's segments are not offered, the UE acknowledges them all the
// same.
TYPED_TEST(AckContract, LeavesFlowsAloneWhoseDataComeAnotherWay) {
  this->add(this->kUe, this->shaped(this->alone()));
  this->open(1);
  auto& peer = *this->peers.front();
  peer.stopped = true;
  for (peer.wanted = 30; peer.wanted < 200; ++peer.wanted) {
    this->say(peer, {});
    this->run_for(2 * this->kTick);
    if (peer.wanted > 150) {
      EXPECT_EQ(this->held(), 0u);
    }
  }
  EXPECT_GE(this->template counted<TypeParam>(AckEvent::stood_aside), 50u) << "once a second has passed";
  this->run_for(seconds{1});
}

TYPED_TEST(AckContract, EndsAndResetsOfOneFlowTakeItsAcksAlongAndLeaveTheOthersAlone) {
  for (const std::uint8_t flags : {TcpView::kFin, TcpView::kRst}) {
    for (const bool from_ue : {true, false}) {
      SCOPED_TRACE(std::string(flags == TcpView::kFin ? "FIN" : "RST") + (from_ue ? " up" : " down"));
      this->begin_anew();
      Bearer& bearer = this->add(this->kUe, this->shaped(this->alone()));
      this->open(2);
      this->run_for(seconds{3});
      auto& peer = *this->peers.front();
      peer.stopped = true;
      if (from_ue) {
        this->say(peer, {.tcp_flags = static_cast<std::uint8_t>(flags | TcpView::kAck)});
        this->settle();
      } else {
        this->io.offer(Side::core, {.dst = "10.45.0.2",
                                    .sport = 80,
                                    .dport = peer.port,
                                    .seq = peer.seq_of(peer.next),
                                    .ack = peer.ue_next,
                                    .tcp_flags = static_cast<std::uint8_t>(flags | TcpView::kAck),
                                    .payload = 0});
      }
      const std::uint32_t before = this->peers.back()->acked;
      this->run_for(seconds{3});
      if (flags == TcpView::kRst || from_ue) {
        // But for what stages have kept from the source.
        EXPECT_GE(peer.left + this->dropped(DropReason::ack_suppressed), peer.said.size());
      }
      EXPECT_GT(this->peers.back()->acked, before + this->least(200));
      this->expect_all_left();
      this->command(RemoveBearer{&bearer});
    }
  }
}

TYPED_TEST(AckContract, ASynThatUsesAPortAgainComesBehindWhatWasHeld) {
  Bearer& bearer = this->add(this->kUe, this->shaped(this->alone()));
  this->open(2);
  this->run_for(seconds{3});
  for (auto& peer : this->peers) {
    const auto waits = [&] {
      std::uint32_t held = 0;
      bearer.acks->flows().for_each([&](Flow& f) { held += f.key.ue_port == peer->port ? f.held : 0; });
      return held > 0;
    };
    for (int i = 0; i < 1000 && !waits() && TypeParam::kHoldsAcks; ++i) this->run_for(this->kTick);
    EXPECT_EQ(waits(), TypeParam::kHoldsAcks);
    peer->stopped = true;
    peer->isn += 0x40000000;
    peer->ue_next = 0x5000'0001;
    peer->next = peer->acked = peer->wanted = 0;
    peer->early.clear();
    const std::size_t syn = peer->said.size();
    this->shake_hands(*peer);
    EXPECT_GT(peer->left, syn) << "it has left, and so has what was held of the old connection";
    peer->stopped = false;
    peer->edge = 20;
  }
  EXPECT_EQ(bearer.acks->flows().size(), 2u);
  const std::uint32_t before = this->progress();
  this->run_for(seconds{5});
  EXPECT_GT(this->progress(), before + 300);
  this->expect_all_left();
}

TYPED_TEST(AckContract, AFloodOfSynsCostsItsBearerNoMoreThanItsTable) {
  BearerSettings settings = this->shaped(this->alone(), 2'000'000);
  settings.uplink.ack.flows.flows = 8;
  Bearer& bearer = this->add(this->kUe, settings);
  this->open(2);
  this->run_for(seconds{2});
  const std::uint32_t before = this->progress();
  for (std::uint16_t i = 0; i < 2000; ++i) {
    for (const Side side : {Side::radio, Side::core}) {
      const bool up = side == Side::radio;
      const auto port = static_cast<std::uint16_t>(1000 + i);
      this->io.offer(side, {.src = up ? "10.45.0.2" : "192.0.2.9",
                            .dst = up ? "192.0.2.9" : "10.45.0.2",
                            .sport = port,
                            .dport = port,
                            .tcp_flags = TcpView::kSyn,
                            .tcp_options = bytes({1, 1, 8, 10, 0, 0, 0, 0, 0, 0, 0, 0}),
                            .payload = 0});
    }
    if (i % 10 == 0) this->run_for(this->kTick);
  }
  this->run_for(seconds{5});
  EXPECT_LE(bearer.acks->flows().size(), 8u);
  EXPECT_GT(this->progress(), before + 250) << "those that were there are served";
  this->expect_all_left();
}

// Live flows in a chain of stages, whatever their order.
TEST_F(AckChains, KeepOrderAndLoseNothing) {
  for_chains([&](const std::vector<AckConfig>& stages, const std::string& name) {
    SCOPED_TRACE(name);
    begin_anew();
    Bearer& bearer = add(kUe, shaped(stages));
    open(3);
    run_for(seconds{10});
    EXPECT_GT(progress(), 600u);
    expect_all_left();
    command(RemoveBearer{&bearer});
  });
}

TEST_F(AckChains, KeepOrderAndLoseNothingWhenTheyHoldTooMany) {
  for_chains([&](const std::vector<AckConfig>& stages, const std::string& name) {
    SCOPED_TRACE(name);
    begin_anew();
    BearerSettings settings = shaped(stages);
    settings.uplink.ack.max_held = 2;
    Bearer& bearer = add(kUe, settings);
    open(3);
    run_for(seconds{10});
    EXPECT_EQ(most_held, any_holds(stages) ? 2u : 0u);
    EXPECT_GT(progress(), kept_segments(settings.uplink.ack) == 0 ? 600u : 400u);
    expect_all_left();
    command(RemoveBearer{&bearer});
  });
}

}  // namespace
}  // namespace dp::test
