// Reports of a wire, read from its maps.
#include <algorithm>
#include <atomic>
#include <vector>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <time.h>

#include "dataplane/xdp/program.h"
#include "dataplane/xdp/wire.h"

namespace dp::xdp {
namespace {

static_assert(WIRE_FATES == kWireFateNames.size() && WIRE_TO_WORKER == 0 && WIRE_BYPASSED == 1 &&
              WIRE_SHORTCUT == 3);
static_assert(WIRE_SHORTCUTS == kShortcutNames.size() && WIRE_NOTHING == 0 && WIRE_STRANGERS == 2);
static_assert(WIRE_MODES == kWireWayNames.size() && WIRE_NORMAL == 0 && WIRE_BYPASS == 1);

std::uint64_t monotonic_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace

Result<WireReport> Wire::report() const {
  WireReport report;
  report.at_risk_before = inherited_risk_;
  wire_settings settings{};
  std::uint32_t zero = 0, order = 0;
  if (const int rc = bpf_map_lookup_elem(maps_.settings.get(), &zero, &settings); rc != 0)
    return failure("the settings of the wire's XDP program", rc);
  if (const int rc = bpf_map_lookup_elem(maps_.order.get(), &zero, &order); rc != 0)
    return failure("the order to the wire's XDP program", rc);
  report.config.on_failure = settings.closed != 0 ? OnFailure::closed : OnFailure::open;
  report.config.failure_scope = settings.together != 0 ? FailureScope::wire : FailureScope::worker;
  report.config.stale_after = Duration{static_cast<std::int64_t>(settings.stale_ns)};
  report.config.shortcut = static_cast<Shortcut>(std::min<unsigned>(settings.shortcut, WIRE_SHORTCUTS - 1));
  report.ordered = static_cast<WireWay>(std::min<std::uint32_t>(order, WIRE_MODES - 1));
  const std::uint64_t now = monotonic_ns();
  bool all_live = true;
  for (unsigned worker = 0; worker < std::clamp(settings.workers, 1u, unsigned{WIRE_WORKERS}); ++worker) {
    const std::uint64_t beat = std::atomic_ref(beats_[worker].beat).load(std::memory_order_relaxed);
    const Duration age{static_cast<std::int64_t>(now - std::min(now, beat))};
    // A worker that has closed its sockets sends no heartbeats.
    const bool lives = beat != 0 && age < report.config.stale_after;
    all_live = all_live && lives;
    if (beat != 0) report.heartbeat = std::max(report.heartbeat.value_or(Duration{}), age);
    if (!lives) report.at_risk += std::atomic_ref(beats_[worker].at_risk).load(std::memory_order_relaxed);
  }
  const WireWay without = settings.closed != 0 ? WireWay::disconnect : WireWay::bypass;
  for (const Side side : kSides) {
    WireReport::Port& port = report.ports[index(side)];
    port.interface = settings.interface[index(side)];
    port.program = port.interface == 0 ? 0 : program_on(port.interface);
    port.way = report.ordered != WireWay::normal ? report.ordered : all_live ? WireWay::normal : without;
    if (auto read = report_port(side, now, port); !read) return read.error();
  }
  return report;
}

Status Wire::report_port(Side side, std::uint64_t now, WireReport::Port& port) const {
  const auto key = static_cast<std::uint32_t>(index(side));
  std::vector<wire_counts> counts(static_cast<std::size_t>(std::max(1, libbpf_num_possible_cpus())));
  if (const int rc = bpf_map_lookup_elem(maps_.counts.get(), &key, counts.data()); rc != 0)
    return failure("the counts of the wire's XDP program", rc);
  for (const wire_counts& cpu : counts) {
    for (std::size_t fate = 0; fate < WIRE_FATES; ++fate) {
      port.counts[fate].frames += cpu.frames[fate];
      port.counts[fate].bytes += cpu.bytes[fate];
    }
    port.restored_tags += cpu.restored_tags;
  }
  for (std::uint32_t worker = 0; worker < WIRE_WORKERS; ++worker) {
    const std::uint32_t index = key * WIRE_WORKERS + worker;
    wire_state state{};
    if (const int rc = bpf_map_lookup_elem(maps_.state.get(), &index, &state); rc != 0)
      return failure("the state of the wire's XDP program", rc);
    port.failovers += state.failovers;
    if (state.since == 0) continue;
    const Duration ago{static_cast<std::int64_t>(now - std::min<std::uint64_t>(now, state.since))};
    port.changed = std::min(port.changed.value_or(ago), ago);
  }
  return ok();
}

}  // namespace dp::xdp
