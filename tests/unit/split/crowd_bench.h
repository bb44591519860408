// Several UEs behind a worker, each with connections to one server that tests play segment by segment. The UE
// opens them; segments carry kMss octets.
#pragma once
#include <cstdint>
#include <map>
#include <utility>

#include "dataplane/tcp/segment.h"
#include "tests/support/worker_bench.h"

namespace dp::test {

class CrowdBench : public WorkerBench {
 protected:
  static constexpr std::uint32_t kMss = 1000;
  static constexpr std::uint32_t kServerIsn = 1'000'000, kUeIsn = 5'000'000;

  // A connection: the UE, from 0, and its port.
  using Name = std::pair<unsigned, std::uint16_t>;

  // The store of all proxies has places for this number of connections of `config`.
  void begin(const SplitConfig& config, unsigned ues, std::uint64_t connections = 1000) {
    begin(config, ues, connections, bearer_at(100'000'000, 200));
  }
  void begin(const SplitConfig& config, unsigned ues, std::uint64_t connections, BearerSettings settings) {
    const std::uint64_t mbufs = connections * SplitFlow::Capacity(config.window).segments;
    worker = std::make_unique<BenchWorker>(clock, io, *shared,
                                           WorkerLimits{.max_bearers = 64, .proxy_cap = mbufs});
    settings.proxy = config;
    for (unsigned ue = 0; ue < ues; ++ue) add(ue_ipv4(0x0a2d0002 + ue), settings);
  }

  struct Said {
    std::uint32_t seq = 1, ack = 1;  // from the initial numbers
    std::size_t payload = 0;
    std::uint8_t flags = TcpView::kAck;
    std::uint16_t window = 30'000;
  };
  void server(const Name& name, const Said& s) { offer(Side::core, name, s); }
  void ue(const Name& name, const Said& s) { offer(Side::radio, name, s); }
  void open(const Name& name) {
    ue(name, {.seq = 0, .flags = TcpView::kSyn});
    server(name, {.seq = 0, .ack = 1, .flags = TcpView::kSyn | TcpView::kAck});
    ue(name, {});
  }
  // The UE has opened it, and has read nothing of the two segments that the server has sent.
  void open_and_stall(const Name& name) {
    open(name);
    server(name, {.seq = 1, .payload = kMss});
    server(name, {.seq = 1 + kMss, .payload = kMss});
    ue(name, {.ack = 1, .window = 0});
  }
  bool opens_split(const Name& name) {
    const std::uint32_t before = proxy(name.first).split();
    open(name);
    server(name, {.seq = 1, .payload = kMss});
    return proxy(name.first).split() > before;
  }
  void run_for(Duration time) { run_until(clock.now() + time); }

  SplitProxy& proxy(unsigned ue) { return *bearers[ue]->proxy; }
  std::uint32_t split() {
    std::uint32_t sum = 0;
    for (const auto& bearer : bearers) sum += bearer->proxy->split();
    return sum;
  }
  ClassSplitCounters& counters() { return shared->classes[0].split; }
  std::uint64_t resets(SplitReset why) { return counters().resets[index(why)].get(); }

  // The segments that have left by a side since the last look.
  std::vector<TcpSegment> left(Side side) {
    std::vector<TcpSegment> out;
    for (const auto& sent : io.sent) {
      if (sent.side != side) continue;
      if (const auto segment = read_tcp(Bytes(sent.bytes).subspan(14))) out.push_back(*segment);
    }
    return out;
  }
  void forget() { io.sent.clear(); }
  static std::size_t count(const std::vector<TcpSegment>& segments, std::uint8_t flag) {
    std::size_t sum = 0;
    for (const TcpSegment& s : segments) sum += s.has(flag) ? 1 : 0;
    return sum;
  }

 private:
  void offer(Side side, const Name& name, const Said& s) {
    const bool from_ue = side == Side::radio;
    FrameSpec spec{.sport = 80, .dport = name.second};
    spec.src = Ip("192.0.2.1");
    spec.dst = Ip(0x0a2d0002 + name.first);
    if (from_ue)
      std::swap(spec.src, spec.dst), std::swap(spec.sport, spec.dport), std::swap(spec.eth_src, spec.eth_dst);
    spec.seq = s.seq + (from_ue ? kUeIsn : kServerIsn);
    spec.ack = (s.flags & TcpView::kAck) == 0 ? 0 : s.ack + (from_ue ? kServerIsn : kUeIsn);
    spec.tcp_flags = s.flags;
    spec.window = s.window;
    spec.payload = s.payload;
    if ((s.flags & TcpView::kSyn) != 0) spec.tcp_options = bytes({2, 4, 3, 232});
    io.offer(side, TestFrame(frame(spec), side));
    settle();
    run_until(clock.now() + std::chrono::milliseconds(1));
  }
};

}  // namespace dp::test
