#include <chrono>
#include <optional>

#include "control/metrics/metric_groups.h"

namespace control {
namespace {

using Port = dp::WireReport::Port;

// A value for each way that frames went: the result of of(count).
template <class Of>
auto by_way(Of of) {
  return [of](Series series, const Port& port) {
    for (std::size_t way = 0; way < dp::kWireFateNames.size(); ++way) {
      series.add({label("way", dp::kWireFateNames[way])}, of(port.counts[way]));
    }
  };
}

}  // namespace

// Adds the families only if the ports are kernel interfaces with the wire's XDP program.
void add_wire_metrics(Families& out, dp::Runtime& runtime) {
  const std::optional<dp::WireReport> wire = runtime.wire();
  if (!wire) return;
  FamilyGroup<Port> ports;
  ports
      .gauge("rncd_bypass_active",
             "1 while frames of this port, of some workers at least, go across in the kernel; those that "
             "take the short-cut do not count.",
             [](const Port& port) { return port.way == dp::WireWay::bypass ? 1.0 : 0.0; })
      .counter("rncd_wire_frames_total",
               "Frames of this port by the way that the wire's XDP program sent them: normal "
               "(to a worker), bypass (across in the kernel, around a worker), disconnect "
               "(nowhere), shortcut (across in the kernel, dataplane.wire.shortcut). Goes on through "
               "restarts of rncd.",
               by_way([](const auto& count) { return count.frames; }))
      .counter("rncd_wire_bytes_total", "The same in bytes.",
               by_way([](const auto& count) { return count.bytes; }))
      .counter("rncd_wire_restored_vlan_tags_total",
               "VLAN tags that the kernel kept beside frames of this port, and that the wire's XDP "
               "program put back into them.",
               [](const Port& port) { return port.restored_tags; })
      .counter("rncd_failovers_total",
               "Times that frames of this port began to go around a worker that was dead or hung; "
               "of all workers.",
               [](const Port& port) { return port.failovers; })
      .gauge("rncd_wire_changed_seconds",
             "Age of the last change of the way, from the workers or back to them.", [](const Port& port) {
               return port.changed ? std::optional(std::chrono::duration<double>(*port.changed).count())
                                   : std::nullopt;
             });
  for (const dp::Side side : dp::kSides) {
    const Port& port = wire->ports[dp::index(side)];
    if (port.interface != 0) ports.add({label("port", dp::name(side))}, port);
  }
  ports.into(out);
  Family::gauge("rncd_wire_inherited_at_risk_bytes",
                "Octets that split proxies of the rncd before this one had told servers of "
                "and not brought to UEs when it died.")
      .add({}, static_cast<double>(wire->at_risk_before))
      .into(out);
}

}  // namespace control
