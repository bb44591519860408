// Most legs are on the fast path (dataplane/bearer/leg_fast.h), which must do exactly what the general one
// (dataplane/bearer/leg.h) does. Two workers get the same frames and the same changes at the same polls.
// Drop-tail is compared with CoDel with a target so far away that it never drops; and every active
// policy is compared with itself on bearers with an ACK stage, which is notified of every packet (the general
// path) but acts on none, since they are UDP. A FIFO is also compared with queues that let short flows go
// first: with one flow in each direction of a bearer the results must be equal.
#include <array>
#include <random>
#include <string>
#include <tuple>

#include "tests/support/runs.h"
#include "tests/support/worker_bench.h"

namespace dp::test {
namespace {

constexpr std::uint32_t kBearers = 6;
constexpr UeAddress ue(std::uint32_t n) { return ue_ipv4(0x0a2d0001 + n); }

const QueueConfig kFifo = FifoSpec::Config{};
const AqmConfig kDropTail = DropTail::Config{};
const AqmConfig kIdleCodel = Codel::Config{{.target = Duration{10'000'000'000}}};

// The policy under test, what it is held against, and which one legs go over to now and then.
struct Pair {
  std::string name;
  AqmConfig shorter, longer, other;
  bool chain;                              // on the longer way
  QueueConfig queue = FifoSpec::Config{};  // on the longer way
};

std::vector<Pair> pairs() {
  std::vector<Pair> all{{"drop_tail", kDropTail, kIdleCodel, kIdleCodel, false}};
  const auto itself = [&](const char* name, const AqmConfig& c) {
    all.push_back({name, c, c, kDropTail, true});
  };
  itself("red", Red::Config{});
  // So that an SDU that finds nothing there is dropped, or marked, too.
  Red::Config at_once{.minth = {0}, .maxth = {30}, .maxp = 0.5, .ecn = true};
  itself("red_at_once", at_once);
  at_once.victim = Red::DropFrom::arriving;
  itself("red_arriving", at_once);
  // The policies that need not be consulted about a single SDU, also at the lowest thresholds for which that
  // holds; `sbd_from_one` is one below them and must be consulted.
  itself("red_from_two", {Red::Config{.minth = {2}, .maxth = {6}, .maxp = 0.5, .ecn = true}});
  itself("sbd", Sbd::Config{});
  itself("sbd_from_two", Sbd::Config{.minth = {3}, .maxth = {6}, .alpha = {1}});
  itself("sbd_from_one", Sbd::Config{.minth = {2}, .maxth = {6}, .alpha = {1}});
  itself("codel", Codel::Config{});
  itself("codel_quick",
         Codel::Config{{.target = Duration{200'000}, .interval = Duration{1'000'000}, .mtu = 60}});
  // Quick to act, or it would not within a test.
  itself("pie", Pie::Config{.target = Duration{1'000'000},
                            .t_update = Duration{1'000'000},
                            .alpha = 100,
                            .beta = 100,
                            .max_burst = Duration{},
                            .derandomise = false});
  itself("pdpc", Pdpc::Config{});
  const SfpSpec::Config few{.short_bytes = 3'000, .reset = Duration{5'000'000}, .flows = 1};
  all.push_back({"sfp", kDropTail, kDropTail, kIdleCodel, false, few});
  // The victims of these are long ones, which are not the first, unless all are short.
  const SfpSpec::Config all_short{.short_bytes = 1'000'000'000};
  all.push_back({"sfp_with_red", Red::Config{}, Red::Config{}, kDropTail, false, all_short});
  all.push_back({"sfp_with_codel", Codel::Config{}, Codel::Config{}, kDropTail, false, all_short});
  return all;
}

// One of the two worlds.
class World : public WorkerBench {
 public:
  World(const AqmConfig& aqm, bool chain, const QueueConfig& queue) : aqm_(aqm), queue_(queue) {
    if (chain) ack_ = {.stages = 1, .stage = {AckRateSpec::Config{}}};
    for (std::uint32_t n = 0; n < kBearers; ++n) {
      settings_.push_back(bearer_at(2'000'000 * (n + 1), 40 + n));
      settings_.back().downlink.aqm = aqm;
      settings_.back().downlink.queue = queue;
      if (n % 2 == 1) {
        settings_.back().uplink = shaper(1'000'000, 5);
        settings_.back().uplink.aqm = aqm;
        settings_.back().uplink.queue = queue;
      }
      settings_.back().uplink.ack = ack_;
      add(ue(n), settings_.back(), n);
    }
  }
  ~World() override { TearDown(); }
  void TestBody() override {}

  using WorkerBench::clock;
  using WorkerBench::command;
  using WorkerBench::dropped;
  using WorkerBench::io;
  using WorkerBench::worker;

  void change(std::uint32_t n, BearerSettings to) {
    to.uplink.ack = ack_;
    WorkerBench::change(*bearers[n], settings_[n], to);
    settings_[n] = to;
  }
  BearerSettings settings(std::uint32_t n) const { return settings_[n]; }
  const AqmConfig& aqm() const { return aqm_; }
  const QueueConfig& queue() const { return queue_; }
  const Bearer& bearer(std::uint32_t n) const { return *bearers[n]; }

 private:
  AqmConfig aqm_;
  QueueConfig queue_;
  AckSettings ack_{};
  std::vector<BearerSettings> settings_;
};

class ShortWay : public ::testing::TestWithParam<std::tuple<Pair, unsigned>> {
 protected:
  std::uint64_t draw(std::uint64_t below) { return rng_() % below; }

  template <class Do>
  void both(Do&& act) {
    act(short_);
    act(general_);
  }

  void offer() {
    const auto n = static_cast<std::uint32_t>(draw(kBearers));
    const std::size_t frames = 1 + draw(30), payload = draw(1400);
    const bool down = draw(4) != 0;
    both([&](World& world) {
      for (std::size_t i = 0; i < frames; ++i) {
        const Ip address(0x0a2d0001 + n), other("192.0.2.1");
        down ? world.io.offer(Side::core, frame(other, address, payload + i))
             : world.io.offer(Side::radio, frame(address, other, payload + i));
      }
    });
  }

  static FrameSpec frame(const Ip& from, const Ip& to, std::size_t payload) {
    return {.src = from,
            .dst = to,
            .tos = static_cast<std::uint8_t>(payload % 4),
            .protocol = 17,
            .payload = payload};
  }

  void change_bearer() {
    const auto n = static_cast<std::uint32_t>(draw(kBearers));
    const std::uint64_t rate = 500'000 + draw(20'000'000);
    const auto sdus = static_cast<std::uint32_t>(1 + draw(60));
    // About the longest packet, from which on an empty leg takes any.
    const std::array<std::uint32_t, 4> limits{1u << 20, static_cast<std::uint32_t>(60 + draw(3000)),
                                              BufferLimit::kLongestPacket - 1, BufferLimit::kLongestPacket};
    const std::uint32_t bytes = limits[draw(2) == 0 ? 0 : draw(limits.size())];
    const std::uint64_t what = draw(5);
    both([&](World& world) {
      BearerSettings to = world.settings(n);
      to.downlink.rate = rate;
      to.downlink.buffer = {sdus, bytes};
      if (what == 0) to.uplink = shaper(rate, sdus, bytes);
      if (what == 1) to.uplink = LegSettings{};
      if (what == 2) to.uplink.rate = rate;
      to.uplink.aqm = world.aqm();
      to.uplink.queue = world.queue();
      // Legs change from one path to another and back with the SDUs that they hold.
      if (what == 3) to.downlink.aqm = to.downlink.aqm == world.aqm() ? pair_.other : world.aqm();
      if (what == 4) to.downlink.queue = to.downlink.queue == world.queue() ? kFifo : world.queue();
      world.change(n, to);
    });
  }

  void change_mode() {
    constexpr std::array modes{Mode::inline_, Mode::block, Mode::bypass, Mode::tap};
    const Mode mode = modes[draw(modes.size())];
    both([&](World& world) { world.command(SetMode{mode}); });
    advance();
    both([](World& world) { world.command(SetMode{Mode::inline_}); });
  }

  // Now and then so late that many deadlines have passed.
  void advance() {
    const Duration by{static_cast<std::int64_t>(draw(draw(10) == 0 ? 200'000'000 : 2'000'000))};
    both([&](World& world) {
      world.clock.advance(by);
      world.worker->poll_once();
    });
  }

  // Its content, and the fates of other SDUs.
  static std::array<std::uint64_t, 5> counts_of(const RlcBuffer& buffer) {
    return {buffer.sdus(), buffer.bytes(), buffer.dropped_sdus(), buffer.marked_sdus(),
            buffer.delivered_bytes()};
  }
  void expect_equal() {
    const auto& a = short_.io.sent;
    const auto& b = general_.io.sent;
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      ASSERT_EQ(a[i].side, b[i].side) << i;
      ASSERT_EQ(a[i].at, b[i].at) << i;
      ASSERT_EQ(a[i].bytes, b[i].bytes) << i;
    }
    both([](World& world) { world.io.sent.clear(); });
    for (std::uint32_t n = 0; n < kBearers; ++n) {
      for (Direction d : kDirections) {
        const RlcBuffer &x = short_.bearer(n).leg(d).buffer(), &y = general_.bearer(n).leg(d).buffer();
        ASSERT_EQ(counts_of(x), counts_of(y));
      }
    }
    ASSERT_EQ(short_.worker->next_deadline(), general_.worker->next_deadline());
    for (const DropReason reason : {DropReason::aqm, DropReason::buffer_sdus, DropReason::buffer_bytes}) {
      ASSERT_EQ(short_.dropped(reason), general_.dropped(reason)) << name(reason);
    }
  }

  const Pair pair_ = std::get<0>(GetParam());
  std::mt19937_64 rng_{std::get<1>(GetParam())};
  World short_{pair_.shorter, false, kFifo};
  World general_{pair_.longer, pair_.chain, pair_.queue};
};

TEST_P(ShortWay, SendsTheSameFramesAtTheSamePolls) {
  const std::uint32_t steps = std::max(2000u, runs_of(3000));
  std::size_t sent = 0;
  for (std::uint32_t step = 0; step < steps; ++step) {
    switch (draw(12)) {
      case 0:
        change_bearer();
        break;
      case 1:
        if (draw(8) == 0) change_mode();
        break;
      case 2:
      case 3:
      case 4:
      case 5:
        offer();
        break;
      default:
        advance();
    }
    sent += short_.io.sent.size();
    expect_equal();
    if (HasFatalFailure()) FAIL() << "at step " << step;
  }
  EXPECT_GT(sent, steps / 3);
  EXPECT_GT(short_.dropped(DropReason::buffer_sdus), 0u);
  EXPECT_GT(short_.dropped(DropReason::buffer_bytes), 0u);
  if (pair_.chain) {
    EXPECT_GT(short_.dropped(DropReason::aqm), 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, ShortWay,
                         ::testing::Combine(::testing::ValuesIn(pairs()),
                                            ::testing::Range(1u, 1 + runs_of(4))),
                         [](const auto& info) {
                           return std::get<0>(info.param).name + "_" +
                                  std::to_string(std::get<1>(info.param));
                         });

}  // namespace
}  // namespace dp::test
