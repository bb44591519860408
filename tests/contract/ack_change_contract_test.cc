// Rules for every ACK stage of the list when it is changed, swapped or stopped under live flows.
#include "dataplane/ack/engines.h"
#include "dataplane/base/fields.h"
#include "tests/support/ack_bench.h"
#include "tests/support/ack_chains.h"
#include "tests/support/runs.h"
#include "tests/support/types.h"

namespace dp::test {
namespace {

using std::chrono::milliseconds, std::chrono::seconds;

// Time in which flows reach their pace. Where runs are divided (runs.h), a third of it.
Duration settling(Duration whole) { return whole / (3 / runs_of(3)); }

class AckChangeBench : public AckBench {
 protected:
  // Live flows, of which the stages hold ACKs.
  Bearer& begin(const BearerSettings& settings, Duration time = seconds{2}) {
    begin_anew();
    Bearer& bearer = add(kUe, settings);
    open(3);
    run_for(time);
    const bool holds = any_holds(settings.uplink.ack);
    for (int i = 0; i < 1000 && held() == 0 && holds; ++i) run_for(kTick);
    EXPECT_EQ(held() > 0, holds);
    return bearer;
  }
  // Sources receive ACKs of more than `segments` new segments within three seconds.
  void expect_life(std::uint32_t segments = 100) {
    const std::uint32_t wanted = progress() + segments;
    for (const Time end = clock.now() + seconds{3}; clock.now() < end && progress() <= wanted;)
      run_for(kTick);
    EXPECT_GT(progress(), wanted) << "no stall";
  }
  void end(Bearer& bearer) {
    expect_all_left();
    command(RemoveBearer{&bearer});
  }

  // The table's knowledge of the flows: all of it must outlive a change of the stages.
  struct Known {
    std::uint8_t shift;
    bool scale_known, sack;
    Offset acked, arrived;
    friend bool operator==(const Known&, const Known&) = default;
  };
  static std::vector<Known> known(Bearer& bearer) {
    std::vector<Known> all;
    bearer.acks->flows().for_each([&](Flow& f) {
      all.push_back({f.shift(), f.scale_known(), f.syn[1].sack, f.acked, f.arrived});
    });
    return all;
  }
};

template <class S>
class AckChangeContract : public AckChangeBench {
 protected:
  static std::vector<AckConfig> alone() { return {typename S::Config{}}; }
};
TYPED_TEST_SUITE(AckChangeContract, Types<AckEngines>::Type);

TYPED_TEST(AckChangeContract, ALeftInlineModeSendsWhatIsHeldAtOnceInOrder) {
  for (const Mode mode : {Mode::bypass, Mode::tap}) {
    Bearer& bearer = this->begin(this->shaped(this->alone()), seconds{2} / 3);
    this->command(SetMode{mode});
    EXPECT_EQ(this->held(), 0u);
    // Each flow moves by about a window, which the table does not see.
    this->expect_life(1500);
    EXPECT_EQ(this->held(), 0u);
    this->command(SetMode{Mode::inline_});
    this->most_held = 0;
    this->expect_life();
    EXPECT_EQ(this->most_held > 0, any_holds(this->alone()));
    this->end(bearer);
  }
}

TYPED_TEST(AckChangeContract, ModesInTurnEvery100MillisecondsStallNothing) {
  Bearer& bearer = this->begin(this->shaped(this->alone()));
  for (std::uint32_t i = 0; i < std::max(10u, runs_of(100)); ++i) {
    this->command(SetMode{i % 2 == 0 ? Mode::bypass : Mode::inline_});
    this->run_for(milliseconds{100});
  }
  this->expect_life();
  this->end(bearer);
}

TYPED_TEST(AckChangeContract, BlockKeepsWhatIsHeldAndTheTimeItHasLeft) {
  Bearer& bearer = this->begin(this->shaped(this->alone()));
  const std::uint64_t held = this->held();
  const Duration left = this->worker->next_deadline() - this->clock.now();
  this->command(SetMode{Mode::block});
  this->run_for(seconds{10});
  EXPECT_EQ(this->held(), held);
  this->command(SetMode{Mode::inline_});
  EXPECT_EQ(this->worker->next_deadline() - this->clock.now(), left);
  this->expect_life();
  this->end(bearer);
}

TYPED_TEST(AckChangeContract, BlockThenBypassLosesOnlyWithAReason) {
  Bearer& bearer = this->begin(this->shaped(this->alone()));
  this->command(SetMode{Mode::block});
  this->run_for(seconds{1});
  this->command(SetMode{Mode::bypass});
  EXPECT_EQ(this->held(), 0u);
  this->run_for(seconds{1});
  this->command(SetMode{Mode::inline_});
  this->expect_life();
  this->end(bearer);
}

TYPED_TEST(AckChangeContract, ARemovedBearerTakesNoAckWithIt) {
  Bearer& bearer = this->begin(this->shaped(this->alone()));
  this->command(RemoveBearer{&bearer});
  EXPECT_EQ(this->held(), 0u);
  EXPECT_EQ(this->shared->classes[0].acks.held.get(), 0u);
  EXPECT_EQ(this->shared->classes[0].acks.flows.get(), 0u);
  this->expect_all_left(seconds{2});
}

TYPED_TEST(AckChangeContract, ChangesEachParameterInPlaceAndBackWhileItHolds) {
  for_each_field<typename TypeParam::Config>([&](const auto& field) {
    for (auto value : {field.min, field.max}) {
      SCOPED_TRACE(field.name);
      typename TypeParam::Config config;
      config.*field.member = value;
      const BearerSettings before = this->shaped(this->alone()), after = this->shaped({config});
      Bearer& bearer = this->begin(before, settling(seconds{2}));
      const AckChain* const chain = bearer.acks;
      this->change(bearer, before, after);
      // Room for more or fewer segments takes another chain, which goes on with the flows.
      EXPECT_EQ(bearer.acks == chain, kept_segments(before.uplink.ack) == kept_segments(after.uplink.ack));
      this->run_for(settling(seconds{2}));
      this->change(bearer, after, before);
      this->expect_life();
      this->end(bearer);
    }
  });
}

TYPED_TEST(AckChangeContract, BeginsWithEachParameterAtItsLimits) {
  for_each_field<typename TypeParam::Config>([&](const auto& field) {
    for (auto value : {field.min, field.max}) {
      SCOPED_TRACE(field.name);
      typename TypeParam::Config config;
      config.*field.member = value;
      this->begin_anew();
      const BearerSettings settings = this->shaped({config});
      Bearer& bearer = this->add(this->kUe, settings);
      this->open(3);
      this->run_for(settling(seconds{3}));
      this->change(bearer, settings, this->shaped(this->alone()));
      this->expect_life();
      this->end(bearer);
    }
  });
}

TYPED_TEST(AckChangeContract, GivesLiveFlowsToEachOtherChainAndTakesThemBack) {
  for_chains([&](const std::vector<AckConfig>& other, const std::string& name) {
    SCOPED_TRACE(name);
    const BearerSettings before = this->shaped(this->alone()), after = this->shaped(other);
    Bearer& bearer = this->begin(before, settling(seconds{2}));
    for (const auto& [was, to] : {std::pair(before, after), std::pair(after, before)}) {
      const auto knowledge = this->known(bearer);
      this->change(bearer, was, to);
      EXPECT_EQ(this->known(bearer), knowledge);
      EXPECT_EQ(this->shared->classes[0].acks.flows.get(), 3u);
      this->expect_life();
    }
    this->end(bearer);
  });
}

TYPED_TEST(AckChangeContract, IsTakenOffAndPutOnAgainUnderLiveFlows) {
  const BearerSettings with = this->shaped(this->alone()), without = this->shaped({});
  Bearer& bearer = this->begin(with);
  for (int i = 0; i < 20; ++i) {
    this->change(bearer, with, without);
    EXPECT_EQ(this->held(), 0u);
    EXPECT_EQ(bearer.acks, nullptr);
    this->run_for(milliseconds{100});
    this->change(bearer, without, with);
    this->run_for(milliseconds{100});
  }
  this->expect_life();
  this->end(bearer);
}

TYPED_TEST(AckChangeContract, ALowerBoundOnWhatIsHeldHoldsAtOnce) {
  const BearerSettings before = this->shaped(this->alone());
  BearerSettings after = before;
  after.uplink.ack.max_held = 1;
  Bearer& bearer = this->begin(before);
  this->change(bearer, before, after);
  EXPECT_LE(this->held(), 1u);
  this->expect_life();
  this->end(bearer);
}

TYPED_TEST(AckChangeContract, AnotherLinkUnderLiveFlowsKeepsTheirOrder) {
  const BearerSettings before = this->shaped(this->alone()), after = this->over_air(this->alone());
  Bearer& bearer = this->begin(before);
  this->change(bearer, before, after);
  this->expect_life(20);
  this->change(bearer, after, before);
  this->expect_life();
  this->end(bearer);
}

}  // namespace
}  // namespace dp::test
