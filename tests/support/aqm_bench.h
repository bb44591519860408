// The load of contract tests of AQM policies: waves of numbered TCP segments of several flows, and the
// properties of those that come out.
#pragma once
#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "dataplane/aqm/registry.h"
#include "tests/support/runs.h"
#include "tests/support/types.h"
#include "tests/support/worker_bench.h"

namespace dp::test {

template <class Policy>
concept MarksEcn = requires(typename Policy::Config config) {
  config.ecn;
};

class AqmBench : public WorkerBench {
 protected:
  static constexpr UeAddress kUe = ue_ipv4(0x0a2d0002);
  static constexpr Duration kTick{10'000'000};
  static constexpr std::uint16_t kFlows = 3;

  static BearerSettings shaped(const AqmConfig& aqm, std::uint64_t rate = 1'000'000) {
    BearerSettings s = bearer_at(rate, 50);
    s.downlink.aqm = aqm;
    return s;
  }
  static BearerSettings over_air(const AqmConfig& aqm, double fer) {
    AmLinkConfig air;
    air.fer = fer;
    BearerSettings s = shaped(aqm, 384'000);
    s.downlink.link = air;
    s.uplink = s.downlink;
    return s;
  }

  // Frames at once, flow by flow in turns.
  void offer(std::uint32_t n, std::uint8_t tos = 0, const char* dst = "10.45.0.2") {
    for (; n > 0; --n) {
      const auto flow = static_cast<std::uint16_t>(1 + offered % kFlows);
      io.offer(Side::core, {.dst = Ip(dst), .tos = tos, .sport = flow, .seq = offered++, .payload = 1000});
    }
  }
  void run_for(Duration d) { run_until(clock.now() + d); }
  // Seconds with `per_tick` frames a tick, each followed by a second of rest.
  void waves(unsigned seconds, std::uint32_t per_tick, std::uint8_t tos = 0, const char* dst = "10.45.0.2") {
    for (; seconds > 0; --seconds) {
      for (int tick = 0; tick < 100; ++tick) {
        offer(per_tick, tos, dst);
        run_for(kTick);
      }
      run_for(Duration{1'000'000'000});
    }
  }

  // Twenty seconds of 200 frames a second (where runs are divided, eight): at kNearly a little more than the
  // link carries, so that policies work at the lower end of their range too.
  static constexpr std::uint64_t kNearly = 1'600'000;
  void steady(std::uint8_t tos, const char* dst = "10.45.0.2") {
    for (std::uint32_t tick = std::max(800u, runs_of(2000)); tick > 0; --tick) {
      offer(2, tos, dst);
      run_for(kTick);
    }
  }

  // Each flow's frames came out in order, none twice.
  void expect_order(std::size_t l4_offset = 34) const {
    std::map<std::uint16_t, std::int64_t> last;
    for (const auto& sent : io.sent) {
      if (sent.side != Side::radio) continue;
      const std::byte* tcp = sent.bytes.data() + l4_offset;
      const std::int64_t number = load32(tcp + 4);
      const auto [at, first] = last.try_emplace(load16(tcp), -1);
      EXPECT_GT(number, at->second) << "flow " << at->first;
      at->second = number;
    }
  }

  std::uint32_t offered = 0;
};

// The other policies of the list, each with the settings it has by default.
template <class F>
void for_each_aqm(F&& f) {
  AqmList::for_each([&]<class Tag>(Tag) { f(AqmConfig(typename Tag::type::Config{}), Tag::type::kName); });
}

}  // namespace dp::test
