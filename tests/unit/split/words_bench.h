// A server and a UE, segment by segment, on either side of a worker whose bearer has a split proxy.
#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "dataplane/tcp/segment.h"
#include "tests/support/worker_bench.h"

namespace dp::test {

using namespace std::chrono_literals;

inline constexpr std::uint32_t kServerIsn = 1'000'000, kUeIsn = 5'000'000;
inline constexpr std::uint8_t kAck = TcpView::kAck, kSyn = TcpView::kSyn, kFin = TcpView::kFin,
                              kRst = TcpView::kRst;
inline constexpr std::uint32_t kMss = 1000;

class SplitWords : public WorkerBench {
 protected:
  struct Seen {
    Side side;
    TcpSegment segment;
    Buffer frame;
  };
  static Buffer syn_options() {
    return bytes({2, 4, 3, 232, 1, 3, 3, 2, 1, 1, 4, 2});
  }  // MSS 1000, shift 2, SACK

  void begin(SplitConfig config = {.initial_window = 10, .window = 32'768}) {
    BearerSettings settings = bearer_at(100'000'000, 200);
    settings.proxy = config;
    bearer = &add(ue_ipv4(0x0a2d0002), settings);
  }
  // The UE opens; each SYN with these options beside the usual.
  void open(const Buffer& more = {}, std::uint8_t syn_flags = 0, std::uint8_t answer_flags = 0) {
    Buffer options = syn_options();
    options.insert(options.end(), more.begin(), more.end());
    ue({.seq = 0,
        .flags = static_cast<std::uint8_t>(kSyn | syn_flags),
        .window = 65'535,
        .options = options});
    server({.seq = 0,
            .ack = 1,
            .flags = static_cast<std::uint8_t>(kSyn | kAck | answer_flags),
            .options = options});
    ue({.seq = 1, .ack = 1});
    seen();
  }

  struct Said {
    std::uint32_t seq = 1, ack = 1;  // from the initial numbers
    std::size_t payload = 0;
    std::uint8_t flags = kAck;
    std::uint16_t window = 8'000;  // in units of 4 octets, except in a SYN
    Buffer options{};
    std::uint8_t tos = 0;
  };
  Buffer frame_of(const Said& s, bool from_ue) const {
    FrameSpec spec{.sport = 80, .dport = 40'000};
    spec.src = Ip("192.0.2.1"), spec.dst = Ip("10.45.0.2");
    if (from_ue)
      std::swap(spec.src, spec.dst), std::swap(spec.sport, spec.dport), std::swap(spec.eth_src, spec.eth_dst);
    spec.seq = s.seq + (from_ue ? kUeIsn : kServerIsn);
    spec.ack = (s.flags & kAck) == 0 ? 0 : s.ack + (from_ue ? kServerIsn : kUeIsn);
    spec.tcp_flags = s.flags;
    spec.window = s.window;
    spec.payload = s.payload;
    spec.tcp_options = s.options;
    spec.tos = s.tos;
    return frame(spec);
  }
  void server(const Said& s) { offer(Side::core, frame_of(s, false)); }
  void ue(const Said& s) { offer(Side::radio, frame_of(s, true)); }
  void offer(Side side, const Buffer& frame) {
    io.offer(side, TestFrame(frame, side));
    settle();
    run_until(clock.now() + 1ms);
  }
  void run_for(Duration time) { run_until(clock.now() + time); }

  // Frames that have left since the last look.
  std::vector<Seen> seen() {
    std::vector<Seen> out;
    for (auto& sent : std::exchange(io.sent, {})) {
      kept_.push_back(std::make_unique<Buffer>(sent.bytes));
      const Bytes packet = Bytes(*kept_.back()).subspan(14);
      EXPECT_TRUE(tcp_checksums_right(packet));
      if (const auto segment = read_tcp(packet)) out.push_back({sent.side, *segment, *kept_.back()});
    }
    return out;
  }
  std::vector<Seen> at(Side side) {
    std::vector<Seen> all = seen();
    std::erase_if(all, [&](const Seen& s) { return s.side != side; });
    return all;
  }
  static std::uint32_t number(const Seen& s) {
    return s.segment.ack - (s.side == Side::core ? kServerIsn : kUeIsn);
  }
  static std::uint32_t position(const Seen& s) {
    return s.segment.seq - (s.side == Side::core ? kUeIsn : kServerIsn);
  }
  // A router takes no packets of more than 540 bytes.
  void path_shrinks(const char* router) {
    begin();
    open();
    server({.seq = 1, .payload = kMss});
    const auto radio = at(Side::radio);
    ASSERT_EQ(radio.size(), 1u);
    offer(Side::radio, too_big(Ip(router), radio[0].frame, 540));
    std::vector<std::size_t> sizes;
    std::size_t errors = 0;
    for (auto& sent : std::exchange(io.sent, {})) {
      const auto segment = read_tcp(Bytes(sent.bytes).subspan(14));
      if (sent.side == Side::core) ++errors;
      if (segment && sent.side == Side::radio) sizes.push_back(segment->payload.size());
    }
    EXPECT_EQ(errors, 1u) << "the server is told, too";
    ASSERT_FALSE(sizes.empty());
    for (const std::size_t size : sizes) EXPECT_LE(size, 500u);
    run_for(10s);
    for (const Seen& s : at(Side::radio)) EXPECT_LE(s.segment.payload.size(), 500u);
  }

  ClassSplitCounters& counters() { return shared->classes[0].split; }
  std::uint64_t unsplit(Unsplit why) { return counters().unsplit[index(why)].get(); }

  Bearer* bearer = nullptr;

 private:
  std::vector<std::unique_ptr<Buffer>> kept_;
};

}  // namespace dp::test
