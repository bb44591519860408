// Rules for every AQM policy of the list.

#include <set>

#include "dataplane/aqm/engines.h"
#include "dataplane/base/fields.h"
#include "dataplane/packet/ipv4.h"
#include "tests/support/aqm_bench.h"

namespace dp::test {
namespace {

template <class P>
class AqmContract : public AqmBench {
 protected:
  static AqmConfig by_default() { return typename P::Config{}; }
};
TYPED_TEST_SUITE(AqmContract, Types<AqmEngines>::Type);

TYPED_TEST(AqmContract, HasANameOfItsOwnAndSaysWhatItDoes) {
  const std::set<std::string_view> names(AqmList::kNames.begin(), AqmList::kNames.end());
  EXPECT_EQ(names.size(), AqmList::kSize);
  EXPECT_FALSE(std::string_view(TypeParam::kDoc).empty());
}

TYPED_TEST(AqmContract, LosesNothingWithoutAReasonUnderOverload) {
  Bearer& bearer = this->add(this->kUe, this->shaped(this->by_default()));
  this->waves(3, 3);
  const auto& buffer = bearer.downlink.buffer();
  EXPECT_EQ(buffer.delivered_sdus() + buffer.dropped_sdus() + buffer.sdus(), this->offered);
  EXPECT_GT(buffer.delivered_sdus(), 300u);
  EXPECT_GT(buffer.dropped_sdus(), 0u);
  this->expect_order();
}

TYPED_TEST(AqmContract, LosesNothingWithoutAReasonOverALossyAir) {
  Bearer& bearer = this->add(this->kUe, this->over_air(this->by_default(), 0.1));
  this->waves(3, 1);
  this->run_for(Duration{20'000'000'000});
  const auto& buffer = bearer.downlink.buffer();
  EXPECT_EQ(buffer.sdus(), 0u);
  EXPECT_EQ(buffer.delivered_sdus() + buffer.dropped_sdus(), this->offered);
  EXPECT_GT(buffer.delivered_sdus(), 100u);
  EXPECT_GT(buffer.dropped_sdus(), 0u);
  this->expect_order();
}

TYPED_TEST(AqmContract, IsHarmlessWhenTheLinkIsHardlyUsedAndThenRests) {
  Bearer& bearer = this->add(this->kUe, this->shaped(this->by_default(), 100'000'000));
  for (int i = 0; i < 500; ++i) {
    this->offer(1);
    this->run_for(this->kTick);
  }
  EXPECT_EQ(bearer.downlink.buffer().delivered_sdus(), 500u);
  EXPECT_EQ(bearer.downlink.buffer().marked_sdus(), 0u);
  this->run_for(Duration{60'000'000'000});
  EXPECT_EQ(this->worker->next_deadline(), kNever);
}

TYPED_TEST(AqmContract, ForgetsTheQueueThatABypassSentAway) {
  Bearer& bearer = this->add(this->kUe, this->shaped(this->by_default(), 384'000));
  this->offer(25);
  this->run_for(this->kTick);
  this->command(SetMode{Mode::bypass});
  this->clock.advance(Duration{3'600'000'000'000});
  this->command(SetMode{Mode::inline_});
  const auto& buffer = bearer.downlink.buffer();
  const std::uint64_t dropped = buffer.dropped_sdus(), delivered = buffer.delivered_sdus();
  this->offer(4);
  this->worker->poll_once();
  EXPECT_GE(this->worker->next_deadline(), this->clock.now());
  this->run_for(Duration{1'000'000'000});
  EXPECT_EQ(buffer.dropped_sdus(), dropped);
  EXPECT_EQ(buffer.delivered_sdus(), delivered + 4);
}

TYPED_TEST(AqmContract, NeverTouchesAnSduWhoseTransmissionHasStarted) {
  Bearer& bearer = this->add(this->kUe, this->shaped(this->by_default(), 64'000));
  std::vector<std::uint32_t> started;
  const Sdu* last = nullptr;
  for (int tick = 0; tick < 2000; ++tick) {
    this->offer(tick % 20 == 0 ? 3 : 0);
    this->run_for(this->kTick);
    const Sdu* now = bearer.downlink.buffer().in_transmission();
    if (now != nullptr && now != last) started.push_back(load32(now->data + now->l4_offset + 4));
    last = now;
  }
  ASSERT_GT(started.size(), 100u);
  EXPECT_GT(bearer.downlink.buffer().dropped_sdus(), 0u);
  for (std::size_t i = 0; i + 1 < started.size(); ++i) {
    EXPECT_EQ(load32(this->io.sent.at(i).bytes.data() + 38), started[i]) << i;
  }
}

TYPED_TEST(AqmContract, DoesTheSameAgainFromTheSameSeedAndOtherwiseFromAnotherWhereItDraws) {
  std::vector<std::vector<std::int64_t>> runs;
  for (const std::uint64_t seed : {1, 1, 2}) {
    this->io.sent.clear();
    Bearer& bearer = this->add(this->kUe, this->shaped(this->by_default()), seed);
    const Time start = this->clock.now();
    this->waves(3, 2);
    runs.emplace_back();
    for (const auto& sent : this->io.sent) {
      runs.back().push_back((sent.at - start).count());
      runs.back().push_back((load32(sent.bytes.data() + 38) - this->offered) & 0xffffffffu);
    }
    this->command(RemoveBearer{&bearer});
  }
  EXPECT_EQ(runs[0], runs[1]);
  const bool draws = std::is_same_v<TypeParam, Red> || std::is_same_v<TypeParam, Pie>;
  if (draws) {
    EXPECT_NE(runs[0], runs[2]);
  }
}

TYPED_TEST(AqmContract, DoesNotContradictItselfByDefault) {
  constexpr typename TypeParam::Config kConfig{};
  if constexpr (requires { kConfig.conflict(); }) {
    EXPECT_FALSE(kConfig.conflict());
  }
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
        const QueueView queue{n, n * 1500, 64'000, n, n * 1500};
        policy.on_enqueue(sdu, queue, Time{});
        if (policy.deadline() != kNever) policy.on_timer(queue, policy.deadline());
        policy.on_dequeue(sdu, queue, Time{});
        policy.on_delivered(1500, queue, Time{});
      }
    }
    EXPECT_FALSE(field.doc.empty());
    EXPECT_FALSE(field.source.empty()) << field.name;
  });
}

// Frames with CE that left, their IPv4 header checksums looked at.
std::uint64_t marked_frames(const MemoryIo& io) {
  std::uint64_t marked = 0;
  for (const auto& sent : io.sent) {
    const std::byte* ip = sent.bytes.data() + 14;
    const bool ipv6 = load8(ip) >> 4 == 6;
    marked += (ipv6 ? load8(ip + 1) >> 4 & 3 : load8(ip + 1) & 3) == 3;
    if (!ipv6) {
      EXPECT_EQ(internet_checksum({ip, 20}), 0);
    }
  }
  return marked;
}

TYPED_TEST(AqmContract, WithEcnMarksWhatIsEctAndDropsWhatIsNot) {
  if constexpr (MarksEcn<TypeParam>) {
    typename TypeParam::Config config;
    config.ecn = true;
    Bearer& bearer = this->add(this->kUe, this->shaped(config, this->kNearly));
    const auto& buffer = bearer.downlink.buffer();
    this->steady(0);
    EXPECT_EQ(buffer.marked_sdus(), 0u);
    EXPECT_GT(this->dropped(DropReason::aqm), 0u) << "not ECT";
    for (const std::uint8_t ect : {1, 2}) {
      const std::uint64_t before = buffer.marked_sdus();
      this->run_for(Duration{2'000'000'000});
      this->io.sent.clear();
      this->steady(ect);
      EXPECT_GT(buffer.marked_sdus(), before) << "ECT(" << int{ect} << ")";
      this->run_for(Duration{2'000'000'000});
      const std::uint64_t left = marked_frames(this->io);
      EXPECT_GT(left, 0u);
      EXPECT_LE(left, buffer.marked_sdus() - before) << "a marked one may still be dropped";
    }
  }
}

// RFC 3168 section 5: a router leaves CE as it is; the receiver reports it to the sender.
TYPED_TEST(AqmContract, TakesWhatComesWithCeForMarkedNeitherCountsItNorDropsMoreOfIt) {
  if constexpr (MarksEcn<TypeParam>) {
    typename TypeParam::Config config;
    config.ecn = true;
    std::vector<std::uint64_t> dropped;
    for (const std::uint8_t tos : {2, 3}) {
      Bearer& bearer = this->add(this->kUe, this->shaped(config, this->kNearly), 1);
      const auto& buffer = bearer.downlink.buffer();
      this->steady(tos);
      EXPECT_EQ(buffer.marked_sdus() > 0, tos == 2);
      dropped.push_back(buffer.dropped_sdus());
      this->command(RemoveBearer{&bearer});
    }
    EXPECT_EQ(dropped[0], dropped[1]);
  }
}

TYPED_TEST(AqmContract, WithEcnMarksIpv6) {
  if constexpr (MarksEcn<TypeParam>) {
    typename TypeParam::Config config;
    config.ecn = true;
    Bearer& bearer = this->add(*parse_ue("2001:db8:45::/64"), this->shaped(config, this->kNearly));
    this->steady(2, "2001:db8:45::2");
    this->run_for(Duration{2'000'000'000});
    EXPECT_GT(marked_frames(this->io), 0u);
    EXPECT_LE(marked_frames(this->io), bearer.downlink.buffer().marked_sdus());
    this->expect_order(54);
  }
}

TYPED_TEST(AqmContract, WithoutEcnMarksNothing) {
  Bearer& bearer = this->add(this->kUe, this->shaped(this->by_default()));
  this->waves(3, 2, 2);
  EXPECT_EQ(bearer.downlink.buffer().marked_sdus(), 0u);
  EXPECT_EQ(marked_frames(this->io), 0u);
}

}  // namespace
}  // namespace dp::test
