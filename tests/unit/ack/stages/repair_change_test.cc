// `snoop` and `new-snoop` under changes of their bearer: a chain that ends while a repeat of it is in
// transmission, over each link that repeats, and one that comes amid a flow.
#include <functional>
#include <string>

#include "dataplane/ack/engines.h"
#include "tests/support/repair_bench.h"

namespace dp::test {
namespace {

class RepairChangeTest : public RepairBench, public ::testing::WithParamInterface<AckConfig> {
 protected:
  static RadioConfig constant_radio() {
    RadioConfig radio;
    radio.radio = static_cast<RadioChoice>(RadioList::index_of("constant"));
    return radio;
  }
  // Every link that takes what a stage sends again.
  static std::vector<LinkConfig> links() {
    return {ShaperSpec::Config{}, UmLinkConfig{.loss = 0, .delay = std::chrono::milliseconds{2}},
            constant_radio()};
  }
  BearerSettings over(const LinkConfig& link, const std::vector<AckConfig>& stages) const {
    BearerSettings s = keeping(stages, 1'000'000);
    s.downlink.link = link;
    return s;
  }
  // That stage with room for fewer segments, which takes another chain.
  AckConfig smaller() const {
    AckConfig other = GetParam();
    std::visit(
        []<class Config>(Config& config) {
          if constexpr (KeepsSegments<Config>) config.cache = 20;
        },
        other);
    return other;
  }
  Bearer& begin(const BearerSettings& settings) {
    if (!uses_cell(settings)) return add(kUe, settings);
    cells_.push_back(std::make_unique<Cell>(CellSettings{.members = 1}));
    command(AddCell{cells_.back().get()});
    return add(kUe, settings, 0, cells_.back().get());
  }
  // Segments 2 to 6 have been sent, and 2 is in transmission once more.
  void repeat_one(Bearer& bearer) {
    open();
    data(1);
    run_for(40);
    ack(2);
    data(2, 6);
    run_for(100);
    look_away();
    acks(2, 3);
    const Sdu* const again = bearer.downlink.buffer().in_transmission();
    ASSERT_NE(again, nullptr);
    ASSERT_NE(again->fate & kFateAgain, 0);
  }
  std::uint64_t accounted() const {
    const FrameAccount& account = worker->context().account;
    return account.buffered + account.held + account.retained + account.egress;
  }

  std::vector<std::unique_ptr<Cell>> cells_;
};
INSTANTIATE_TEST_SUITE_P(Stages, RepairChangeTest,
                         ::testing::Values(AckConfig{Snoop::Config{}}, AckConfig{NewSnoop::Config{}}),
                         [](const auto& info) { return info.index == 0 ? "Snoop" : "NewSnoop"; });

TEST_P(RepairChangeTest, ARepeatInTransmissionIsInTheAccountWhateverBecomesOfItsChain) {
  const std::vector<AckConfig> stages{GetParam()}, others{smaller()};
  for (const LinkConfig& link : links()) {
    const BearerSettings with = over(link, stages);
    const BearerSettings none = over(link, {}), another = over(link, others);
    const std::vector<std::pair<std::string, std::function<void(Bearer&)>>> changes{
        {"no chain", [&](Bearer& bearer) { change(bearer, with, none); }},
        {"another chain", [&](Bearer& bearer) { change(bearer, with, another); }},
        {"acknowledged", [&](Bearer&) { ack(7); }}};
    for (const auto& [name, happens] : changes) {
      SCOPED_TRACE(std::string(LinkList::kNames[link.index()]) + ", " + name);
      Bearer& bearer = begin(with);
      const std::uint64_t before = created(Creation::local_retransmission);
      repeat_one(bearer);
      happens(bearer);
      EXPECT_EQ(kept(), 0u);
      EXPECT_NE(bearer.downlink.buffer().in_transmission(), nullptr);
      EXPECT_EQ(accounted(), io.outstanding()) << "while it is in transmission";
      run_for(100);
      EXPECT_EQ(down(), (Numbers{2}));
      EXPECT_EQ(created(Creation::local_retransmission), before + 1);
      EXPECT_EQ(accounted(), 0u);
      EXPECT_EQ(worker->context().account.mbufs_held, 0u);
      EXPECT_EQ(worker->context().account.residue(), 0);
      EXPECT_EQ(bearer.downlink.buffer().sdus(), 0u);
      command(RemoveBearer{&bearer});
      look_away();
    }
  }
}

TEST_P(RepairChangeTest, WhatIsKeptOfAFlowThatItCameAmidIsGivenUpWhenTheUeIsGone) {
  const BearerSettings with = keeping({GetParam()}), none = keeping({});
  Bearer& bearer = add(kUe, none);
  open();
  change(bearer, none, with);
  // Both ends are known, but the UE has acknowledged nothing, and 5 is lost on its way here: the segment that
  // it waits for is not kept.
  piece(5, 0, 0);
  say({.sport = 40000, .dport = 80, .seq = kUeIsn + 1, .tcp_flags = TcpView::kPsh, .payload = 10});
  for (const std::uint32_t n : {6u, 7u}) {
    source({.sport = 80,
            .dport = 40000,
            .seq = seq_of(n),
            .ack = kUeIsn + 11,
            .tcp_flags = TcpView::kAck,
            .payload = kSegment});
  }
  run_for(20);
  EXPECT_EQ(kept(), 2u) << "else it shows nothing";
  run_for(60'000);
  EXPECT_EQ(kept(), 0u);
  EXPECT_EQ(retained(), 0u);
}

}  // namespace
}  // namespace dp::test
