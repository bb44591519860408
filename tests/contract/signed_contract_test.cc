// Segments with a TCP-MD5 or TCP-AO option cross every ACK stage, chains of them, and the split proxy byte
// for byte; none is made, and none of the UE's is missing.
#include <map>
#include <string>

#include "tests/support/ack_chains.h"
#include "tests/support/worker_bench.h"

namespace dp::test {
namespace {

constexpr std::uint32_t kSegment = 500, kIsn = 1000, kUeIsn = 5000;
constexpr std::uint32_t kMd5 = TcpOption::kMd5, kAo = TcpOption::kAuthentication;

class SignedContract : public WorkerBench {
 protected:
  // The digest is wrong: no box in the middle has the key to notice.
  static Buffer signature(std::uint32_t kind) {
    Buffer option = bytes({1, 1, kind, 18});
    option.resize(20, std::byte{0xa5});
    return option;
  }
  static Buffer with(const Buffer& options, const Buffer& more) {
    Buffer all = options;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  void ue(FrameSpec spec) {
    spec.src = "10.45.0.2", spec.dst = "192.0.2.1", spec.sport = 40000, spec.dport = 80;
    if (spec.payload == FrameSpec{}.payload) spec.payload = 0;
    offer(Side::radio, spec);
  }
  void source(FrameSpec spec) {
    spec.src = "192.0.2.1", spec.dst = "10.45.0.2", spec.sport = 80, spec.dport = 40000;
    if (spec.payload == FrameSpec{}.payload) spec.payload = 0;
    if (spec.ack == FrameSpec{}.ack) spec.ack = kUeIsn + 1;
    offer(Side::core, spec);
  }
  void offer(Side side, const FrameSpec& spec) {
    TestFrame frame(spec, side);
    const Bytes head = frame.sdu().head();
    if (is_signed(TcpOptions(spec.tcp_options))) ++offered_[index(side)][Buffer(head.begin(), head.end())];
    io.offer(side, std::move(frame));
    settle();
  }
  void wait(std::int64_t ms) { run_until(clock.now() + std::chrono::milliseconds(ms)); }

  void shake_hands(const Buffer& more) {
    const Buffer options = bytes({2, 4, 5, 180, 1, 3, 3, 7, 1, 1, 4, 2});
    constexpr std::uint8_t kSyn = TcpView::kSyn, kEcn = TcpView::kEce | TcpView::kCwr;
    ue({.seq = kUeIsn, .ack = 0, .tcp_flags = kSyn | kEcn, .tcp_options = with(options, more)});
    source(
        {.seq = kIsn, .tcp_flags = kSyn | TcpView::kAck | TcpView::kEce, .tcp_options = with(options, more)});
    wait(20);
    say(1, more);
  }
  static std::uint32_t seq_of(std::uint32_t n) { return kIsn + 1 + kSegment * (n - 1); }
  void data(std::uint32_t n, const Buffer& more, std::uint8_t flags = TcpView::kAck) {
    source({.seq = seq_of(n), .tcp_flags = flags, .tcp_options = more, .payload = kSegment});
  }
  // The UE waits for segment n. Its window is more than any stage would have the source know of.
  void say(std::uint32_t n, const Buffer& more, std::uint8_t flags = TcpView::kAck) {
    ue({.seq = kUeIsn + 1, .ack = seq_of(n), .tcp_flags = flags, .window = 60000, .tcp_options = more});
  }
  // A download in which one segment is lost on the radio and another comes twice, until a reset.
  void download(const Buffer& more) {
    for (std::uint32_t n = 1; n <= 20; ++n) data(n, more);
    wait(20);
    for (std::uint32_t n = 2; n <= 5; ++n) say(n, more), wait(1);
    for (int i = 0; i < 5; ++i) say(5, more), wait(1);
    if (more.size() <= 20) {
      Buffer block = bytes({1, 1, 5, 10});
      detail::put32(block, seq_of(6)), detail::put32(block, seq_of(9));
      say(5, with(more, block)), say(5, with(more, block));
    }
    data(5, more), data(3, more), wait(100);
    data(21, more, TcpView::kAck | TcpView::kCwr), wait(50);
    for (const std::uint32_t n : {9u, 12u, 15u, 18u, 22u}) say(n, more), wait(20);
    ue({.seq = kUeIsn + 1, .ack = seq_of(22), .window = 60000, .tcp_options = more, .payload = 30});
    source({.seq = seq_of(22), .ack = kUeIsn + 31, .tcp_options = more});
    wait(2000);
    say(22, more, TcpView::kRst | TcpView::kAck);
    source({.seq = seq_of(22), .tcp_flags = TcpView::kRst | TcpView::kAck, .tcp_options = more});
    wait(5000);
  }

  // Signed frames that left came as they are; some of the source's may be lost, as data are.
  void expect_whole() {
    std::array<std::map<Buffer, int>, 2> left;
    for (const auto& sent : io.sent) {
      TestFrame frame(sent.bytes, opposite(sent.side));
      parse(frame.sdu());
      const auto tcp = TcpView::at(frame.sdu().head().subspan(frame.sdu().l4_offset));
      ASSERT_TRUE(tcp);
      if (is_signed(tcp->options())) ++left[index(opposite(sent.side))][sent.bytes];
    }
    EXPECT_EQ(left[index(Side::radio)], offered_[index(Side::radio)]) << "from the UE";
    std::uint64_t lost = 0;
    for (const auto& [bytes, times] : offered_[index(Side::core)]) {
      const auto it = left[index(Side::core)].find(bytes);
      const int here = it == left[index(Side::core)].end() ? 0 : it->second;
      EXPECT_LE(here, times) << "made once more";
      lost += static_cast<std::uint64_t>(std::max(0, times - here));
    }
    for (const auto& [bytes, times] : left[index(Side::core)]) {
      EXPECT_TRUE(offered_[index(Side::core)].contains(bytes)) << "was changed";
    }
    EXPECT_LE(lost, 2u) << "in the place of congestion";
  }
  void begin_anew() {
    io.sent.clear();
    offered_ = {};
  }

  // f(settings, name) for every chain, that of the profile low-delay, and a proxy.
  template <class F>
  static void for_each_way(F&& f) {
    const auto bearer_with = [](const std::vector<AckConfig>& stages) {
      BearerSettings s = bearer_at(5'000'000, 200);
      s.uplink.ack.stages = static_cast<std::uint32_t>(stages.size());
      std::copy(stages.begin(), stages.end(), s.uplink.ack.stage.begin());
      return s;
    };
    for_each_chain([&](const auto& stages, const std::string& name) { f(bearer_with(stages), name); });
    WindowRegulator::Config target;
    target.form = WindowRegulator::Form::dynamic;
    target.target = std::chrono::milliseconds{5};
    f(bearer_with({target}), std::string("low-delay"));
    FdaSpec::Config eager;
    eager.threshold = {2}, eager.minsize = {1}, eager.weight = 1, eager.pc = 1, eager.plain_syn = true;
    f(bearer_with({eager}), std::string("fda, eager"));
    BearerSettings split = bearer_at(5'000'000, 200);
    split.proxy = SplitConfig{.window = 8192};
    f(split, std::string("split"));
  }

 private:
  static bool is_signed(const TcpOptions& options) {
    for (const TcpOption option : options) {
      if (option.kind == kMd5 || option.kind == kAo) return true;
    }
    return false;
  }

  std::array<std::map<Buffer, int>, 2> offered_;  // by the side that they came from
};

TEST_F(SignedContract, ASignedConnectionLeavesByteForByte) {
  for_each_way([&](const BearerSettings& settings, const std::string& name) {
    for (const std::uint32_t kind : {kMd5, kAo}) {
      for (const bool handshake : {true, false}) {
        SCOPED_TRACE(name + (kind == kMd5 ? ", MD5" : ", AO") + (handshake ? "" : ", handshake not seen"));
        Bearer& bearer = add(ue_ipv4(0x0a2d0002), settings, 7);
        if (handshake) shake_hands(signature(kind));
        download(signature(kind));
        expect_whole();
        command(RemoveBearer{&bearer});
        begin_anew();
      }
    }
  });
}

TEST_F(SignedContract, ASignedSegmentOfAConnectionThatIsNotLeavesByteForByte) {
  for_each_way([&](const BearerSettings& settings, const std::string& name) {
    SCOPED_TRACE(name);
    Bearer& bearer = add(ue_ipv4(0x0a2d0002), settings, 7);
    shake_hands({});
    const Buffer more = signature(kMd5);
    for (std::uint32_t n = 1; n <= 8; ++n) data(n, n == 4 ? more : Buffer{});
    wait(50);
    for (const std::uint32_t n : {2u, 3u, 3u}) say(n, {}), say(n, more), wait(20);
    for (int i = 0; i < 4; ++i) say(3, more);
    data(3, more), wait(20);
    say(9, more), wait(2000);
    // A connection anew over one that lives.
    const Buffer options = bytes({2, 4, 5, 180, 1, 3, 3, 7, 1, 1, 4, 2});
    ue({.seq = kUeIsn + 70'000, .ack = 0, .tcp_flags = TcpView::kSyn, .tcp_options = with(options, more)});
    wait(5000);
    expect_whole();
    command(RemoveBearer{&bearer});
    begin_anew();
  });
}

}  // namespace
}  // namespace dp::test
