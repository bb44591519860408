#include "control/metrics/metrics.h"

#include <stdexcept>
#include <utility>

#include <fmt/core.h>
#include <prometheus/text_serializer.h>

#include "control/loop/http_server.h"
#include "control/loop/log.h"
#include "control/loop/version.h"
#include "control/metrics/account_sum.h"
#include "control/metrics/metric_groups.h"

namespace control {
namespace {

void add_state_metrics(Families& out, dp::Runtime& runtime, const View& view,
                       const dp::FrameAccount& account) {
  const dp::PoolReport pool = runtime.pool();
  Family::gauge("rncd_mbufs", "Packet buffers there are.").add({}, pool.mbufs).into(out);
  Family::gauge("rncd_mbufs_in_use", "Packet buffers with drivers, in caches, rings and bearer buffers.")
      .add({}, pool.in_use)
      .into(out);
  Family::gauge("rncd_bearer_capacity", "Bearers that the table holds.")
      .add({}, std::uint64_t{view.capacity})
      .into(out);
  Family::gauge(
      "rncd_unaccounted_frames",
      "Frames neither sent, nor held, nor dropped with a reason: received + created - sent - held - "
      "dropped. "
      "Not 0 means a fault in rncd.")
      .add({}, static_cast<double>(account.residue()))
      .into(out);
  Family::gauge(
      "rncd_retained_frames",
      "Frames beside those in bearer buffers: delivered and not yet acknowledged by the peer RLC, or "
      "still incomplete there, or kept by ACK stages or sent by split proxies until the UE has them.")
      .add({}, account.retained)
      .into(out);
  Family mode = Family::gauge("rncd_mode", "1 for the mode the box is in.");
  const dp::Mode now = runtime.shared(0).snapshot.read().mode;
  for (std::size_t m = 0; m < dp::kModeNames.size(); ++m) {
    mode.add({label("mode", dp::kModeNames[m])}, dp::index(now) == m ? 1.0 : 0.0);
  }
  mode.into(out);
  Family::counter("rncd_log_dropped_lines_total", "Lines of the log dropped because nobody read it.")
      .add({}, log::dropped())
      .into(out);
  Family::gauge("rncd_build_info", "1; what runs is in the labels.")
      .add({label("version", kVersion), label("dpdk", kDpdkVersion)}, 1.0)
      .into(out);
}

class PageServer : public MetricsServer {
 public:
  PageServer(const std::string& address, std::shared_ptr<Metrics> metrics)
      : server_(listen_tcp(address),
                {"/metrics", "text/plain; version=0.0.4; charset=utf-8", [metrics = std::move(metrics)] {
                   return prometheus::TextSerializer().Serialize(metrics->Collect());
                 }}) {}

 private:
  HttpServer server_;
};

}  // namespace

std::vector<prometheus::MetricFamily> Metrics::Collect() const {
  const std::shared_ptr<const View> view = view_.get();
  const dp::FrameAccount account = sum_accounts(runtime_);
  Families out;
  add_port_metrics(out, runtime_, *view, account);
  add_gtp_u_metrics(out, account, view->gtp_u);
  add_class_metrics(out, runtime_, *view);
  add_aqm_metrics(out, runtime_, *view);
  add_ack_metrics(out, runtime_, *view);
  add_proxy_metrics(out, runtime_, *view);
  add_wire_metrics(out, runtime_);
  add_cell_metrics(out, *view);
  add_worker_metrics(out, runtime_, *view);
  add_state_metrics(out, runtime_, *view, account);
  add_learning_metrics(out, account, *view);
  add_change_metrics(out, view_.changes);
  add_socket_metrics(out, *view);
  add_life_metrics(out, *view);
  add_bearer_metrics(out, *view);
  return out;
}

std::unique_ptr<MetricsServer> MetricsServer::open(const std::string& address,
                                                   std::shared_ptr<Metrics> metrics) {
  try {
    return std::make_unique<PageServer>(address, std::move(metrics));
  } catch (const std::system_error& e) {
    throw std::runtime_error(cannot_listen(address, e).message);
  }
}

}  // namespace control
