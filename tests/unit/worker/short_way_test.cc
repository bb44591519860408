// Most legs take a short way through the data plane (RlcBuffer::plain), and it must do just what the general
// one does. Two workers get the same frames and the same changes at the same polls; the bearers of one have
// drop-tail, and those of the other CoDel with a target so far away that it never drops: the general way.
#include <random>

#include "tests/support/worker_bench.h"

namespace dp::test {
namespace {

constexpr std::uint32_t kBearers = 6;
constexpr UeAddress ue(std::uint32_t n) { return ue_ipv4(0x0a2d0001 + n); }

const AqmConfig kShort = DropTail::Config{};
const AqmConfig kGeneral = Codel::Config{{.target = Duration{10'000'000'000}}};

// One of the two worlds.
class World : public WorkerBench {
 public:
  explicit World(const AqmConfig& aqm) : aqm_(aqm) {
    for (std::uint32_t n = 0; n < kBearers; ++n) {
      settings_.push_back(bearer_at(2'000'000 * (n + 1), 10 + n));
      settings_.back().downlink.aqm = aqm;
      if (n % 2 == 1) {
        settings_.back().uplink = shaper(1'000'000, 5);
        settings_.back().uplink.aqm = aqm;
      }
      add(ue(n), settings_.back());
    }
  }
  ~World() override { TearDown(); }
  void TestBody() override {}

  using WorkerBench::clock;
  using WorkerBench::command;
  using WorkerBench::io;
  using WorkerBench::worker;

  void change(std::uint32_t n, const BearerSettings& to) {
    WorkerBench::change(*bearers[n], settings_[n], to);
    settings_[n] = to;
  }
  BearerSettings settings(std::uint32_t n) const { return settings_[n]; }
  const AqmConfig& aqm() const { return aqm_; }
  const Bearer& bearer(std::uint32_t n) const { return *bearers[n]; }

 private:
  AqmConfig aqm_;
  std::vector<BearerSettings> settings_;
};

class ShortWay : public ::testing::TestWithParam<unsigned> {
 protected:
  std::uint64_t draw(std::uint64_t below) { return rng_() % below; }

  template <class Do>
  void both(Do&& act) {
    act(short_);
    act(general_);
  }

  void offer() {
    const auto n = static_cast<std::uint32_t>(draw(kBearers));
    const std::size_t frames = 1 + draw(12), payload = draw(1400);
    const bool down = draw(4) != 0;
    both([&](World& world) {
      for (std::size_t i = 0; i < frames; ++i) {
        const Ip address(0x0a2d0001 + n), other("192.0.2.1");
        down ? world.io.offer(Side::core, FrameSpec{.src = other, .dst = address, .payload = payload + i})
             : world.io.offer(Side::radio, FrameSpec{.src = address, .dst = other, .payload = payload + i});
      }
    });
  }

  void change_bearer() {
    const auto n = static_cast<std::uint32_t>(draw(kBearers));
    const std::uint64_t rate = 500'000 + draw(20'000'000);
    const auto sdus = static_cast<std::uint32_t>(1 + draw(20));
    const std::uint64_t what = draw(4);
    both([&](World& world) {
      BearerSettings to = world.settings(n);
      to.downlink.rate = rate;
      to.downlink.buffer.sdus = sdus;
      if (what == 0) to.uplink = shaper(rate, sdus);
      if (what == 1) to.uplink = LegSettings{};
      if (what == 2) to.uplink.rate = rate;
      to.uplink.aqm = world.aqm();
      // Of the world of the short way, legs go over to the general one and back with whatever they hold.
      if (what == 3) to.downlink.aqm = to.downlink.aqm == kGeneral ? world.aqm() : kGeneral;
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

  void expect_alike() {
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
        ASSERT_EQ(x.sdus(), y.sdus());
        ASSERT_EQ(x.bytes(), y.bytes());
        ASSERT_EQ(x.dropped_sdus(), y.dropped_sdus());
        ASSERT_EQ(x.delivered_bytes(), y.delivered_bytes());
      }
    }
    ASSERT_EQ(short_.worker->next_deadline(), general_.worker->next_deadline());
  }

  std::mt19937_64 rng_{GetParam()};
  World short_{kShort};
  World general_{kGeneral};
};

TEST_P(ShortWay, SendsTheSameFramesAtTheSamePolls) {
  std::size_t sent = 0;
  for (int step = 0; step < 3000; ++step) {
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
    expect_alike();
    if (HasFatalFailure()) FAIL() << "at step " << step;
  }
  EXPECT_GT(sent, 1000u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ShortWay, ::testing::Range(1u, 9u));

}  // namespace
}  // namespace dp::test
