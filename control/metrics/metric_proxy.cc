#include "control/metrics/metric_groups.h"
#include "control/plane/proxy_sum.h"

namespace control {
namespace {

template <std::size_t kN>
void add_named(Family& family, const std::string& cls, std::string_view name,
               const std::array<std::uint64_t, kN>& counts, const std::array<std::string_view, kN>& names) {
  for (std::size_t i = 0; i < kN; ++i) family.add({label("class", cls), label(name, names[i])}, counts[i]);
}

}  // namespace

// Only classes that have a proxy, or bearers with one, or had: what was counted stays.
void add_proxy_metrics(Families& out, dp::Runtime& runtime, const View& view) {
  Family flows =
      Family::gauge("rncd_proxy_flows", "TCP connections that split proxies have, by their state.");
  Family stored = Family::gauge("rncd_proxy_stored_bytes",
                                "Octets from servers that are stored until the UE has acknowledged them.");
  Family at_risk = Family::gauge(
      "rncd_proxy_at_risk_bytes",
      "Of these, octets that the server was told have arrived: they would be lost with the box.");
  Family acked = Family::counter("rncd_proxy_acked_bytes_total",
                                 "Octets acknowledged to servers before the UE had acknowledged them.");
  Family again =
      Family::counter("rncd_proxy_retransmissions_total", "Segments that split proxies sent to UEs again.");
  Family timeouts =
      Family::counter("rncd_proxy_timeouts_total", "Timeouts of the proxies' senders, towards UEs.");
  Family unsplit =
      Family::counter("rncd_proxy_unsplit_total", "TCP connections that passed unsplit, by the reason.");
  Family resets = Family::counter(
      "rncd_proxy_resets_total",
      "Split connections that were reset at both ends with something at risk, by the reason.");
  Family closed =
      Family::counter("rncd_proxy_window_closed_total", "Times that a server was told a window of 0.");
  Family gave_way =
      Family::counter("rncd_proxy_gave_way_total",
                      "Split connections that were let go, drained or reset so that another could be split.");
  for (std::size_t cls = 0; cls < view.classes.size(); ++cls) {
    const ProxySum sum = proxies_of_class(runtime, cls);
    if ((cls >= view.proxied.size() || !view.proxied[cls]) && sum == ProxySum{}) continue;
    const std::string& name = view.classes[cls];
    const Labels of_class{label("class", name)};
    add_named(flows, name, "state", sum.flows, dp::kSplitStateNames);
    stored.add(of_class, sum.stored);
    at_risk.add(of_class, sum.at_risk);
    acked.add(of_class, sum.acked);
    again.add(of_class, sum.retransmissions);
    timeouts.add(of_class, sum.timeouts);
    add_named(unsplit, name, "why", sum.unsplit, dp::kUnsplitNames);
    add_named(resets, name, "why", sum.resets, dp::kSplitResetNames);
    closed.add(of_class, sum.window_closed);
    gave_way.add(of_class, sum.gave_way);
  }
  for (Family* family :
       {&flows, &stored, &at_risk, &acked, &again, &timeouts, &unsplit, &resets, &closed, &gave_way})
    family->into(out);
}

}  // namespace control
