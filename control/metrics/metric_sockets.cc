#include "control/metrics/metric_groups.h"

namespace control {

void add_socket_metrics(Families& out, const View& view) {
  Family connections = Family::gauge("rncd_control_connections", "Clients of a control socket.");
  Family memory =
      Family::gauge("rncd_control_buffer_bytes", "Bytes held for requests and answers of those clients.");
  Family cut = Family::counter("rncd_control_cut_connections_total",
                               "Clients that got no connection to a control socket, or lost it.");
  for (const ServerStats& stats : view.sockets) {
    const Labels labels{label("socket", stats.socket)};
    connections.add(labels, std::uint64_t{stats.connections});
    memory.add(labels, std::uint64_t{stats.memory});
    for (std::size_t i = 0; i < kCutNames.size(); ++i) {
      cut.add({labels[0], label("reason", kCutNames[i])}, stats.cut[i]);
    }
  }
  for (Family* family : {&connections, &memory, &cut}) family->into(out);
}

}  // namespace control
