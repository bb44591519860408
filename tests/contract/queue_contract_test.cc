// Rules for a leg with each kind of queue under each AQM policy.

#include <optional>
#include <string>
#include <vector>

#include "tests/support/aqm_bench.h"

namespace dp::test {
namespace {

struct Kind {
  const char* name;
  QueueConfig queue;
};
const std::vector<Kind> kKinds{
    {"fifo", FifoSpec::Config{}},
    {"sfp", SfpSpec::Config{.reset = Duration{300'000'000}}},
    {"sfp_of_two_flows", SfpSpec::Config{.flows = 2, .victim = SfpSpec::DropFrom::front}},
    {"sfp_by_arrival", SfpSpec::Config{.count = SfpSpec::Count::arrival}},
};

class QueueContract : public AqmBench, public ::testing::WithParamInterface<std::size_t> {
 protected:
  static BearerSettings with(BearerSettings settings, const QueueConfig& queue) {
    settings.downlink.queue = queue;
    settings.uplink.queue = queue;
    return settings;
  }
  template <class F>
  void for_each_pair(F&& f) {
    for_each_aqm([&](const AqmConfig& aqm, std::string_view name) {
      SCOPED_TRACE(name);
      offered = 0;
      io.sent.clear();
      f(aqm);
    });
  }
  void expect_drained(const Bearer& bearer) {
    run_for(Duration{60'000'000'000});
    const auto& buffer = bearer.downlink.buffer();
    EXPECT_EQ(buffer.sdus(), 0u);
    EXPECT_EQ(buffer.delivered_sdus() + buffer.dropped_sdus(), offered);
    EXPECT_EQ(worker->context().account.buffered, 0u);
    expect_order();
  }

  const QueueConfig queue = kKinds[GetParam()].queue;
};

TEST_P(QueueContract, LosesNothingWithoutAReasonUnderOverload) {
  for_each_pair([&](const AqmConfig& aqm) {
    Bearer& bearer = add(kUe, with(shaped(aqm), queue));
    waves(2, 3);
    EXPECT_GT(bearer.downlink.buffer().delivered_sdus(), 200u);
    EXPECT_GT(bearer.downlink.buffer().dropped_sdus(), 0u);
    expect_drained(bearer);
    command(RemoveBearer{&bearer});
  });
}

TEST_P(QueueContract, LosesNothingWithoutAReasonOverALossyAir) {
  for_each_pair([&](const AqmConfig& aqm) {
    Bearer& bearer = add(kUe, with(over_air(aqm, 0.1), queue));
    waves(2, 1);
    EXPECT_GT(bearer.downlink.buffer().delivered_sdus(), 50u);
    expect_drained(bearer);
    command(RemoveBearer{&bearer});
  });
}

TEST_P(QueueContract, GoesOverToEachOtherAndBackWithAFullQueueAndLosesNothing) {
  for_each_pair([&](const AqmConfig& aqm) {
    for (const Kind& other : kKinds) {
      for_each_aqm([&](const AqmConfig& to_aqm, std::string_view name) {
        SCOPED_TRACE(std::string(name) + " " + other.name);
        offered = 0;
        io.sent.clear();
        const BearerSettings before = with(shaped(aqm), queue), after = with(shaped(to_aqm), other.queue);
        Bearer& bearer = add(kUe, before);
        const auto& buffer = bearer.downlink.buffer();
        for (int round = 0; round < 4; ++round) {
          offer(10);
          run_for(Duration{30'000'000});
          const std::uint32_t sdus = buffer.sdus(), bytes = buffer.bytes();
          const std::uint64_t dropped = buffer.dropped_sdus();
          round % 2 == 0 ? change(bearer, before, after) : change(bearer, after, before);
          EXPECT_EQ(buffer.sdus(), sdus);
          EXPECT_EQ(buffer.bytes(), bytes);
          EXPECT_EQ(buffer.dropped_sdus(), dropped);
        }
        offer(5);
        expect_drained(bearer);
        command(RemoveBearer{&bearer});
        fresh.clear();
      });
    }
  });
}

TEST_P(QueueContract, ABypassSendsWhatWaitsInOrderAndABlockKeepsIt) {
  for_each_pair([&](const AqmConfig& aqm) {
    Bearer& bearer = add(kUe, with(shaped(aqm), queue));
    const auto& buffer = bearer.downlink.buffer();
    waves(1, 3);
    offer(15);
    worker->poll_once();
    const std::uint32_t sdus = buffer.sdus();
    ASSERT_GT(sdus, 0u);
    command(SetMode{Mode::block});
    run_for(Duration{10'000'000'000});
    EXPECT_EQ(buffer.sdus(), sdus);
    command(SetMode{Mode::bypass});
    EXPECT_EQ(buffer.sdus(), 0u);
    command(SetMode{Mode::inline_});
    waves(1, 2);
    expect_drained(bearer);
    command(RemoveBearer{&bearer});
  });
}

INSTANTIATE_TEST_SUITE_P(Kinds, QueueContract, ::testing::Range(std::size_t{0}, kKinds.size()),
                         [](const auto& info) { return kKinds[info.param].name; });

}  // namespace
}  // namespace dp::test
