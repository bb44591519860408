// Downloads over split proxies in two cells while modes, cells and settings change, as control changes them:
// each goes on in good time, and is reset only where a drain could not end.
#include <algorithm>
#include <map>
#include <memory>
#include <random>

#include "dataplane/tcp/receiver.h"
#include "dataplane/tcp/sender.h"
#include "tests/support/runs.h"
#include "tests/unit/sched/cell_bench.h"

namespace dp::test {
namespace {

using namespace std::chrono_literals;

class SplitCellModes : public CellBench {
 protected:
  static constexpr Duration kWired = 20ms, kRadio = 30ms, kDrain = 5s;
  // Modes last 3 s at most, so a sender whose timeout grew by them stands for longer than it has to.
  static constexpr Duration kLongestPause = 30s;

  // A source and a UE of one connection.
  struct Download {
    TcpSender source;
    TcpReceiver ue;
    std::uint64_t octets;
    Time since;  // the UE got something, or it began
    std::uint64_t got = 0;
    Duration pause{};
    bool reset = false;
    bool ended() const { return source.all_acked() && ue.finished(); }
  };

  // The outcome of a draw.
  void begin(std::uint32_t seed) {
    numbers.seed(seed);
    settings = {.slots = std::array{100u, 600u, 1000u}[draw() % 3], .members = 8};
    settings.scheduler =
        std::array<SchedulerConfig, 4>{ProportionalFairSpec::Config{}, PfShortPrioritySpec::Config{},
                                       PfRatePrioritySpec::Config{}, RoundRobinSpec::Config{}}[draw() % 4];
    settings.idle = draw() % 2 == 0 ? CellIdle::hold : CellIdle::decay;
    settings.newcomer = draw() % 2 == 0 ? CellNewcomer::fair : CellNewcomer::paper;
    for (int i = 0; i < 2; ++i) make_cell(settings);
    loss = std::array{0.0, 0.0, 0.01, 0.03}[draw() % 4];
    ues = 2 + draw() % 4;
    for (std::uint32_t n = 0; n < ues; ++n) {
      of_ue.push_back(std::make_unique<BearerSettings>(settings_of(n)));
      add(ue(n), *of_ue.back(), seed + n, cells[0].get());
      for (std::uint32_t k = 0, flows = 1 + draw() % 3; k < flows; ++k) open(n);
    }
  }
  BearerSettings settings_of(std::uint32_t n) {
    RadioConfig radio = constant_radio(std::array{1'000'000u, 2'000'000u, 6'000'000u}[draw() % 3]);
    if (draw() % 3 == 0)
      radio.radio = static_cast<RadioChoice>(RadioList::index_of("hdr")), radio.seed = n + 1;
    BearerSettings s{.downlink = {.link = radio, .rate = kMaxRate, .buffer = {5 + draw() % 60, 1u << 24}}};
    if (draw() % 3 == 0) s.downlink.aqm = CodelSpec::Config{};
    if (draw() % 3 == 0) s.downlink.queue = SfpSpec::Config{};
    s.proxy = SplitConfig{.initial_window = 10, .window = 16'384u << draw() % 3, .min_rto = 300ms};
    s.proxy->store = 16 * s.proxy->window;
    return s;
  }
  void open(std::uint32_t n) {
    TcpSenderSettings sender;
    TcpReceiverSettings receiver;
    sender.congestion = SackReno::Config{};
    sender.retries = receiver.retries = 30;
    sender.rto.floor = 200ms;  // the floor of Linux
    sender.timestamps = receiver.timestamps = draw() % 4 != 0;
    receiver.window = 200'000;
    receiver.window_scale = 4;
    const std::uint16_t port = next_port++;
    const TcpPath path{{false, 0, 0xc0000201}, {false, 0, ue(n).lo}, 80, port};
    const std::uint64_t octets = 20'000 + draw() % 400'000;
    auto one = std::make_unique<Download>(Download{TcpSender(sender, path, draw()),
                                                   TcpReceiver(receiver, path.reversed(), draw()), octets,
                                                   clock.now()});
    one->ue.verify(true);
    one->source.listen();
    one->ue.connect();
    one->source.offer(octets);
    one->source.close();
    downloads.emplace(port, std::move(one));
  }

  void run(Duration time) {
    const Time end = clock.now() + time;
    emit();
    for (Time next = next_event(); next <= end; next = next_event()) {
      if (next > clock.now()) clock.set(next);
      for (; !events.empty() && events.begin()->first <= clock.now(); events.erase(events.begin()))
        arrive(events.begin()->second);
      settle();
      collect();
      emit();
    }
    if (end > clock.now()) clock.set(end);
  }

  // Proxies are drained first, for a bounded time, as control does it, unless nothing moves in the mode.
  void change_mode(Mode mode, Duration stay) {
    const auto at_risk = [&] { return counters().at_risk_bytes.get() != 0; };
    if (mode != Mode::block) {
      command(DrainProxies{.on = true});
      for (const Time until = clock.now() + kDrain; at_risk() && clock.now() < until;) run(10ms);
    }
    may_reset = may_reset || (mode != Mode::block && at_risk());
    command(SetMode{mode});
    run(stay);
    command(DrainProxies{.on = false});
    command(SetMode{Mode::inline_});
  }
  // Whatever else an operator changes while it runs.
  void change_something() {
    const std::uint32_t n = draw() % ues;
    Bearer& b = *bearers[n];
    auto to = std::make_unique<BearerSettings>(*of_ue[n]);
    switch (draw() % 6) {
      case 0:
        return relocate(b);
      case 1:
        to->downlink.rate = std::array<std::uint64_t, 4>{kMaxRate, 500'000, 2'000'000, 1'000'000}[draw() % 4];
        break;
      case 2:
        to->downlink.aqm =
            draw() % 2 == 0 ? AqmConfig{CodelSpec::Config{}} : AqmConfig{DropTailSpec::Config{}};
        break;
      case 3:
        to->downlink.buffer.sdus = 5 + draw() % 60;
        break;
      case 4:
        settings.scheduler = draw() % 2 == 0 ? SchedulerConfig{RoundRobinSpec::Config{}}
                                             : SchedulerConfig{ProportionalFairSpec::Config{}};
        command(ReconfigureCell{cells[draw() % 2].get(), &settings});
        return;
      default:
        command(DrainProxies{.on = true, .cls = {}, .bearer = &b});
        run(std::chrono::milliseconds(draw() % 2000));
        command(DrainProxies{.on = false, .cls = {}, .bearer = &b});
        return;
    }
    change(b, *of_ue[n], *to);
    before.push_back(std::exchange(of_ue[n], std::move(to)));
  }
  void relocate(Bearer& b) {
    const bool in_first = b.downlink.member()->cell() == cells[0].get();
    Cell& other = *cells[in_first ? 1 : 0];
    EXPECT_TRUE(other.reserve());
    EXPECT_EQ(command(Relocate{&b, &other}).status, CommandStatus::done);
  }

  void expect_the_end() {
    for (const auto& [port, one] : downloads) {
      EXPECT_EQ(one->ue.stats().corrupt, 0u) << port;
      if (one->reset && may_reset) continue;
      EXPECT_FALSE(one->reset) << port;
      EXPECT_TRUE(one->ended()) << port << ": " << one->got << " of " << one->octets;
      EXPECT_LE(one->pause, kLongestPause) << port;
    }
    for (auto& bearer : bearers) command(RemoveBearer{bearer.get()});
    for (auto& cell : cells) EXPECT_EQ(command(RemoveCell{cell.get()}).status, CommandStatus::done);
    bearers.clear(), cells.clear(), of_ue.clear(), downloads.clear(), events.clear();
    may_reset = false;
  }

  std::uint32_t draw() { return static_cast<std::uint32_t>(numbers()); }
  ClassSplitCounters& counters() { return shared->classes[0].split; }

 private:
  struct Event {
    bool to_box;
    Side side;
    Buffer frame;
  };

  Time next_event() {
    Time next = worker->next_deadline();
    if (!events.empty()) next = std::min(next, events.begin()->first);
    for (auto& [port, one] : downloads) {
      next = std::min({next, one->source.next_deadline(), one->ue.next_deadline()});
    }
    return next;
  }
  void arrive(const Event& event) {
    if (event.to_box) return io.offer(event.side, TestFrame(event.frame, event.side));
    const TcpSegment segment = *read_tcp(Bytes(event.frame).subspan(14));
    const bool up = event.side == Side::core;
    Download& one = *downloads.at(up ? segment.source_port : segment.destination_port);
    one.reset = one.reset || segment.has(TcpView::kRst);
    if (up) return void(one.source.on_segment(segment, clock.now()));
    one.ue.on_segment(segment, clock.now());
    if (one.ue.stats().delivered_bytes == one.got) return;
    one.pause = std::max(one.pause, clock.now() - one.since);
    one.got = one.ue.stats().delivered_bytes;
    one.since = clock.now();
  }
  void collect() {
    for (auto& sent : std::exchange(io.sent, {})) {
      if (std::uniform_real_distribution<>(0, 1)(numbers) < loss) continue;
      events.emplace(clock.now() + delay(sent.side), Event{false, sent.side, std::move(sent.bytes)});
    }
  }
  void emit() {
    std::array<std::byte, 2000> packet;
    for (auto& [port, one] : downloads) {
      for (std::size_t n; (n = one->source.emit(clock.now(), packet)) != 0;) fly(Side::core, packet, n);
      for (std::size_t n; (n = one->ue.emit(clock.now(), packet)) != 0;) fly(Side::radio, packet, n);
    }
  }
  void fly(Side side, Bytes packet, std::size_t size) {
    Buffer frame = bytes({2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x08, 0x00});
    detail::put(frame, packet.first(size));
    events.emplace(clock.now() + delay(side), Event{true, side, std::move(frame)});
  }
  static Duration delay(Side side) { return side == Side::core ? kWired : kRadio; }

  std::mt19937 numbers;
  CellSettings settings;
  std::vector<std::unique_ptr<BearerSettings>> of_ue, before;
  std::multimap<Time, Event> events;
  std::map<std::uint16_t, std::unique_ptr<Download>> downloads;  // by the UE's port
  std::uint16_t next_port = 1024;
  std::uint32_t ues = 0;
  double loss = 0;
  bool may_reset = false;  // a drain did not end in time
};

TEST_F(SplitCellModes, LetEveryDownloadGoOn) {
  for (std::uint32_t seed = 1; seed <= runs_of(60); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    begin(seed);
    for (int i = 0; i < 20; ++i) {
      run(std::chrono::milliseconds(draw() % 4000));
      if (draw() % 3 != 0) {
        change_something();
        continue;
      }
      const Mode mode = std::array{Mode::tap, Mode::bypass, Mode::block}[draw() % 3];
      change_mode(mode, std::chrono::milliseconds(draw() % 3000));
    }
    run(100s);
    expect_the_end();
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace dp::test
