#include "control/metrics/metric_groups.h"

namespace control {

void add_socket_metrics(Families& out, const View& view) {
  FamilyGroup<ServerStats> sockets;
  sockets
      .gauge("rncd_control_connections", "Clients of a control socket.",
             [](const ServerStats& stats) { return std::uint64_t{stats.connections}; })
      .gauge("rncd_control_buffer_bytes", "Bytes held for requests and answers of those clients.",
             [](const ServerStats& stats) { return std::uint64_t{stats.memory}; })
      .counter(
          "rncd_control_cut_connections_total",
          "Clients that got no connection to a control socket, or lost it.",
          [](Series series, const ServerStats& stats) { series.add_named("reason", kCutNames, stats.cut); });
  for (const ServerStats& stats : view.sockets) sockets.add({label("socket", stats.socket)}, stats);
  sockets.into(out);
}

}  // namespace control
