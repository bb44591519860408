// The bits that a slot would carry under each radio model (dataplane/sched/radio).
#include "dataplane/sched/radio/radio.h"

#include <gtest/gtest.h>

namespace dp {
namespace {

CellSlot slot_of(std::uint64_t number, std::uint32_t per_second, Duration behind = {},
                 Counter* stale_reports = nullptr) {
  const auto begin = [&](std::uint64_t n) {
    return time_ns(static_cast<std::int64_t>(n * 1'000'000'000 / per_second));
  };
  return {number, per_second, begin(number), begin(number + 1), begin(number) + behind, stale_reports};
}
RadioConfig radio_of(std::string_view model) {
  RadioConfig config;
  config.radio = static_cast<RadioChoice>(RadioList::index_of(model));
  return config;
}
Radio radio_replaying(std::vector<std::uint32_t> at) {
  RadioConfig config = radio_of("trace");
  config.trace = std::make_shared<const RadioTrace>(RadioTrace{"a.trace", std::move(at)});
  return Radio(config, 0);
}
// Packets of each of the first slots.
std::vector<std::uint64_t> packets(Radio radio, std::uint64_t slots, std::uint32_t per_second) {
  std::vector<std::uint64_t> out;
  for (std::uint64_t n = 0; n < slots; ++n) {
    const std::uint64_t bits = radio.rate(slot_of(n, per_second)) / per_second;
    EXPECT_EQ(bits % RadioTrace::kBits, 0u) << "whole packets";
    out.push_back(bits / RadioTrace::kBits);
  }
  return out;
}

TEST(Radio, ConstantIsTheSameInEverySlot) {
  RadioConfig config = radio_of("constant");
  config.rate = 123'456;
  Radio radio(config, 0);
  for (const std::uint64_t n : {0u, 1u, 77u}) EXPECT_EQ(radio.rate(slot_of(n, 600)), 123'456u);
  EXPECT_FALSE(radio.report(1, Time{})) << "nobody's reports are for it";
  EXPECT_EQ(radio.rate(slot_of(78, 600)), 123'456u);
}

TEST(Radio, TraceLetsAPacketLeaveInEachOfItsMilliseconds) {
  EXPECT_EQ(packets(radio_replaying({1, 3, 3, 3, 5}), 5, 1000), (std::vector<std::uint64_t>{1, 0, 3, 0, 1}));
}

TEST(Radio, TraceBeginsAgainAfterItsLastMillisecond) {
  EXPECT_EQ(packets(radio_replaying({1, 4}), 12, 1000),
            (std::vector<std::uint64_t>{1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1}));
  // The first millisecond of each turn but the first is the last of the one before.
  EXPECT_EQ(packets(radio_replaying({0, 2}), 6, 1000), (std::vector<std::uint64_t>{0, 2, 0, 2, 0, 2}));
}

TEST(Radio, TraceLosesAndAddsNothingWhateverTheSlotsAre) {
  for (const std::uint32_t per_second : {1u, 7u, 600u, 1000u, 8000u}) {
    std::uint64_t sum = 0;
    for (const std::uint64_t n : packets(radio_replaying({2, 3, 3, 7, 10}), 21 * per_second, per_second))
      sum += n;
    EXPECT_EQ(sum, 21'000u / 10 * 5) << per_second;
  }
}

TEST(Radio, TraceWithoutOneCarriesNothing) {
  Radio radio(radio_of("trace"), 0);
  EXPECT_EQ(radio.rate(slot_of(3, 600)), 0u);
}

TEST(Radio, ReportedIsWhatWasReportedLastWhileThatIsValid) {
  RadioConfig config = radio_of("reported");
  config.initial = 300'000;
  config.valid = Duration{10'000'000};
  Radio radio(config, 0);
  Counter stale;
  EXPECT_EQ(radio.rate(slot_of(0, 1000, {}, &stale)), 300'000u) << "before the first report";
  EXPECT_EQ(stale.get(), 0u) << "there is none to be too old";
  ASSERT_TRUE(radio.report(2'000'000, time_ns(5'000'000)));
  EXPECT_EQ(radio.rate(slot_of(5, 1000)), 2'000'000u);
  EXPECT_EQ(radio.rate(slot_of(14, 1000)), 2'000'000u);
  EXPECT_EQ(radio.rate(slot_of(15, 1000, {}, &stale)), 300'000u) << "not the last good value";
  EXPECT_EQ(radio.rate(slot_of(16, 1000, {}, &stale)), 300'000u);
  EXPECT_EQ(stale.get(), 1u) << "once a report";
  ASSERT_TRUE(radio.report(0, time_ns(17'000'000)));
  EXPECT_EQ(radio.rate(slot_of(17, 1000)), 0u) << "out of coverage";
  ASSERT_TRUE(radio.report(500'000, time_ns(18'000'000)));
  EXPECT_EQ(radio.rate(slot_of(27, 1000)), 500'000u) << "a new report counts from its own time";
}

// A cell that stood still is behind the worker's clock, by which reports are valid.
TEST(Radio, AReportGrowsOldWhileTheCellStandsStill) {
  RadioConfig config = radio_of("reported");
  config.valid = Duration{10'000'000};
  Radio radio(config, 0);
  radio.report(2'000'000, time_ns(5'000'000));
  EXPECT_EQ(radio.rate(slot_of(6, 1000, Duration{20'000'000})), config.initial);
}

TEST(Radio, HdrFadesByTheTimeWhateverTheSlotsAre) {
  Radio as_of_the_paper(radio_of("hdr"), 3), faster(radio_of("hdr"), 3);
  for (std::uint64_t n = 0; n < 2'000; ++n) {
    EXPECT_EQ(as_of_the_paper.rate(slot_of(n, 600)), faster.rate(slot_of(2 * n, 1200))) << n;
  }
  EXPECT_EQ(faster.rate(slot_of(3000, 600)), as_of_the_paper.rate(slot_of(3000, 600))) << "and back again";
}

}  // namespace
}  // namespace dp
