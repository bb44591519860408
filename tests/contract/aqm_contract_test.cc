// What every AQM policy of the list must keep, whatever it does inside.

#include <set>

#include "dataplane/aqm/registry.h"
#include "dataplane/base/fields.h"
#include "tests/support/worker_bench.h"

namespace dp::test {
namespace {

constexpr UeAddress kUe = ue_ipv4(0x0a2d0002);

template <class P>
class AqmContract : public WorkerBench {
 protected:
  BearerSettings settings(std::uint64_t rate) {
    BearerSettings s = bearer_at(rate, 30);
    s.downlink.aqm = typename P::Config{};
    return s;
  }
};

template <class List>
struct Types;
template <class... Ts>
struct Types<TypeList<Ts...>> {
  using Type = ::testing::Types<Ts...>;
};
TYPED_TEST_SUITE(AqmContract, Types<AqmList>::Type);

TYPED_TEST(AqmContract, HasANameOfItsOwnAndSaysWhatItDoes) {
  const std::set<std::string_view> names(AqmList::kNames.begin(), AqmList::kNames.end());
  EXPECT_EQ(names.size(), AqmList::kSize);
  EXPECT_FALSE(std::string_view(TypeParam::kDoc).empty());
}

TYPED_TEST(AqmContract, LosesNothingWithoutAReasonUnderOverload) {
  Bearer& bearer = this->add(kUe, this->settings(1'000'000));
  for (int round = 0; round < 200; ++round) {
    for (int i = 0; i < 3; ++i) this->io.offer(Side::core, {.dst = Ip("10.45.0.2"), .payload = 1000});
    this->run_until(this->clock.now() + Duration{10'000'000});
  }
  const auto& buffer = bearer.downlink.buffer();
  EXPECT_EQ(buffer.delivered_sdus() + buffer.dropped_sdus() + buffer.sdus(), 600u);
  EXPECT_GT(buffer.delivered_sdus(), 0u);
}

TYPED_TEST(AqmContract, IsHarmlessWhenTheLinkIsHardlyUsed) {
  Bearer& bearer = this->add(kUe, this->settings(100'000'000));
  for (int i = 0; i < 500; ++i) {
    this->io.offer(Side::core, {.dst = Ip("10.45.0.2"), .payload = 1000});
    this->run_until(this->clock.now() + Duration{10'000'000});
  }
  EXPECT_EQ(bearer.downlink.buffer().delivered_sdus(), 500u);
}

TYPED_TEST(AqmContract, NeverTouchesAnSduWhoseTransmissionHasStarted) {
  Bearer& bearer = this->add(kUe, this->settings(64'000));
  this->io.offer(Side::core, {.dst = Ip("10.45.0.2"), .ident = 7});
  this->worker->poll_once();
  const Sdu* started = bearer.downlink.buffer().in_transmission();
  ASSERT_NE(started, nullptr);
  for (int i = 0; i < 100; ++i) this->io.offer(Side::core, {.dst = Ip("10.45.0.2")});
  this->worker->poll_once();
  EXPECT_EQ(bearer.downlink.buffer().in_transmission(), started);
  this->run_until(this->clock.now() + Duration{20'000'000});
  ASSERT_FALSE(this->io.sent.empty());
  EXPECT_EQ(load16(this->io.sent[0].bytes.data() + 18), 7u);
}

TYPED_TEST(AqmContract, DoesTheSameAgain) {
  std::vector<std::int64_t> runs[2];
  for (auto& times : runs) {
    this->io.sent.clear();
    Bearer& bearer = this->add(kUe, this->settings(1'000'000));
    const Time start = this->clock.now();
    for (int round = 0; round < 100; ++round) {
      for (int i = 0; i < 2; ++i) this->io.offer(Side::core, {.dst = Ip("10.45.0.2"), .payload = 1000});
      this->run_until(this->clock.now() + Duration{10'000'000});
    }
    for (const auto& sent : this->io.sent) times.push_back((sent.at - start).count());
    this->command(RemoveBearer{&bearer});
  }
  EXPECT_EQ(runs[0], runs[1]);
}

TYPED_TEST(AqmContract, TakesEachFieldsLimits) {
  for_each_field<typename TypeParam::Config>([](const auto& field) {
    typename TypeParam::Config config;
    EXPECT_LE(field.min, config.*field.member) << field.name;
    EXPECT_GE(field.max, config.*field.member) << field.name;
    for (auto value : {field.min, field.max}) {
      config.*field.member = value;
      TypeParam policy(config, Rng(1));
      Sdu sdu{};
      sdu.ip_len = 1500;
      for (std::uint32_t n : {1u, 40u}) {
        const QueueView queue{n, n * 1500, 64'000, n};
        policy.on_enqueue(sdu, queue, Time{});
        if (policy.deadline() != kNever) policy.on_timer(queue, policy.deadline());
        policy.on_dequeue(sdu, queue, Time{});
        policy.on_delivered(1500, queue, Time{});
      }
    }
    EXPECT_FALSE(field.doc.empty());
  });
}

}  // namespace
}  // namespace dp::test
