// Properties of a split proxy under any segments from both sides: the books balance, its memory stays within
// its bounds, and when it is let go nothing is left. Shared by fuzzing and the unit tests.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "dataplane/worker/prepare.h"
#include "dataplane/worker/worker.h"
#include "tests/fuzz/input.h"
#include "tests/support/frames.h"
#include "tests/support/memory_io.h"

namespace dp::test {

class SplitCheck {
 public:
  SplitCheck() {
    BearerSettings settings;
    settings.downlink = {.link = ShaperLink::Config{}, .rate = 1'000'000, .buffer = {12, 1u << 20}};
    settings.proxy =
        SplitConfig{.initial_window = 4, .window = 8192, .retries = 3, .max_flows = 3, .store = 32'768};
    bearer_ = prepare_bearer(settings);
    bearer_->ue = ue_ipv4(0x0a2d0002);
    send(AddBearer{bearer_.get()});
  }

  // The next word of the input: a segment, mostly of a connection that both ends have opened. Null, or which
  // rule was broken.
  const char* step(Input& input) {
    const unsigned how = input.byte(), port = input.byte() & 3;
    now_ += Duration{std::int64_t{1} << (how >> 4) * 2 << 6};  // up to minutes
    if (how % 16 == 0) open(port);
    if (how % 16 == 1) send(DrainProxies{.on = how >= 240});
    if (how % 16 == 2) io_.max_frames = how >= 208 ? io_.outstanding() : ~std::size_t{0};
    offer(input, port, how & 4 ? Direction::uplink : Direction::downlink, (how & 8) != 0);
    run();
    return fault();
  }

  // Null, or which rule is broken when everything is let go.
  const char* end() {
    io_.max_frames = ~std::size_t{0};
    send(SetMode{Mode::bypass});
    now_ += std::chrono::milliseconds(1);
    run();
    const FrameAccount& account = worker_->context().account;
    if (account.residue() != 0) return "frames unaccounted for at the end";
    if (account.retained != 0 || account.buffered != 0 || account.mbufs_held != 0)
      return "frames are held at the end";
    if (io_.outstanding() != 0) return "frames have leaked";
    if (worker_->context().proxy_store.taken() != 0) return "mbufs are promised at the end";
    const ClassSplitCounters& split = shared_->classes[0].split;
    if (split.stored_bytes.get() != 0 || split.at_risk_bytes.get() != 0)
      return "octets are counted at the end";
    return worker_->context().timers.size() == 0 ? nullptr : "a timer runs at the end";
  }

  // Octets acknowledged to servers before the UE had them.
  std::uint64_t acked() const { return shared_->classes[0].split.acked_bytes.get(); }

 private:
  static constexpr std::uint32_t kServer = 0xfffff000, kUe = 0x7ffff000;

  template <class Body>
  void send(const Body& body) {
    shared_->mailbox.commands.push({++sequence_, body});
    run();
    Answer answer;
    while (shared_->mailbox.answers.pop(answer)) {
    }
  }
  void run() {
    for (Time next = worker_->next_deadline(); next <= now_; next = worker_->next_deadline()) {
      if (next > clock_.now()) clock_.set(next);
      while (worker_->poll_once()) {
      }
    }
    if (now_ > clock_.now()) clock_.set(now_);
    while (worker_->poll_once()) {
    }
    io_.sent.clear();
  }
  FrameSpec spec(unsigned port, Direction direction) const {
    const bool down = direction == Direction::downlink;
    return {.src = down ? Ip("192.0.2.1") : Ip("10.45.0.2"),
            .dst = down ? Ip("10.45.0.2") : Ip("192.0.2.1"),
            .sport = static_cast<std::uint16_t>(down ? 80 : port + 1),
            .dport = static_cast<std::uint16_t>(down ? port + 1 : 80)};
  }
  void give(const FrameSpec& spec, Direction direction) {
    const Side side = direction == Direction::downlink ? Side::core : Side::radio;
    io_.offer(side, TestFrame(spec, side));
    run();
  }
  // A connection on that port stands, or is asked for again.
  void open(unsigned port) {
    const Buffer options = bytes({2, 4, 3, 232, 1, 3, 3, 2, 4, 2, 8, 10, 0, 0, 0, 1, 0, 0, 0, 1});
    FrameSpec syn = spec(port, Direction::uplink);
    syn.seq = kUe, syn.tcp_flags = TcpView::kSyn, syn.payload = 0, syn.tcp_options = options;
    give(syn, Direction::uplink);
    FrameSpec answer = spec(port, Direction::downlink);
    answer.seq = kServer, answer.ack = kUe + 1, answer.tcp_flags = TcpView::kSyn | TcpView::kAck,
    answer.payload = 0;
    answer.tcp_options = options;
    give(answer, Direction::downlink);
    FrameSpec third = spec(port, Direction::uplink);
    third.seq = kUe + 1, third.ack = kServer + 1, third.window = 4000, third.payload = 0;
    give(third, Direction::uplink);
    sent_[port] = {};
  }
  // The distance of a number from the right one; mostly 0.
  static std::uint32_t off(Input& input, std::uint32_t unit) {
    const unsigned by = input.byte();
    return by < 150 ? 0 : (by - 200) * unit;
  }
  void offer(Input& input, unsigned port, Direction direction, bool fine) {
    const bool down = direction == Direction::downlink;
    FrameSpec s = spec(port, direction);
    const std::uint32_t unit = fine ? 1 : 100;
    auto& mine = sent_[port][down ? 0 : 1];
    s.seq = (down ? kServer : kUe) + 1 + mine + off(input, unit);
    s.ack = (down ? kUe : kServer) + 1 + sent_[port][down ? 1 : 0] + off(input, unit);
    const unsigned flags = input.byte();
    s.tcp_flags = static_cast<std::uint8_t>(flags < 200 ? TcpView::kAck : flags);
    s.window = static_cast<std::uint16_t>(input.byte() * 16);
    s.payload = input.byte() * (fine ? 1u : 8u);
    mine = s.seq + static_cast<std::uint32_t>(s.payload) - (down ? kServer : kUe) - 1;
    s.tos = static_cast<std::uint8_t>(input.byte() & 3);
    const unsigned options = input.byte();
    if (options & 1) s.tcp_options = bytes({1, 1, 8, 10, 0, 0, 0, options, 0, 0, 0, 1});
    if ((options & 6) == 6) {
      Buffer block = bytes({1, 1, 5, 10});
      detail::put32(block, kServer + 1 + input.byte() * unit);
      detail::put32(block, kServer + 1 + input.byte() * unit);
      s.tcp_options.insert(s.tcp_options.end(), block.begin(), block.end());
    }
    TestFrame frame(s, down ? Side::core : Side::radio);
    if ((options & 0x30) == 0x30 && down) frame.chained(100);
    io_.offer(down ? Side::core : Side::radio, std::move(frame));
  }

  const char* fault() {
    const FrameAccount& account = worker_->context().account;
    if (account.residue() != 0) return "frames unaccounted for";
    const std::uint64_t here = account.buffered + account.held + account.retained + account.egress;
    if (io_.outstanding() > here) return "frames that nobody counts";
    const ClassSplitCounters& split = shared_->classes[0].split;
    if (split.at_risk_bytes.get() > split.stored_bytes.get()) return "more is at risk than is stored";
    if (bearer_->proxy->split() > 3) return "more connections are split than may be";
    if (split.stored_bytes.get() > 3 * (8192 + 16'000)) return "more is stored than windows allow";
    const bool none = bearer_->proxy->split() == 0;
    if (none && (bearer_->proxy->holds() || worker_->context().proxy_store.taken() != 0))
      return "held for nobody";
    return nullptr;
  }

  ManualClock clock_{time_ns(1'000'000)};
  MemoryIo io_{clock_};
  std::unique_ptr<WorkerShared> shared_ = std::make_unique<WorkerShared>();
  PreparedBearer bearer_;
  std::unique_ptr<Worker<ManualClock, MemoryIo>> worker_ = std::make_unique<Worker<ManualClock, MemoryIo>>(
      clock_, io_, *shared_, WorkerLimits{.max_bearers = 2, .wheel = Calendar<Context>::kSmallWheel});
  std::array<std::array<std::uint32_t, 2>, 4>
      sent_{};  // by port: beyond what the server and the UE last sent
  std::uint64_t sequence_ = 0;
  Time now_ = clock_.now();
};

// Null, or which rule a sequence of segments broke.
inline const char* split_fault(Bytes bytes) {
  SplitCheck check;
  for (Input input(bytes); !input.empty();) {
    if (const char* fault = check.step(input)) return fault;
  }
  return check.end();
}

}  // namespace dp::test
