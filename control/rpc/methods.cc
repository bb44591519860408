#include "control/rpc/methods.h"

#include <array>

#include "control/rpc/methods/capture_texts.h"
#include "control/rpc/params.h"

namespace control::rpc {
namespace {

using enum Access;

// `config.check` changes nothing, but its cost depends on the caller: it is the operator's.
constexpr std::array kMethods{
    Method{"version", reads, {kNothing}, "version of rncd, of this interface and of DPDK", &version},
    Method{"rpc.methods",
           reads,
           {kNothing},
           "the methods, their parameters, what they do, and whether the read-only socket serves them",
           &list_methods},
    Method{
        "bearer.set",
        changes,
        {kSetOne, kSetMany},
        "makes bearers be as said, new or existing; without class a bearer keeps its class and what is not "
        "given stays; all are checked before any is changed; answers when the worker has taken them; qfi, "
        "teid: the UE's dedicated bearer for packets of this QFI, or of the uplink tunnel with this TEID; "
        "downlink_teid: the TEID of its downlink, another than before makes it anew; tunnel: "
        "{endpoint, teid, qfi?} by which its packets come from now on, while other packets show no other "
        "tunnel, and those of the UE's bearers by QFI; handover: what becomes of packets that wait, by "
        "default rewrite; tunnels: how many were "
        "told, by the effect; owner: a program that keeps them, and says so again within ttl seconds; what "
        "an "
        "operator, the configuration or another program has set stays, and counts as kept; a lower "
        "generation than "
        "a bearer has is refused; ttl without owner: an operator's time",
        &bearer_set},
    Method{"bearer.get",
           reads,
           {kOneUe},
           "one bearer: its settings and what it holds and has sent",
           &bearer_get},
    Method{"bearer.list",
           reads,
           {kBearerList},
           "bearers by address, dedicated ones behind their UE's default one; next: the next page's cursor",
           &bearer_list},
    Method{"bearer.release",
           changes,
           {kRelease},
           "gives back what an operator has set: bearers of the configuration or of a rule return to their "
           "class, others wait a minute for a program, and go",
           &bearer_release},
    Method{"bearer.remove",
           changes,
           {kRemoval},
           "removes bearers; what they hold is sent first; one that is not there counts as removed already; "
           "with a UE's default bearer go its dedicated ones; owner: only the bearers of this program",
           &bearer_remove},
    Method{
        "bearer.move",
        changes,
        {kBearerMove},
        "hands a bearer to another worker, with everything it holds; no frame is lost or overtaken; answers "
        "when it is there; was: the worker before",
        &bearer_move},
    Method{
        "bearer.top",
        reads,
        {kBearerTop},
        "the bearers that lead by a figure of the last second, with rates, queue, drops and round trips, and "
        "what limits each direction; by: rate unless given; direction: whose figure, downlink unless given; "
        "reverse: the lowest first; prefix: only UEs in it; of: how many fit class and prefix; "
        "delivered_rate: bit/s over the last second, 10 to 12 s and 60 to 75 s; mean_sojourn_seconds: the "
        "mean queue over deliveries, by samples of the last 10 s; p99_queue_seconds: by 50 samples a second "
        "of the last 10 s, null until the bearer has been listed for a second",
        &bearer_top},
    Method{"bearer.why",
           reads,
           {kOneUe},
           "why a bearer is as fast as it is: what it is and may, what it gets, what limits each direction, "
           "its connections, what changed lately, and advice that follows from these figures",
           &bearer_why},
    Method{
        "rrc.reconfigure",
        changes,
        {kRrc},
        "a new rate, AQM or queue, other ACK stages or another proxy now, for one bearer, many, or all that "
        "there "
        "are of a class; of "
        "one bearer all takes effect together, what is held stays, parameters by profile follow the rate; "
        "without direction: downlink, with the link `am` both; members of an entry of bearers go before "
        "those said for all; all are checked before any is changed; changed: old and new of what is not as "
        "it was; lost: frames dropped by the change",
        &rrc_reconfigure},
    Method{
        "rrc.relocate",
        changes,
        {kRelocate},
        "hands a bearer over to another cell, with what it holds and what has been sent of an SDU; was: the "
        "cell before",
        &rrc_relocate},
    Method{"cell.list",
           reads,
           {kCellList},
           "the cells, in order of name, and what each has counted; next as in bearer.list",
           &cell_list},
    Method{"cell.get", reads, {kOneCell}, "one cell: its settings and what it has counted", &cell_get},
    Method{"cell.add",
           changes,
           {kCellOf},
           "makes a cell of the settings of the configuration's section cells; what is not given has its "
           "default",
           &cell_add},
    Method{
        "cell.set",
        changes,
        {kCellOf},
        "changes settings of a cell, its scheduler among them, from its next slot on; what bearers hold and "
        "their mean rates stay; changed: old and new of what is not as it was",
        &cell_set},
    Method{"cell.remove",
           changes,
           {kOneCell},
           "removes a cell; refused while bearers are in it or a rule leads there",
           &cell_remove},
    Method{"cell.report",
           changes,
           {kCellReport},
           "what the next slots would carry to UEs of the cell whose radio is `reported`: some thousands at "
           "most; "
           "unknown: those of no use, since the UE is not in a cell there, or its radio takes no reports",
           &cell_report},
    Method{"flow.list",
           reads,
           {kFlowList},
           "the TCP connections that the ACK stages or the proxy of a bearer follow, as its worker sees them "
           "now; "
           "proxy: what the proxy has of one; next is the cursor of the next page, null on the last",
           &flow_list},
    Method{
        "tunnel.list",
        reads,
        {kTunnelList},
        "the GTP-U tunnels of bearers, in order of the UE's address, downlink first; ue, peer: only those of "
        "one UE, or that lead to such an endpoint; dedicated: the QFI or TEID that names the UE's dedicated "
        "bearer, null for its default one; stale: an error indication has named it; next is the "
        "cursor of the next page, null on the last",
        &tunnel_list},
    Method{
        "event.list",
        reads,
        {kEventList},
        "the last events, the oldest first: of the newest 10,000 the newest ones, or the oldest ones behind "
        "the number `after`; event: only those of this code; level: of this one or above; about: only those "
        "in which a value names that; next is the cursor of the next page, null without one; last: the "
        "`after` of a later call; earlier: how many are older than the newest ones; forgotten: events behind "
        "`after` that have been forgotten",
        &event_list},
    Method{"profile.get",
           reads,
           {kProfileGet},
           "AQM parameters by rate, the program's and the configuration's; with rate: the values there, and "
           "the rule that gives them",
           &profile_get},
    Method{"capture.start", changes, {kCaptureStart}, kCaptureStartText, &capture_start},
    Method{"capture.read", changes, {kOneCapture}, kCaptureReadText, &capture_read},
    Method{"capture.stop", changes, {kOneCapture}, kCaptureStopText, &capture_stop},
    Method{"mode.set",
           changes,
           {kModeSet},
           "what the box does with frames; leaving inline sends what is queued first, block keeps it; before "
           "tap and "
           "bypass split proxies let their connections go, for modes.drain_timeout at most, and what is then "
           "at risk "
           "is reset; now: at once; drained: octets at risk before and after, connections reset, seconds",
           &mode_set},
    Method{"proxy.show",
           reads,
           {kNothing},
           "what split proxies do, by class: connections, octets stored and at risk, what was acknowledged, "
           "sent again, "
           "not split and reset; mode_drain: the drain before a change of mode, null without one",
           &proxy_show},
    Method{"proxy.drain",
           changes,
           {kProxyDrain},
           "from here on the proxies of a class, a bearer or all tell servers only what UEs have "
           "acknowledged, let "
           "connections go as soon as nothing of them is at risk, and split no others; off: they split "
           "again; answers "
           "at once; at_risk_bytes: of the class, or all",
           &proxy_drain},
    Method{"config.get", reads, {kNothing}, "the configuration as it runs", &config_get},
    Method{
        "config.upload",
        changes,
        {kConfigUpload},
        "takes a piece of a configuration that is longer than a request may be: the first, or the next of "
        "the upload that was answered; upload: its number, for config.check, config.diff and config.apply, "
        "which end it; bytes: so far",
        &config_upload},
    Method{
        "config.check",
        changes,
        {kConfigCheck},
        "checks a configuration and changes nothing; unopened: the error traces that it names, which are not "
        "looked at",
        &config_check},
    Method{
        "config.diff",
        changes,
        {kConfigDiff},
        "what config.apply would change, and changes nothing; keys: old and new of those that differ; "
        "bearers and rules: how many, and the first of them; kept: keys that cannot change while rncd runs",
        &config_diff},
    Method{
        "config.apply",
        changes,
        {kConfigApply},
        "takes over a configuration as SIGHUP does the file, which stays as it is; confirm: seconds within "
        "which config.confirm has to be called, else what ran before comes back, bearers and what was set "
        "of them included; kept: what cannot change while rncd runs; file: its name, for the log; sha256: "
        "the digest of the text",
        &config_apply},
    Method{"config.confirm",
           changes,
           {kNothing},
           "the configuration that waits to be confirmed stays",
           &config_confirm},
    Method{"config.rollback",
           changes,
           {kNothing},
           "what ran before the configuration that waits to be confirmed comes back now",
           &config_rollback},
    Method{
        "state.save",
        changes,
        {kNothing},
        "writes what runs to control.state: the configuration, the bearers, learnt ones included, and what "
        "was set of them; answers when it is on the disk",
        &state_save},
    Method{
        "process.upgrade",
        changes,
        {kUpgrade},
        "another rncd takes this one's place in its process, with its arguments and what runs; it is asked "
        "first whether it takes the configuration; for root and rncd's own user",
        &process_upgrade},
    Method{"stats.get",
           reads,
           {kNothing},
           "counters of ports, workers, classes and the pool, of one moment each",
           &stats_get},
};

void refuse_change(const Request&) {
  throw Fault(kReadOnly,
              "this socket serves only methods that read (rpc.methods tells which); for others use "
              "control.socket");
}

template <void (*kCall)(const Request&)>
void without_paths(const Request& request) {
  const auto shown = [done = request.done](Outcome outcome) {
    if (Json* const json = std::get_if<Json>(&outcome)) hide_paths(*json);
    done(std::move(outcome));
  };
  kCall({request.services, request.kept, request.peer, request.client, request.room, request.rest, shown});
}

// Made at the start: GCC with sanitizers compares no addresses of functions in constant expressions.
const auto kReadOnlyMethods = [] {
  auto table = kMethods;
  for (Method& method : table) {
    if (method.access != reads) method.call = &refuse_change;
    if (method.call == &config_get) method.call = &config_get_without_paths;
    if (method.call == &event_list) method.call = &event_list_without_paths;
    if (method.call == &bearer_why) method.call = &without_paths<&bearer_why>;
    if (method.call == &bearer_get) method.call = &without_paths<&bearer_get>;
    if (method.call == &cell_get) method.call = &without_paths<&cell_get>;
    if (method.call == &stats_get) method.call = &without_paths<&stats_get>;
  }
  return table;
}();

}  // namespace

std::span<const Method> methods() { return kMethods; }
std::span<const Method> read_only_methods() { return kReadOnlyMethods; }

std::string params_of(const Method& method) {
  std::string text;
  for (const std::optional<Rows>& form : method.forms) {
    if (form) text += (text.empty() ? "" : " or ") + text_of(*form);
  }
  return text;
}

}  // namespace control::rpc
