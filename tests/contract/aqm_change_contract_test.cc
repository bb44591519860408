// Rules for every AQM policy of the list when it is changed, swapped or stopped on a live bearer.

#include "dataplane/aqm/engines.h"
#include "dataplane/base/fields.h"
#include "tests/support/aqm_bench.h"

namespace dp::test {
namespace {

template <class P>
class AqmChangeContract : public AqmBench {
 protected:
  static AqmConfig by_default() { return typename P::Config{}; }

  // A change must leave these as they are.
  void change_without_loss(Bearer& bearer, const BearerSettings& was, const BearerSettings& to) {
    const auto& buffer = bearer.downlink.buffer();
    const std::uint32_t sdus = buffer.sdus(), bytes = buffer.bytes();
    const std::uint64_t dropped = buffer.dropped_sdus();
    this->change(bearer, was, to);
    EXPECT_EQ(buffer.sdus(), sdus);
    EXPECT_EQ(buffer.bytes(), bytes);
    EXPECT_EQ(buffer.dropped_sdus(), dropped);
  }
  // Nothing is left, and all is accounted for.
  void expect_drains(const Bearer& bearer, const BearerSettings&) {
    run_for(Duration{60'000'000'000});
    const auto& buffer = bearer.downlink.buffer();
    EXPECT_EQ(buffer.sdus(), 0u);
    EXPECT_EQ(buffer.delivered_sdus() + buffer.dropped_sdus(), offered);
    expect_order();
  }
  std::uint32_t fill(const Bearer& bearer) {
    for (int round = 0; round < 20 && bearer.downlink.buffer().sdus() < 20; ++round) {
      offer(20);
      worker->poll_once();
    }
    return bearer.downlink.buffer().sdus();
  }
};
TYPED_TEST_SUITE(AqmChangeContract, Types<AqmEngines>::Type);

TYPED_TEST(AqmChangeContract, ChangesEachParameterInPlaceWithAFullQueueAndLosesNothing) {
  for_each_field<typename TypeParam::Config>([&](const auto& field) {
    for (auto value : {field.min, field.max}) {
      SCOPED_TRACE(field.name);
      this->offered = 0;
      this->io.sent.clear();
      const BearerSettings before = this->shaped(this->by_default());
      Bearer& bearer = this->add(this->kUe, before);
      ASSERT_GE(this->fill(bearer), 15u);
      typename TypeParam::Config config;
      config.*field.member = value;
      const BearerSettings after = this->shaped(config, 500'000);
      this->change_without_loss(bearer, before, after);
      this->offer(5);
      this->run_for(Duration{200'000'000});
      this->change_without_loss(bearer, after, before);
      this->expect_drains(bearer, before);
      this->command(RemoveBearer{&bearer});
    }
  });
}

TYPED_TEST(AqmChangeContract, GivesAFullQueueToEachOtherPolicyAndTakesItBack) {
  for_each_aqm([&](const AqmConfig& other, std::string_view name) {
    SCOPED_TRACE(name);
    this->offered = 0;
    this->io.sent.clear();
    const BearerSettings before = this->shaped(this->by_default());
    const BearerSettings after = this->shaped(other);
    Bearer& bearer = this->add(this->kUe, before);
    ASSERT_GE(this->fill(bearer), 15u);
    this->change_without_loss(bearer, before, after);
    this->run_for(Duration{30'000'000});
    this->fill(bearer);
    this->change_without_loss(bearer, after, before);
    this->expect_drains(bearer, before);
    this->command(RemoveBearer{&bearer});
  });
}

TYPED_TEST(AqmChangeContract, SwapsOverALossyAirWithAFullQueue) {
  for_each_aqm([&](const AqmConfig& other, std::string_view name) {
    SCOPED_TRACE(name);
    this->offered = 0;
    this->io.sent.clear();
    const BearerSettings before = this->over_air(this->by_default(), 0.1);
    const BearerSettings after = this->over_air(other, 0.1);
    Bearer& bearer = this->add(this->kUe, before);
    ASSERT_GE(this->fill(bearer), 15u);
    this->run_for(Duration{100'000'000});
    this->change_without_loss(bearer, before, after);
    this->fill(bearer);
    this->expect_drains(bearer, after);
    this->command(RemoveBearer{&bearer});
  });
}

TYPED_TEST(AqmChangeContract, StandsStillWhileBlockedWithItsTimersPending) {
  Bearer& bearer = this->add(this->kUe, this->shaped(this->by_default()));
  const auto& buffer = bearer.downlink.buffer();
  ASSERT_GE(this->fill(bearer), 15u);
  this->run_for(Duration{40'000'000});
  const Time next = this->worker->next_deadline();
  const Duration left = next - this->clock.now();
  this->command(SetMode{Mode::block});
  const std::uint32_t sdus = buffer.sdus();
  const std::uint64_t dropped = buffer.dropped_sdus();
  this->run_for(Duration{10'000'000'000});
  EXPECT_EQ(buffer.sdus(), sdus);
  EXPECT_EQ(buffer.dropped_sdus(), dropped);
  this->command(SetMode{Mode::inline_});
  EXPECT_EQ(this->worker->next_deadline() - this->clock.now(), left) << "what was to come comes as late";
  this->expect_drains(bearer, {});
}

TYPED_TEST(AqmChangeContract, ABypassInMidLoadSendsTheQueueInOrder) {
  Bearer& bearer = this->add(this->kUe, this->shaped(this->by_default()));
  ASSERT_GE(this->fill(bearer), 15u);
  this->run_for(Duration{100'000'000});
  this->command(SetMode{Mode::bypass});
  EXPECT_EQ(bearer.downlink.buffer().sdus(), 0u);
  this->command(SetMode{Mode::inline_});
  this->waves(1, 2);
  this->expect_drains(bearer, {});
}

}  // namespace
}  // namespace dp::test
