// Connections and tunnels of bearers, as their workers see them.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "control/bearers/dedicated.h"
#include "control/rpc/answer.h"
#include "control/rpc/bearer_json.h"
#include "control/rpc/bearer_params.h"
#include "control/rpc/flow_json.h"
#include "control/rpc/params.h"
#include "control/rpc/tunnel_params.h"
#include "dataplane/bearer/bearer.h"

namespace control::rpc {
namespace {

struct TunnelQuery {
  std::optional<dp::UeAddress> ue{};  // the default bearer: all of the UE
  std::optional<dp::Prefix> peer{};
  // The last tunnel of the page before.
  std::optional<std::pair<dp::UeAddress, dp::Direction>> after{};
  std::uint64_t limit = 0;
  std::size_t room = 0;
};

bool leads_to(const dp::TunnelKey& tunnel, const dp::Prefix& peer) {
  return tunnel.ipv6 ? peer.contains_ipv6(tunnel.hi, tunnel.lo)
                     : peer.contains_ipv4(static_cast<std::uint32_t>(tunnel.lo));
}

// A page of tunnels: their JSON, and the name of the last.
struct TunnelPage {
  std::string text{}, last{};
  std::uint64_t listed = 0;
  bool more = false;
};

// The tunnel has a QFI and a TEID of its own, so these stand apart: {"qfi": 1}, and null for a default
// bearer.
Json selector_json(const dp::UeAddress& bearer) {
  if (bearer.dedicated == dp::Dedicated::no) return nullptr;
  return {{(bearer.dedicated == dp::Dedicated::by_qfi ? kQfi : kTeid).name, bearer.id}};
}

bool is_asked_for(const TunnelQuery& query, const dp::UeAddress& bearer) {
  if (!query.ue || *query.ue == bearer) return true;
  return query.ue->dedicated == dp::Dedicated::no && dp::same_ue(*query.ue, bearer);
}

// Adds the bearer's tunnels that the query wants. False if the page is full.
bool add_tunnels(const dp::UeAddress& ue, const dp::Bearer& bearer, const DataPlane& plane,
                 const TunnelQuery& query, TunnelPage& page) {
  for (const dp::Direction direction : dp::kDirections) {
    if (query.after && query.after->first == ue && direction <= query.after->second) continue;
    const auto read = bearer.tunnel(direction).read();
    if (!read || (query.peer && !leads_to(read->key, *query.peer))) continue;
    page.more = page.listed == query.limit;
    if (page.more) return false;
    const std::string name = plane.registry().text_of(ue);
    Json json = to_json(bearer.tunnel(direction), plane.runtime().now());
    json.update({{"ue", plane.registry().text_of(dp::default_bearer_of(ue))},
                 {"dedicated", selector_json(ue)},
                 {"direction", dp::name(direction)}});
    page.text += (page.listed++ == 0 ? "" : ",") + to_text(json);
    page.last = fmt::format("{} {}", name, dp::name(direction));
  }
  return page.text.size() <= query.room;  // else it will be refused as it is: no more is computed
}

// Bearers come and go between two slices, so the walk resumes in the registry by address. A tunnel is read
// beside its worker, which does not notice.
Slices list_tunnels(const DataPlane& plane, TunnelQuery query, Done done) {
  const BearerRegistry& registry = plane.registry();
  TunnelPage page;
  std::optional<dp::UeAddress> from = query.ue;
  if (query.after) from = from ? std::max(*from, query.after->first) : query.after->first;
  auto at = from ? registry.all().lower_bound(*from) : registry.all().begin();
  while (at != registry.all().end() && is_asked_for(query, at->first)) {
    const dp::UeAddress ue = at->first;
    if (!add_tunnels(ue, *at->second.bearer, plane, query, page)) break;
    co_await Slices::Pause{};
    at = registry.after(ue);
  }
  const std::string next = page.more ? '"' + page.last + '"' : "null";
  done(list_text(page.text, next));
}

// "10.45.0.2 downlink", "10.45.0.2 qfi 1 uplink"
std::pair<dp::UeAddress, dp::Direction> tunnel_cursor(const Params& params,
                                                      const config::Networks& networks) {
  const std::string text = params.need_text("cursor");
  const std::size_t space = std::min(text.rfind(' '), text.size());
  for (const dp::Direction direction : dp::kDirections) {
    if (space == text.size() || text.substr(space + 1) != dp::name(direction)) continue;
    return {to_ue(text.substr(0, space), params.path("cursor"), networks), direction};
  }
  params.refuse("cursor", "expected \"next\" of the page before, such as \"10.45.0.2 downlink\"");
}

}  // namespace

void flow_list(const Request& request) {
  const Params params(request.params, kFlowList);
  const dp::UeAddress ue = params.need_ue("ue", request.services.plane.config().networks);
  const auto from = static_cast<std::uint32_t>(params.number("cursor"));
  const auto limit = static_cast<std::uint32_t>(params.number("limit"));
  need_bearer(request.services.plane.registry(), ue);
  const auto flows = std::make_shared<Json>(Json::array());
  const auto add = [flows](const dp::Flow& flow, const dp::SplitRow* split, dp::Time now) {
    flows->push_back(flow_json(flow, split, now));
  };
  const auto finish = [flows](const FlowPage& page) {
    Json json = list_json(std::move(*flows), page.next ? Json(*page.next) : Json(nullptr));
    json["followed"] = page.followed;
    return json;
  };
  request.services.plane.bearers().read_flows({ue, from, limit}, add,
                                              answer_with<FlowPage>(request.done, finish), request.client);
}

void tunnel_list(const Request& request) {
  const Params params(request.params, kTunnelList);
  const DataPlane& plane = request.services.plane;
  TunnelQuery query;
  query.limit = params.number("limit");
  query.room = request.room;
  if (params.has("ue")) {
    query.ue = params.need_ue("ue", plane.config().networks);
    if (dedicated_of(plane.registry(), *query.ue).empty() || query.ue->dedicated != dp::Dedicated::no)
      need_bearer(plane.registry(), *query.ue);
  } else {
    for (const std::string_view selector : {kQfi.name, kTeid.name}) {
      if (params.has(selector)) params.refuse(selector, "given without \"ue\"; name the UE");
    }
  }
  if (const auto peer = params.text("peer")) {
    const auto prefix = parse_endpoints(*peer);
    if (!prefix) params.refuse("peer", prefix.error().message);
    query.peer = *prefix;
  }
  if (params.has("cursor")) query.after = tunnel_cursor(params, plane.config().networks);
  request.rest = list_tunnels(plane, query, request.done);
}

}  // namespace control::rpc
