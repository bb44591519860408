#include "control/rpc/methods.h"

#include <array>

#include "control/loop/version.h"
#include "control/rpc/params.h"

namespace control::rpc {
namespace {

using enum Access;

// `config.check` changes nothing, but costs what the caller likes: it is the operator's.
constexpr std::array kMethods{
    Method{"version", reads, "{}", "version of rncd, of this interface and of DPDK", &version},
    Method{"rpc.methods", reads, "{}",
           "the methods, their parameters, what they do, and whether the read-only socket serves them",
           &list_methods},
    Method{
        "bearer.set", changes,
        R"({"ue", "class"?, "downlink"?: {...}, "uplink"?: {...}} or {"bearers": [...]})",
        "makes bearers be as said, new or existing; without class a bearer keeps its class and what is not "
        "given stays; all are checked before any is changed; answers when the worker has taken them",
        &bearer_set},
    Method{"bearer.get", reads, R"({"ue"})", "one bearer: its settings and what it holds and has sent",
           &bearer_get},
    Method{"bearer.list", reads, R"({"class"?, "cursor"?, "limit"?: 1 to 1000, default 100})",
           "bearers in order of address; next is the cursor of the next page, null on the last",
           &bearer_list},
    Method{"bearer.remove", changes, R"({"ue"} or {"ues": [...]})",
           "removes bearers; what they hold is sent first; one that is not there counts as removed already",
           &bearer_remove},
    Method{
        "rrc.reconfigure", changes,
        R"({"bearer" or "bearers": [UE or {"bearer", ...}, ...] or "class", "rate"?: "2M" or bit/s, )"
        R"("direction"?: "downlink", "uplink" or "both", "uplink_rate"?, "aqm"?: {...}, "uplink_aqm"?: {...}, )"
        R"("ack"?: [...]})",
        "a new rate, AQM or other ACK stages now, for one bearer, many, or all that there are of a class; of "
        "one bearer all takes effect together, what is held stays, parameters by profile follow the rate; "
        "without direction: downlink, with the link `am` both; members of an entry of bearers go before "
        "those said for all; all are checked before any is changed; changed: old and new of what is not as "
        "it was; lost: frames dropped by the change",
        &rrc_reconfigure},
    Method{"flow.list", reads, R"({"ue", "cursor"?, "limit"?: 1 to 1000, default 100})",
           "the TCP connections that the ACK stages of a bearer follow, as its worker sees them now; next is "
           "the "
           "cursor of the next page, null on the last",
           &flow_list},
    Method{"profile.get", reads, R"({"policy"?, "name"?, "rate"?: "2M" or bit/s})",
           "AQM parameters by rate, the program's and the configuration's; with rate: the values there, and "
           "the rule that gives them",
           &profile_get},
    Method{"mode.set", changes, R"({"mode": "inline", "tap", "bypass" or "block"})",
           "what the box does with frames; leaving inline sends what is queued first, block keeps it",
           &mode_set},
    Method{"config.get", reads, "{}", "the configuration as it runs", &config_get},
    Method{
        "config.check", changes, R"({"config": YAML text})",
        "checks a configuration and changes nothing; unopened: the error traces that it names, which are not "
        "looked at",
        &config_check},
    Method{"stats.get", reads, "{}", "counters of ports, workers, classes and the pool, of one moment each",
           &stats_get},
};

void refuse_change(const Request& request) {
  throw Fault(kReadOnly,
              "this socket serves only methods that read (rpc.methods tells which); for others use " +
                  request.services.plane.config().control.socket);
}

constexpr auto kReadOnlyMethods = [] {
  auto table = kMethods;
  for (Method& method : table) {
    if (method.access != reads) method.call = &refuse_change;
  }
  return table;
}();

}  // namespace

std::span<const Method> methods() { return kMethods; }
std::span<const Method> read_only_methods() { return kReadOnlyMethods; }

void version(const Request& request) {
  const Params params(request.params, {});
  request.done(Json{{"rncd", kVersion}, {"api", kApiVersion}, {"dpdk", kDpdkVersion}, {"build", kBuild}});
}

void list_methods(const Request& request) {
  const Params params(request.params, {});
  Json list = Json::array();
  for (const Method& method : methods()) {
    list.push_back({{"name", method.name},
                    {"params", method.params},
                    {"doc", method.doc},
                    {"read_only", method.access == reads}});
  }
  request.done(std::move(list));
}

}  // namespace control::rpc
