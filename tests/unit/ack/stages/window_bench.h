// One UE's bearer with a stage that acts on ACKs, and both ends' segments in the test's hands, one by one.
#pragma once
#include <utility>
#include <vector>

#include "tests/support/worker_bench.h"

namespace dp::test {

using namespace std::chrono_literals;

inline constexpr UeAddress kUe = ue_ipv4(0x0a2d0002);

// A downlink that takes 10 ms a segment of 1000 bytes, in packets of 1040. Places are bytes of the source's
// stream: its SYN is 0, its data begin at 1.
class StageBench : public WorkerBench {
 protected:
  struct Advertised {
    std::uint32_t number;
    std::uint32_t window;  // as the field says
    friend bool operator==(const Advertised&, const Advertised&) = default;
  };

  static BearerSettings with(const AckConfig& config, std::uint32_t sdus = 50) {
    BearerSettings s = bearer_at(832'000, sdus);
    s.uplink.ack.stages = 1;
    s.uplink.ack.stage[0] = config;
    return s;
  }
  static Buffer syn_options(std::uint8_t shift) {
    return bytes({2, 4, 1000 >> 8, 1000 & 0xff, 1, 3, 3, shift});
  }
  // The UE connects; its SYN offers 1000 bytes. `away`: how far the source is, there and back.
  void open(std::uint8_t shift = 0, Duration away = {}) {
    up({.seq = 100, .ack = 0, .tcp_flags = 2, .window = 1'000, .tcp_options = syn_options(shift)});
    wait(away);
    down({.seq = 0, .ack = 101, .tcp_flags = 0x12, .tcp_options = syn_options(0), .payload = 0});
    wait(1ms);  // the SYN-ACK is out of the buffer
    ack(1);
    advertised();
    wait(away);
    began = clock.now();
  }
  // The n-th segment of the source's, from 0, and further ones.
  void data(std::uint32_t n, std::uint32_t count = 1) {
    for (; count > 0; --count, ++n) down({.seq = 1 + 1'000 * n, .ack = 101, .payload = 1'000});
  }
  void down(FrameSpec spec) {
    spec.dst = "10.45.0.2";
    spec.sport = 80;
    spec.dport = port;
    io.offer(Side::core, spec);
    settle();
  }
  void up(FrameSpec spec) {
    spec.src = "10.45.0.2";
    spec.dst = "192.0.2.1";
    spec.sport = port;
    spec.dport = 80;
    if (spec.tcp_flags == 2) spec.payload = 0;
    io.offer(Side::radio, spec);
    settle();
  }
  void ack(std::uint32_t number, std::uint16_t window = 65'535, std::size_t payload = 0) {
    up({.seq = 101, .ack = number, .window = window, .payload = payload});
  }
  // ACKs of the segments from the n-th on.
  void acks(std::uint32_t n, std::uint32_t count) {
    for (; count > 0; --count, ++n) ack(1'001 + 1'000 * n);
  }
  void wait(Duration time) { run_until(clock.now() + time); }
  void at(Duration since_open) { run_until(began + since_open); }

  // The ACKs that have left for the source since the last call.
  std::vector<Advertised> advertised() {
    std::vector<Advertised> out;
    for (const auto& sent : std::exchange(io.sent, {})) {
      if (sent.side != Side::core) continue;
      const std::byte* const tcp = sent.bytes.data() + 34;
      out.push_back({load32(tcp + 8), load16(tcp + 14)});
    }
    return out;
  }
  // The right edges of these ACKs, for a UE without window scaling.
  std::vector<std::uint32_t> edges() {
    std::vector<std::uint32_t> out;
    for (const Advertised& t : advertised()) out.push_back(t.number + t.window);
    return out;
  }
  std::uint64_t held() const { return worker->context().account.held; }
  template <class Stage>
  std::uint64_t counted(AckEvent event) const {
    return shared->classes[0].acks.stages[AckList::index_of(Stage::kName)][index(event)].get();
  }
  using Windows = std::vector<Advertised>;
  using Edges = std::vector<std::uint32_t>;

  std::uint16_t port = 40'000;
  Time began{};
};

class WindowRegulatorTest : public StageBench {
 protected:
  using Form = WindowRegulator::Form;
  static WindowRegulator::Config form(Form form, std::uint32_t sdus = 5) {
    return {.form = form, .buffer = Amount{sdus}};
  }
  // Data over a bearer of a tenth of the usual rate, whose source's timeout is 100 ms at least.
  void begin_slowly(std::uint32_t segments) {
    BearerSettings slow =
        with(WindowRegulator::Config{.form = Form::ack_buffer, .buffer = Amount{5}, .min_rto = 100ms});
    slow.downlink.rate = 83'200;
    add(kUe, slow);
    open();
    wait(10ms);
    began = clock.now();
    data(0, segments);
  }
  std::uint64_t counted(AckEvent event) const { return StageBench::counted<WindowRegulator>(event); }
};

}  // namespace dp::test
