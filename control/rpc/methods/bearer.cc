#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "config/dedicated.h"
#include "config/gtp_u.h"
#include "config/json.h"
#include "control/bearers/dedicated.h"
#include "control/bearers/give_back.h"
#include "control/rpc/answer.h"
#include "control/rpc/audit.h"
#include "control/rpc/bearer_json.h"
#include "control/rpc/bearer_params.h"
#include "control/rpc/methods/keeping.h"
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

// The means to read the entries of bearer.set.
struct SetReading {
  DataPlane& plane;
  const Keeping& keeping;
  SettingsReader& settings;
  Wish& wish;
  std::size_t& kept;  // bearers that others keep
};

// Reads one bearer as requested, upon its present settings.
void read_want(const Params& params, const std::string& where, const SetReading& reading) {
  const DataPlane& plane = reading.plane;
  const std::vector<config::Class>& classes = plane.config().classes;
  Want want;
  want.ue = params.need_ue("ue", plane.config().networks);
  check_new(params, want.ue, plane);
  check_new_dedicated(params, want.ue, plane);
  if (!reading.keeping.admit(plane.registry(), want)) {
    ++reading.kept;
    return;
  }
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
  const Record* const record = plane.registry().find(want.ue);
  if (record != nullptr && !params.has("class") && reading.keeping.by_operator())
    open_gates_of_program(plane.registry(), want.ue, *record, legs);
  want.settings = reading.settings.read(legs, where, want.settings);
  want.cell = cell_wanted(params, reading.plane, want);
  if (const Json* tunnel = params.object("tunnel"))
    read_tunnels(*tunnel, params.path("tunnel"), want.ue, plane.config(), reading.wish.tunnels);
  read_downlink_teid(params, plane, told_downlink(reading.wish, want.ue), want);
  reading.wish.set.push_back(std::move(want));
}

Slices read_set(std::shared_ptr<const Json> json, DataPlane& plane, std::shared_ptr<std::size_t> kept,
                Wish& wish) {
  SettingsReader settings(plane.config().profiles, plane.traces());
  const bool many = json->is_object() && json->contains("bearers");
  const Params params(*json, many ? Rows(kSetMany) : Rows(kSetOne));
  const Keeping keeping(params);
  const SetReading reading{plane, keeping, settings, wish, *kept};
  if (!many) {
    read_want(params, "", reading);
    co_return;
  }
  const Json& bearers = *params.array("bearers");
  for (std::size_t i = 0; i < bearers.size(); ++i) {
    const std::string where = fmt::format("bearers[{}]", i);
    read_want(Params(bearers[i], kOneBearer, where), where, reading);
    co_await Slices::Pause{};
  }
}

// Adds the bearer, and with a UE's default one its dedicated ones (TS 23.401 clause 5.4.4.1); those of the
// owner, or all if there is none.
void add_removal(const BearerRegistry& registry, const dp::UeAddress& ue,
                 const std::optional<std::string>& owner, Wish& wish) {
  std::vector<dp::UeAddress> all{ue};
  if (ue.dedicated == dp::Dedicated::no) {
    const std::vector<dp::UeAddress> dedicated = dedicated_of(registry, ue);
    all.insert(all.end(), dedicated.begin(), dedicated.end());
  }
  for (const dp::UeAddress& one : all) {
    const Record* const record = registry.find(one);
    if (record == nullptr || (owner && owner_of(registry, one, *record) != owner)) continue;
    wish.remove.push_back(one);
  }
}

// Calls f(ue) for the bearers that "ue" or "ues" name.
Slices for_each_named(std::shared_ptr<const Json> json, Rows rows, const config::Networks& networks,
                      std::function<void(const dp::UeAddress&)> f) {
  const Params params(*json, rows);
  const Json* const ues = params.array("ues");
  if (ues == nullptr) {
    f(params.need_ue("ue", networks));
    co_return;
  }
  for (const std::string_view name : {kQfi.name, kTeid.name}) {
    if (params.has(name))
      params.refuse(name, "given beside \"ues\"; name dedicated bearers there, by objects");
  }
  if (params.has("ue")) params.refuse("ue", "given beside \"ues\"; give one of the two");
  for (std::size_t i = 0; i < ues->size(); ++i) {
    f(listed_ue((*ues)[i], fmt::format("ues[{}]", i), networks));
    co_await Slices::Pause{};
  }
}

Slices read_removal(std::shared_ptr<const Json> json, const DataPlane& plane, Wish& wish) {
  const auto owner = owner_in(Params(*json, kRemoval));
  const auto add = [&plane, owner, &wish](const dp::UeAddress& ue) {
    add_removal(plane.registry(), ue, owner, wish);
  };
  return for_each_named(std::move(json), kRemoval, plane.config().networks, add);
}

Slices read_release(std::shared_ptr<const Json> json, const DataPlane& plane,
                    std::shared_ptr<std::size_t> released, Wish& wish) {
  const auto add = [&plane, released, &wish](const dp::UeAddress& ue) {
    const Record& record = need_bearer(plane.registry(), ue);
    if (owner_of(plane.registry(), ue, record) != kOperator) return;
    const SharedSettings& of_class = plane.bearers().settings_of(record.settings->cls);
    *released += give_back(plane.registry(), ue, of_class, Claim::Clock::now(), wish) != nullptr;
  };
  return for_each_named(std::move(json), kRelease, plane.config().networks, add);
}

// The tunnels that were told, by effect; nothing if there were none.
void add_tunnels(Json& json, const Applied& applied) {
  if (std::ranges::count(applied.tunnels, std::size_t{0}) == std::ssize(applied.tunnels)) return;
  for (std::size_t told = 0; told < applied.tunnels.size(); ++told) {
    json["tunnels"][dp::kTunnelToldNames[told]] = applied.tunnels[told];
  }
}

}  // namespace

void bearer_set(const Request& request) {
  DataPlane& plane = request.services.plane;
  LatestView& view = request.services.view;
  const auto asked = request.peer.asked;
  const auto changes = std::make_shared<std::string>();
  const auto kept = std::make_shared<std::size_t>(0);
  const auto wish = [params = request.kept, &plane, kept](Wish& made) {
    return read_set(params, plane, kept, made);
  };
  const bool by_program = request.params.contains("owner");
  const auto answer = [&view, &plane, asked, changes, kept, by_program](const Applied& applied) {
    count_changes(view, applied, asked);
    *changes = describe(applied, plane.config());
    Json json{{"created", applied.created}, {"changed", applied.changed}, {"unchanged", applied.unchanged}};
    if (by_program) json["kept"] = *kept;
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

void bearer_release(const Request& request) {
  const DataPlane& plane = request.services.plane;
  const auto changes = std::make_shared<std::string>();
  const auto released = std::make_shared<std::size_t>(0);
  const auto wish = [params = request.kept, &plane, released](Wish& made) {
    return read_release(params, plane, released, made);
  };
  const auto answer = [&plane, changes, released](const Applied& applied) {
    *changes = describe(applied, plane.config());
    return Json{{"released", *released}};
  };
  Done done = logged(request, "bearer.release", named_in(request.params, "ue", "ues", "ue"), changes);
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
