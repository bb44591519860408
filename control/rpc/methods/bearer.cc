#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "config/dedicated.h"
#include "config/gtp_u.h"
#include "config/json.h"
#include "control/bearers/dedicated.h"
#include "control/rpc/answer.h"
#include "control/rpc/audit.h"
#include "control/rpc/bearer_json.h"
#include "control/rpc/bearer_params.h"
#include "control/rpc/tunnel_params.h"

namespace control::rpc {
namespace {

// The cell that the request names, or the one in which the bearer is.
CellRecord* cell_wanted(const Params& params, DataPlane& plane, const Want& want) {
  const bool shares = dp::uses_cell(*want.settings);
  if (const auto name = params.text("cell")) {
    CellRecord& cell = cell_named(plane.cells().records(), *name, params.path("cell"));
    if (shares) return &cell;
    params.refuse("cell",
                  fmt::format("given, but the link of {} is not `cell`; leave it out, or give a class or a "
                              "downlink whose link is `cell`",
                              plane.registry().text_of(want.ue)));
  }
  if (!shares) return nullptr;
  const Record* record = plane.registry().find(want.ue);
  if (record != nullptr && record->cell != nullptr) return record->cell;
  throw Fault(kInvalidParams,
              fmt::format("{}: missing, and the link of {} is `cell`: say in which cell it is",
                          params.path("cell"), plane.registry().text_of(want.ue)));
}

// Refuses a new bearer of a tunnels' end: its packets would be taken for tunnels.
void check_new(const Params& params, const dp::UeAddress& ue, const DataPlane& plane) {
  if (plane.registry().find(ue) != nullptr) return;
  const config::GtpUPeer* const peer = config::peer_around(ue, plane.config());
  if (peer == nullptr) return;
  params.refuse("ue", fmt::format("found {}, which is in {} of dataplane.gtp_u.peers, the ends of tunnels; "
                                  "expected the address of a UE, as it is within the tunnel",
                                  plane.registry().text_of(ue), dp::to_string(peer->prefix)));
}

// Refuses a new dedicated bearer to which no packet would come.
void check_new_dedicated(const Params& params, const dp::UeAddress& ue, const DataPlane& plane) {
  if (ue.dedicated == dp::Dedicated::no || plane.config().dataplane.gtp_u) return;
  params.refuse("ue", fmt::format("found the dedicated bearer {}, but rncd looks into no tunnels, and only "
                                  "packets in tunnels have a QFI or a TEID; set dataplane.gtp_u first",
                                  plane.registry().text_of(ue)));
}

// The tunnel of the downlink that the request tells the bearer last; null if it tells none.
const ToldTunnel* told_downlink(const Wish& wish, const dp::UeAddress& ue) {
  const auto at = std::ranges::find_if(
      wish.tunnels.rbegin(), wish.tunnels.rend(),
      [&](const ToldTunnel& told) { return told.ue == ue && told.direction == dp::Direction::downlink; });
  return at == wish.tunnels.rend() ? nullptr : &*at;
}

// Reads "downlink_teid". A bearer that exists gets its new TEID with a tunnel that is told.
void read_downlink_teid(const Params& params, const DataPlane& plane, const ToldTunnel* told, Want& want) {
  constexpr std::string_view kName = "downlink_teid";
  want.downlink_teid = params.teid(kName);
  if (!want.downlink_teid) return;
  if (want.ue.dedicated != dp::Dedicated::by_teid) {
    params.refuse(kName, fmt::format("given, but {} is not a bearer by TEID; leave it out, or give \"teid\", "
                                     "the TEID of its uplink",
                                     plane.registry().text_of(want.ue)));
  }
  if (told == nullptr) return;
  if (told->tunnel.teid != *want.downlink_teid) {
    params.refuse(kName,
                  fmt::format("found {}, and the tunnel of the downlink has {}; leave this one out",
                              config::teid_text(*want.downlink_teid), config::teid_text(told->tunnel.teid)));
  }
  if (plane.registry().find(want.ue) != nullptr) want.downlink_teid.reset();
}

// Reads one bearer as requested, upon its present settings.
void read_want(const Json& json, const std::string& where, DataPlane& plane, SettingsReader& reader,
               Wish& wish) {
  const Params params(json, kOneBearer, where);
  const std::vector<config::Class>& classes = plane.config().classes;
  Want want;
  want.ue = params.need_ue("ue", plane.config().networks);
  check_new(params, want.ue, plane);
  check_new_dedicated(params, want.ue, plane);
  if (const auto name = params.text("class")) {
    want.settings = plane.bearers().settings_of(class_named(*name, params.path("class"), classes));
  } else if (const Record* record = plane.registry().find(want.ue)) {
    want.settings = record->settings;
  } else {
    throw Fault(kInvalidParams, fmt::format("{}: missing, and {} has no bearer whose class it could keep",
                                            params.path("class"), plane.registry().text_of(want.ue)));
  }
  Json legs = Json::object();
  for (const char* leg : {"downlink", "uplink"}) {
    if (const Json* given = params.object(leg)) legs[leg] = *given;
  }
  if (const Json* proxy = params.find("proxy")) legs["proxy"] = *proxy;
  want.settings = reader.read(legs, where, want.settings);
  want.cell = cell_wanted(params, plane, want);
  if (const Json* tunnel = params.object("tunnel"))
    read_tunnels(*tunnel, params.path("tunnel"), want.ue, plane.config(), wish.tunnels);
  read_downlink_teid(params, plane, told_downlink(wish, want.ue), want);
  wish.set.push_back(std::move(want));
}

Slices read_set(std::shared_ptr<const Json> json, DataPlane& plane, Wish& wish) {
  SettingsReader reader(plane.config().profiles, plane.traces());
  if (!json->is_object() || !json->contains("bearers")) {
    read_want(*json, "", plane, reader, wish);
    co_return;
  }
  const Params params(*json, kManyBearers);
  const Json& bearers = *params.array("bearers");
  for (std::size_t i = 0; i < bearers.size(); ++i) {
    read_want(bearers[i], fmt::format("bearers[{}]", i), plane, reader, wish);
    co_await Slices::Pause{};
  }
}

// A UE's dedicated bearers go with its default one (TS 23.401 clause 5.4.4.1).
void add_removal(const BearerRegistry& registry, const dp::UeAddress& ue, Wish& wish) {
  wish.remove.push_back(ue);
  if (ue.dedicated != dp::Dedicated::no) return;
  const std::vector<dp::UeAddress> dedicated = dedicated_of(registry, ue);
  wish.remove.insert(wish.remove.end(), dedicated.begin(), dedicated.end());
}

Slices read_removal(std::shared_ptr<const Json> json, const DataPlane& plane, Wish& wish) {
  const Params params(*json, kRemoval);
  const Json* const ues = params.array("ues");
  if (ues == nullptr) {
    add_removal(plane.registry(), params.need_ue("ue", plane.config().networks), wish);
    co_return;
  }
  for (const std::string_view name : {kQfi.name, kTeid.name}) {
    if (params.has(name))
      params.refuse(name, "given beside \"ues\"; name dedicated bearers there, by objects");
  }
  if (params.has("ue")) params.refuse("ue", "given beside \"ues\"; give one of the two");
  for (std::size_t i = 0; i < ues->size(); ++i) {
    const dp::UeAddress ue = listed_ue((*ues)[i], fmt::format("ues[{}]", i), plane.config().networks);
    add_removal(plane.registry(), ue, wish);
    co_await Slices::Pause{};
  }
}

// The tunnels that were told, by effect; nothing if there were none.
void add_tunnels(Json& json, const Applied& applied) {
  if (std::ranges::count(applied.tunnels, std::size_t{0}) == std::ssize(applied.tunnels)) return;
  for (std::size_t told = 0; told < applied.tunnels.size(); ++told) {
    json["tunnels"][dp::kTunnelToldNames[told]] = applied.tunnels[told];
  }
}

struct ListQuery {
  std::optional<dp::ClassId> cls{};
  std::optional<dp::UeAddress> after{};
  Members members = Members::all();
  std::uint64_t limit = 0;
  std::size_t room = 0;
};

// Bearers come and go between two slices, so the walk resumes in the registry by address.
Slices list(const DataPlane& plane, ListQuery query, Done done) {
  const BearerRegistry::Map& all = plane.registry().all();
  std::string text;
  std::optional<dp::UeAddress> last;
  bool more = false;
  std::uint64_t listed = 0;
  auto at = query.after ? plane.registry().after(*query.after) : all.begin();
  while (at != all.end()) {
    const dp::UeAddress ue = at->first;
    if (!query.cls || at->second.settings->cls == *query.cls) {
      more = listed == query.limit;
      if (more) break;
      text +=
          (listed++ == 0 ? "" : ",") + to_text(to_json(ue, at->second, plane, Detail::brief, query.members));
      if (text.size() > query.room) break;  // it will be refused as it is: no more is computed
      last = ue;
    }
    co_await Slices::Pause{};
    at = plane.registry().after(ue);
  }
  const std::string next = more ? '"' + plane.registry().text_of(*last) + '"' : "null";
  done(list_text(text, next));
}

}  // namespace

void bearer_set(const Request& request) {
  DataPlane& plane = request.services.plane;
  LatestView& view = request.services.view;
  const auto asked = request.peer.asked;
  const auto changes = std::make_shared<std::string>();
  const auto wish = [params = request.kept, &plane](Wish& made) { return read_set(params, plane, made); };
  const auto answer = [&view, &plane, asked, changes](const Applied& applied) {
    count_changes(view, applied, asked);
    *changes = describe(applied, plane.config());
    Json json{{"created", applied.created}, {"changed", applied.changed}, {"unchanged", applied.unchanged}};
    add_tunnels(json, applied);
    return json;
  };
  Done done = logged(request, "bearer.set", named_in(request.params, "ue", "bearers", "ue"), changes);
  request.services.plane.bearers().apply(wish, answer_with<Applied>(std::move(done), answer), request.client);
}

void bearer_get(const Request& request) {
  const DataPlane& plane = request.services.plane;
  const dp::UeAddress ue = Params(request.params, kOneUe).need_ue("ue", plane.config().networks);
  request.done(to_json(ue, need_bearer(plane.registry(), ue), plane, Detail::full));
}

void bearer_list(const Request& request) {
  const Params params(request.params, kBearerList);
  const DataPlane& plane = request.services.plane;
  ListQuery query;
  query.limit = params.number("limit");
  if (const auto name = params.text("class")) {
    query.cls = class_named(*name, "class", plane.config().classes);
  }
  if (params.has("cursor")) query.after = params.need_ue("cursor", plane.config().networks);
  if (const Json* members = params.array("members"))
    query.members = Members::read(*members, params.path("members"));
  query.room = request.room;
  request.rest = list(plane, query, request.done);
}

void bearer_remove(const Request& request) {
  const DataPlane& plane = request.services.plane;
  const auto changes = std::make_shared<std::string>();
  const auto wish = [params = request.kept, &plane](Wish& made) { return read_removal(params, plane, made); };
  const auto answer = [&plane, changes](const Applied& applied) {
    *changes = describe(applied, plane.config());
    return Json{{"removed", applied.removed}};
  };
  Done done = logged(request, "bearer.remove", named_in(request.params, "ue", "ues", "ue"), changes);
  request.services.plane.bearers().apply(wish, answer_with<Applied>(std::move(done), answer), request.client);
}

void bearer_move(const Request& request) {
  const Params params(request.params, kBearerMove);
  DataPlane& plane = request.services.plane;
  const dp::UeAddress ue = params.need_ue("ue", plane.config().networks);
  const auto worker = static_cast<unsigned>(params.number("worker"));
  const auto changes = std::make_shared<std::string>();
  const auto answer = [&plane, ue, worker, changes](unsigned was) {
    if (was != worker)
      *changes = fmt::format("{} worker {} to {}", plane.registry().text_of(ue), was, worker);
    Json json{{"was", was}, {"worker", worker}};
    add_name(json, "ue", ue, plane.config().networks);
    return json;
  };
  Done done = logged(request, "bearer.move", plane.registry().text_of(ue), changes);
  plane.moves().move(ue, worker, answer_with<unsigned>(std::move(done), answer), request.client);
}

}  // namespace control::rpc
