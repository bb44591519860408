// Why a bearer is as fast as it is.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "control/bearers/bearer_pool.h"
#include "control/plane/ranking.h"
#include "control/rpc/advice.h"
#include "control/rpc/answer.h"
#include "control/rpc/bearer_json.h"
#include "control/rpc/bearer_params.h"
#include "control/rpc/bearer_watch.h"
#include "control/rpc/event_json.h"
#include "control/rpc/flow_json.h"
#include "control/rpc/methods.h"
#include "control/rpc/methods/keeping.h"
#include "control/rpc/params.h"
#include "dataplane/bearer/bearer.h"

namespace control::rpc {
namespace {

constexpr std::uint32_t kFlowsRead = 256;  // for the summary
constexpr std::size_t kFlowsShown = 8, kEventsShown = 10;

// The class that the configuration gives the UE: that of its entry, or of the first rule that covers it.
std::optional<dp::ClassId> configured_class(const dp::UeAddress& ue, const config::Config& config) {
  const auto listed = std::ranges::find(config.bearers, ue, &config::Bearer::ue);
  if (listed != config.bearers.end()) return listed->cls;
  if (ue.dedicated != dp::Dedicated::no) return std::nullopt;
  const auto rule =
      std::ranges::find_if(config.learn, [&](const config::Learn& one) { return covers(one, ue); });
  if (rule == config.learn.end()) return std::nullopt;
  return rule->cls;
}

std::string_view origin_name(Origin origin) {
  return origin == Origin::file ? "file" : origin == Origin::socket ? "socket" : "learnt";
}

struct Why {
  DataPlane& plane;
  const BoxWatch* box;
  dp::UeAddress ue;
  Done done;
  std::optional<dp::ClassId> configured{};  // the class that the configuration gives the UE
  FlowSummary flows{};
  Json shown = Json::array();
};

// People ask about the direction that carries more, unless a gate stops the other one alone.
dp::Direction asked_about(const Record& record, const BearerMeter& meter) {
  const auto gated = [&](dp::Direction d) {
    return dp::leg_of(*record.settings, dp::index(d)).gate != dp::Gate::open;
  };
  if (gated(dp::Direction::downlink) != gated(dp::Direction::uplink))
    return gated(dp::Direction::uplink) ? dp::Direction::uplink : dp::Direction::downlink;
  const auto rate = [&](dp::Direction d) {
    return meter.growth(record.seat, d, BearerMeter::Span::ten).rate() + meter.queued(record.seat, d);
  };
  return rate(dp::Direction::uplink) > rate(dp::Direction::downlink) ? dp::Direction::uplink
                                                                     : dp::Direction::downlink;
}

Diagnosis diagnose(const Why& why, const Record& record, dp::Direction direction) {
  const DataPlane& plane = why.plane;
  const bool down = direction == dp::Direction::downlink;
  const auto leg_of = [down](const dp::BearerSettings& s) { return down ? s.downlink : s.uplink; };
  const dp::LegSettings leg = leg_of(*record.settings);
  const config::Config& config = plane.config();
  Diagnosis d;
  d.direction = direction;
  d.box = why.box == nullptr ? BoxWatch::Reading{} : why.box->read();
  d.flows = why.flows;
  d.worker = plane.moves().worker_of(why.ue);
  d.facts = leg_facts(record, why.ue, direction, plane, d.box, why.flows);
  d.cls = config.classes[record.settings->cls].name;
  d.class_rate = static_cast<double>(dp::rate_of(leg_of(*plane.bearers().settings_of(record.settings->cls))));
  if (const auto cls = why.configured) {
    d.configured_cls = config.classes[*cls].name;
    d.facts.of_another_class = *cls != record.settings->cls && d.class_rate == d.facts.rate;
  }
  d.gate = leg.gate;
  const auto owner = owner_of(plane.registry(), why.ue, record);
  if (owner && *owner != kOperator) d.owner = *owner;
  d.aqm = dp::AqmList::kNames[leg.aqm.index()];
  d.cell = record.cell == nullptr ? "" : record.cell->name;
  d.buffer_sdus = leg.buffer.sdus;
  d.buffer_bytes = leg.buffer.bytes;
  d.sojourn = mean_delay_of(plane.registry().meter(), record.seat, direction);
  const dp::Time now = plane.runtime().now();
  if (const auto seen = record.bearer->uplink.last_seen().get(now))
    d.ue_silence = static_cast<double>((now - *seen).count()) / 1e9;
  d.limit = limit_of(d.facts);
  return d;
}

Json leg_json(const Why& why, const Record& record, const Diagnosis& d) {
  Json json = leg_watch_json(record, d.direction, why.plane.registry().meter());
  json["limit"] = name(d.limit);
  json["limit_text"] = text(d.limit);
  json["class_rate"] = d.class_rate;
  json["aqm"] = d.aqm;
  json["gate"] = dp::kGateNames[dp::index(d.gate)];
  json["buffer"] = {{"sdus", d.buffer_sdus}, {"bytes", d.buffer_bytes}};
  json["tunnel"] = to_json(record.bearer->tunnel(d.direction), why.plane.runtime().now());
  return json;
}

void finish(Why& why) {
  const Record& record = need_bearer(why.plane.registry(), why.ue);
  why.plane.look_at(record);
  why.configured = configured_class(why.ue, why.plane.config());
  const auto owner = owner_of(why.plane.registry(), why.ue, record);
  const dp::Direction main = asked_about(record, why.plane.registry().meter());
  Json json = {{"class", why.plane.config().classes[record.settings->cls].name},
               {"origin", origin_name(record.origin)},
               {"owner", owner ? Json(*owner) : Json(nullptr)},
               {"worker", why.plane.moves().worker_of(why.ue)},
               {"cell", record.cell == nullptr ? Json(nullptr) : Json(record.cell->name)},
               {"direction", dp::name(main)},
               {"acks_held", acks_held(record)},
               {"rtt_seconds", rtt_json(why.flows)},
               {"connections", follows_flows(record) ? Json(why.flows.connections) : Json(nullptr)},
               {"flows", std::move(why.shown)}};
  for (const dp::Direction direction : dp::kDirections) {
    const Diagnosis d = diagnose(why, record, direction);
    json[std::string(dp::name(direction))] = leg_json(why, record, d);
    if (direction != main) continue;
    json["configured_class"] = d.configured_cls.empty() ? Json(nullptr) : Json(d.configured_cls);
    json["limit"] = name(d.limit);
    json["limit_text"] = text(d.limit);
    json["advice"] = advice(d);
  }
  add_name(json, "ue", why.ue, why.plane.config().networks);
  json["events"] = events_about(why.plane.registry().text_of(dp::default_bearer_of(why.ue)), kEventsShown);
  why.done(std::move(json));
}

// A Fault is an outcome too: the bearer may have gone meanwhile.
void finish_guarded(Why& why) {
  try {
    finish(why);
  } catch (const Fault& refused) {
    why.done(refused);
  }
}

}  // namespace

void bearer_why(const Request& request) {
  DataPlane& plane = request.services.plane;
  const dp::UeAddress ue = Params(request.params, kOneUe).need_ue("ue", plane.config().networks);
  const Record& record = need_bearer(plane.registry(), ue);
  const auto why = std::make_shared<Why>(Why{plane, request.services.box, ue, request.done});
  if (!follows_flows(record)) return finish_guarded(*why);
  const auto add = [why](const dp::Flow& flow, const dp::SplitRow* split, dp::Time now) {
    why->flows.add(flow);
    if (why->shown.size() < kFlowsShown) why->shown.push_back(flow_json(flow, split, now));
  };
  const auto close = [why](const Ended<FlowPage>& ended) {
    ended.why != nullptr ? why->done(fault_of(ended.why)) : finish_guarded(*why);
  };
  plane.bearers().read_flows({ue, 0, kFlowsRead}, add, close, request.client);
}

}  // namespace control::rpc
