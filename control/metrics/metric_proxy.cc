#include "control/metrics/metric_groups.h"
#include "control/workers/proxy_sum.h"

namespace control {

// Only classes that have or had a proxy, or bearers with one: their counts stay.
void add_proxy_metrics(Families& out, dp::Runtime& runtime, const View& view) {
  FamilyGroup<ProxySum> classes;
  classes
      .gauge("rncd_proxy_flows", "TCP connections that split proxies have, by their state.",
             [](Series series, const ProxySum& sum) {
               series.add_named("state", dp::kSplitStateNames, sum.flows);
             })
      .gauge("rncd_proxy_stored_bytes",
             "Octets from servers that are stored until the UE has acknowledged them.",
             [](const ProxySum& sum) { return sum.stored; })
      .gauge("rncd_proxy_at_risk_bytes",
             "Of these, octets that the server was told have arrived: they would be lost with the box.",
             [](const ProxySum& sum) { return sum.at_risk; })
      .counter("rncd_proxy_acked_bytes_total",
               "Octets acknowledged to servers before the UE had acknowledged them.",
               [](const ProxySum& sum) { return sum.acked; })
      .counter("rncd_proxy_retransmissions_total", "Segments that split proxies sent to UEs again.",
               [](const ProxySum& sum) { return sum.retransmissions; })
      .counter("rncd_proxy_timeouts_total", "Timeouts of the proxies' senders, towards UEs.",
               [](const ProxySum& sum) { return sum.timeouts; })
      .counter(
          "rncd_proxy_unsplit_total", "TCP connections that passed unsplit, by the reason.",
          [](Series series, const ProxySum& sum) { series.add_named("why", dp::kUnsplitNames, sum.unsplit); })
      .counter("rncd_proxy_resets_total",
               "Split connections that were reset at both ends with something at risk, by the reason.",
               [](Series series, const ProxySum& sum) {
                 series.add_named("why", dp::kSplitResetNames, sum.resets);
               })
      .counter("rncd_proxy_window_closed_total", "Times that a server was told a window of 0.",
               [](const ProxySum& sum) { return sum.window_closed; })
      .counter("rncd_proxy_gave_way_total",
               "Split connections that were let go, drained or reset so that another could be split.",
               [](const ProxySum& sum) { return sum.gave_way; });
  for (std::size_t cls = 0; cls < view.classes.size(); ++cls) {
    const ProxySum sum = proxies_of_class(runtime, cls);
    if ((cls >= view.proxied.size() || !view.proxied[cls]) && sum == ProxySum{}) continue;
    classes.add({label("class", view.classes[cls])}, sum);
  }
  classes.into(out);
}

}  // namespace control
