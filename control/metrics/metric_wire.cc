#include "control/metrics/metric_groups.h"

namespace control {

// Only where the ports are kernel interfaces with the wire's XDP program.
void add_wire_metrics(Families& out, dp::Runtime& runtime) {
  const std::optional<dp::WireReport> wire = runtime.wire();
  if (!wire) return;
  Family active = Family::gauge(
      "rncd_bypass_active",
      "1 while frames of this port, of some workers at least, go across in the kernel; those that "
      "take the short-cut do not count.");
  Family frames =
      Family::counter("rncd_wire_frames_total",
                      "Frames of this port by the way that the wire's XDP program sent them: normal "
                      "(to a worker), bypass (across in the kernel, around a worker), disconnect "
                      "(nowhere), shortcut (across in the kernel, dataplane.wire.shortcut). Goes on through "
                      "restarts of rncd.");
  Family bytes = Family::counter("rncd_wire_bytes_total", "The same in bytes.");
  Family tags =
      Family::counter("rncd_wire_restored_vlan_tags_total",
                      "VLAN tags that the kernel kept beside frames of this port, and that the wire's XDP "
                      "program put back into them.");
  Family failovers =
      Family::counter("rncd_failovers_total",
                      "Times that frames of this port began to go around a worker that was dead or hung; "
                      "of all workers.");
  Family at_risk = Family::gauge("rncd_wire_inherited_at_risk_bytes",
                                 "Octets that split proxies of the rncd before this one had told servers of "
                                 "and not brought to UEs when it died.");
  at_risk.add({}, static_cast<double>(wire->at_risk_before));
  Family changed = Family::gauge("rncd_wire_changed_seconds",
                                 "Age of the last change of the way, from the workers or back to them.");
  for (const dp::Side side : dp::kSides) {
    const dp::WireReport::Port& port = wire->ports[dp::index(side)];
    if (port.interface == 0) continue;
    const std::string name(dp::name(side));
    active.add({label("port", name)}, port.way == dp::WireWay::bypass ? 1.0 : 0.0);
    failovers.add({label("port", name)}, port.failovers);
    tags.add({label("port", name)}, port.restored_tags);
    for (std::size_t way = 0; way < dp::kWireFateNames.size(); ++way) {
      const Labels labels{label("port", name), label("way", dp::kWireFateNames[way])};
      frames.add(labels, port.counts[way].frames);
      bytes.add(labels, port.counts[way].bytes);
    }
    if (!port.changed) continue;
    changed.add({label("port", name)}, std::chrono::duration<double>(*port.changed).count());
  }
  for (Family* family : {&active, &frames, &bytes, &tags, &failovers, &changed, &at_risk}) family->into(out);
}

}  // namespace control
