#include "control/metrics/wire_log.h"

#include <chrono>

#include "control/loop/log.h"
#include "dataplane/base/ids.h"

namespace control {
namespace {

std::uint64_t bypassed(const dp::WireReport::Port& port) {
  return port.counts[static_cast<std::size_t>(dp::WireWay::bypass)].frames;
}

}  // namespace

void WireLog::begin(const std::optional<dp::WireReport>& wire) {
  if (!wire) return;
  for (const dp::Side side : dp::kSides) {
    const dp::WireReport::Port& port = wire->ports[dp::index(side)];
    if (port.interface == 0) continue;
    log::info(Event::wire_taken, {{"port", dp::name(side)},
                                  {"xdp_program", port.program},
                                  {"on_failure", dp::name(wire->config.on_failure)},
                                  {"bypassed_frames", bypassed(port)},
                                  {"failovers", port.failovers},
                                  {"at_risk_before", wire->at_risk_before}});
  }
  if (wire->ordered == dp::WireWay::normal) return;
  log::warning(Event::wire_ordered,
               {{"state", dp::name(wire->ordered)},
                {"needed", "rncctl wire mode normal, for frames to come to the workers"}});
}

void WireLog::started(const std::optional<dp::WireReport>& wire) {
  if (!wire) return;
  for (const dp::Side side : dp::kSides) failovers_[dp::index(side)] = wire->ports[dp::index(side)].failovers;
}

void WireLog::sample(const std::optional<dp::WireReport>& wire) {
  if (!wire) return;
  for (const dp::Side side : dp::kSides) {
    const dp::WireReport::Port& port = wire->ports[dp::index(side)];
    std::uint64_t& told = failovers_[dp::index(side)];
    if (port.failovers == told) continue;
    log::warning(Event::wire_failover,
                 {{"port", dp::name(side)},
                  {"times", port.failovers - told},
                  {"found", "a worker whose last sign of progress was older than dataplane.wire.stale_after"},
                  {"state", dp::name(port.way)},
                  {"bypassed_frames", bypassed(port)}});
    told = port.failovers;
  }
}

}  // namespace control
