// Rules for every link model of the list (dataplane/link).
#include <set>

#include "dataplane/base/gate.h"
#include "dataplane/link/engines.h"
#include "tests/support/types.h"
#include "tests/support/worker_bench.h"

namespace dp::test {
namespace {

constexpr UeAddress kUe = ue_ipv4(0x0a2d0002);
constexpr std::uint64_t kRate = 1'000'000;

template <class L>
class LinkContract : public WorkerBench {
 protected:
  BearerSettings settings(std::uint64_t rate = kRate) {
    BearerSettings s = bearer_at(rate, 100);
    typename L::Config config{};
    if constexpr (std::is_same_v<L, UmLink>) config.loss = 0;  // else it loses some of them, as it should
    s.downlink.link = config;
    if constexpr (std::is_same_v<L, AmLink>) s.uplink = s.downlink;  // both legs or none
    return s;
  }
  Bearer& add(const UeAddress& ue, const BearerSettings& s) {
    if (!uses_cell(s)) return WorkerBench::add(ue, s);
    cells.push_back(std::make_unique<Cell>(CellSettings{.members = 1}));
    command(AddCell{cells.back().get()});
    return WorkerBench::add(ue, s, 0, cells.back().get());
  }
  void set_gate(Bearer& bearer, Gate gate) {
    BearerSettings changed = settings();
    changed.downlink.gate = gate;
    command(Reconfigure{&bearer, &changed});
  }
  void run_for(std::int64_t ms) { run_until(clock.now() + Duration{ms * 1'000'000}); }
  void offer(int n) {
    for (int i = 0; i < n; ++i) {
      io.offer(Side::core, {.dst = Ip("10.45.0.2"), .ident = next++, .payload = 1210});
    }
  }
  std::uint32_t next = 0;
  // In which ten frames cross at the highest rate.
  static constexpr Duration soonest{std::is_same_v<L, AmLink>     ? std::int64_t{200'000'000}
                                    : std::is_same_v<L, CellLink> ? std::int64_t{2'000'000'000}
                                    : std::is_same_v<L, UmLink>   ? std::int64_t{25'000'000}
                                                                  : 1'000'000};
  std::vector<std::unique_ptr<Cell>> cells;  // each bearer has one to itself
};

TYPED_TEST_SUITE(LinkContract, Types<LinkEngines>::Type);

TYPED_TEST(LinkContract, HasANameOfItsOwnAndSaysWhatItDoes) {
  const std::set<std::string_view> names(LinkList::kNames.begin(), LinkList::kNames.end());
  EXPECT_EQ(names.size(), LinkList::kSize);
  EXPECT_FALSE(std::string_view(TypeParam::kDoc).empty());
}

TYPED_TEST(LinkContract, DeliversAllInOrderAndThenRests) {
  this->add(kUe, this->settings());
  this->offer(20);
  this->run_until(this->clock.now() + Duration{10'000'000'000});
  ASSERT_EQ(this->io.sent.size(), 20u);
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(load16(this->io.sent[i].bytes.data() + 18), i);
  EXPECT_EQ(this->worker->next_deadline(), kNever);
}

TYPED_TEST(LinkContract, NeverSendsFasterThanItsRate) {
  if (!TypeParam::kBuffers) return;  // a wire has none
  this->add(kUe, this->settings());
  const Time start = this->clock.now();
  this->offer(50);
  this->run_until(start + Duration{10'000'000'000});
  ASSERT_EQ(this->io.sent.size(), 50u);
  for (std::size_t i = 0; i < this->io.sent.size(); ++i) {
    const double bits = static_cast<double>(i + 1) * 1250 * 8;
    const double seconds = std::chrono::duration<double>(this->io.sent[i].at - start).count();
    EXPECT_GE(seconds * static_cast<double>(kRate), bits - 1e-3) << i;
  }
}

TYPED_TEST(LinkContract, KeepsTheQueueAcrossRateChangesUnderLoad) {
  Bearer& bearer = this->add(kUe, this->settings());
  this->offer(40);
  for (std::uint64_t rate : {kRate, kMinRate, kMaxRate, std::uint64_t{64'000}, std::uint64_t{50'000'000}}) {
    this->run_until(this->clock.now() + Duration{20'000'000});
    BearerSettings changed = this->settings(rate);
    this->command(Reconfigure{&bearer, &changed});
    this->offer(5);
  }
  this->run_until(this->clock.now() + Duration{100'000'000'000});
  ASSERT_EQ(this->io.sent.size(), 65u);
  for (std::size_t i = 0; i < 65; ++i) EXPECT_EQ(load16(this->io.sent[i].bytes.data() + 18), i);
}

TYPED_TEST(LinkContract, SurvivesAFlushInMidService) {
  Bearer& bearer = this->add(kUe, this->settings());
  this->offer(10);
  this->run_until(this->clock.now() + Duration{15'000'000});
  this->command(SetMode{Mode::bypass});
  EXPECT_EQ(this->io.sent.size(), 10u);
  EXPECT_EQ(bearer.downlink.buffer().sdus(), 0u);
  // Not held back by what the flushed SDU would have taken, at its rate.
  BearerSettings fast = this->settings(kMaxRate);
  this->command(Reconfigure{&bearer, &fast});
  this->command(SetMode{Mode::inline_});
  this->offer(10);
  this->run_until(this->clock.now() + this->soonest);
  EXPECT_EQ(this->io.sent.size(), 20u);
}

TYPED_TEST(LinkContract, StandsStillWhileBlocked) {
  Bearer& bearer = this->add(kUe, this->settings());
  this->offer(10);
  this->run_until(this->clock.now() + Duration{15'000'000});
  this->command(SetMode{Mode::block});
  const std::size_t before = this->io.sent.size();
  this->run_until(this->clock.now() + Duration{10'000'000'000});
  EXPECT_EQ(this->io.sent.size(), before);
  this->command(SetMode{Mode::inline_});
  this->run_until(this->clock.now() + Duration{10'000'000'000});
  EXPECT_EQ(this->io.sent.size(), 10u);
  EXPECT_EQ(bearer.downlink.buffer().sdus(), 0u);
}

TYPED_TEST(LinkContract, AGateThatHoldsKeepsWhatComesAndThenSendsItInOrderAtTheRate) {
  Bearer& bearer = this->add(kUe, this->settings());
  this->offer(10);
  this->run_for(15);
  this->set_gate(bearer, Gate::hold);
  this->run_for(5'000);  // the SDU in transmission leaves
  const std::size_t before = this->io.sent.size();
  EXPECT_TRUE(TypeParam::kBuffers ? before < 10 : before == 10) << before;
  this->offer(20);
  this->run_for(20'000);
  EXPECT_EQ(this->io.sent.size(), before);
  EXPECT_EQ(bearer.downlink.buffer().sdus(), 30 - before);
  EXPECT_EQ(this->worker->next_deadline(), kNever) << "nothing is done while it holds";
  const Time opened = this->clock.now();
  this->set_gate(bearer, Gate::open);
  this->run_for(10'000);
  ASSERT_EQ(this->io.sent.size(), 30u);
  for (std::size_t i = 0; i < 30; ++i) EXPECT_EQ(load16(this->io.sent[i].bytes.data() + 18), i);
  if (!TypeParam::kBuffers) return;
  for (std::size_t i = before; i < 30; ++i) {
    const double seconds = std::chrono::duration<double>(this->io.sent[i].at - opened).count();
    EXPECT_GE(seconds * static_cast<double>(kRate), static_cast<double>(i + 1 - before) * 1250 * 8 - 1e-3)
        << i;
  }
}

TYPED_TEST(LinkContract, AGateThatIsClosedDropsWhatWaitsAndWhatComes) {
  Bearer& bearer = this->add(kUe, this->settings());
  this->offer(10);
  this->run_for(15);
  this->set_gate(bearer, Gate::closed);
  this->offer(5);
  this->run_for(10'000);
  const std::size_t passed = this->io.sent.size();
  EXPECT_TRUE(TypeParam::kBuffers ? passed < 10 : passed == 10) << passed;
  EXPECT_EQ(this->dropped(DropReason::gate), 15 - passed);
  EXPECT_EQ(bearer.downlink.buffer().dropped_sdus(), 15 - passed);
  EXPECT_EQ(bearer.downlink.buffer().sdus(), 0u);
  this->set_gate(bearer, Gate::open);
  this->offer(5);
  this->run_for(10'000);
  EXPECT_EQ(this->io.sent.size(), passed + 5);
}

TYPED_TEST(LinkContract, AGateThatClosesAfterItHeldDropsWhatItHeld) {
  BearerSettings held = this->settings();
  held.downlink.gate = Gate::hold;
  Bearer& bearer = this->add(kUe, held);
  this->offer(10);
  this->run_for(1'000);
  EXPECT_EQ(bearer.downlink.buffer().sdus(), 10u);
  this->set_gate(bearer, Gate::closed);
  EXPECT_EQ(this->dropped(DropReason::gate), 10u);
  this->set_gate(bearer, Gate::hold);
  this->offer(3);
  this->run_for(1'000);
  EXPECT_EQ(bearer.downlink.buffer().sdus(), 3u);
  EXPECT_TRUE(this->io.sent.empty());
}

}  // namespace
}  // namespace dp::test
