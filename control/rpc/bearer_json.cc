#include "control/rpc/bearer_json.h"

#include <algorithm>
#include <variant>

#include "config/print.h"
#include "control/rpc/params.h"
#include "dataplane/base/owner.h"
#include "dataplane/bearer/bearer.h"

namespace control::rpc {
namespace {

template <class List, class Config>
std::string_view member_name(const Config& config) {
  return List::kNames[config.index()];
}

// The settings of a member of a family as it is printed: a name alone, or the name to its settings.
Json settings_of(const Json& printed) { return printed.is_object() ? printed.front() : Json::object(); }

Json am_json(const dp::AmRadioLink& radio_link, const dp::LegSettings& settings, dp::Direction direction,
             Detail detail) {
  Json json = to_json(radio_link.totals(direction));
  json["sdus_in_transmission"] = radio_link.in_transmission(direction);
  if (detail == Detail::full) json["settings"] = config::to_json(settings)["link"]["am"];
  return json;
}

Json um_json(const dp::UmRadioLink& um, const dp::LegSettings& settings, Detail detail) {
  const std::uint64_t lost = um.sdus_lost(), sent = um.sdus_sent();
  Json json = {{"sdus_sent", sent},
               {"sdus_lost", lost},
               {"loss_ratio", sent == 0 ? 0 : static_cast<double>(lost) / static_cast<double>(sent)},
               {"sdus_on_the_way", um.sdus_on_the_way()}};
  if (detail == Detail::full) json["settings"] = config::to_json(settings)["link"]["um"];
  return json;
}

Json profile_json(const dp::LegSettings& settings) {
  const dp::AqmProfileRef& profile = settings.origin.profile;
  return profile ? Json(profile->name) : Json(nullptr);
}

// Adds the stages in their order, each with the ACKs that it holds.
void add_acks(Json& json, const Record& record, Detail detail) {
  const dp::AckSettings& acks = record.settings->uplink.ack;
  json["ack"] = Json::array();
  if (acks.stages == 0) return;
  const Json printed = detail == Detail::full ? config::to_json(record.settings->uplink) : Json();
  const auto* const chain = record.part<dp::AcksKind>();
  for (std::uint32_t k = 0; k < acks.stages; ++k) {
    Json stage = {{"stage", member_name<dp::AckList>(acks.stage[k])},
                  {"held", chain == nullptr ? 0 : chain->held_by(k)}};
    if (detail == Detail::full) stage["settings"] = settings_of(printed["ack"][k]);
    json["ack"].push_back(std::move(stage));
  }
  if (detail == Detail::full) json["flows"] = printed["flows"];
}

// The time since the last packet of that direction came; null when none has.
Json idle_json(const dp::Leg& leg, dp::Time now) {
  const auto seen = leg.last_seen().get(now);
  if (!seen) return nullptr;
  return static_cast<double>(std::max(now - *seen, dp::Duration{0}).count()) / 1e9;
}

// The queue discipline of a downlink; null if the AQM has queues of its own, or nothing waits.
Json queue_json(const dp::LegSettings& settings) {
  const bool told = dp::buffers(settings.link) && dp::queue_shape(settings.aqm).flows == 0;
  return told ? Json(member_name<dp::QueueList>(settings.queue)) : Json(nullptr);
}
void add_queue(Json& json, const dp::LegSettings& settings, Detail detail) {
  json["queue"] = queue_json(settings);
  if (detail != Detail::full) return;
  const Json printed = config::to_json(settings);
  json["queue_settings"] = printed.contains("queue") ? settings_of(printed["queue"]) : Json::object();
}

Json leg_json(const Record& record, dp::Direction direction, dp::Time now, Detail detail) {
  const bool down = direction == dp::Direction::downlink;
  const dp::LegSettings& settings = down ? record.settings->downlink : record.settings->uplink;
  const dp::Leg& leg = record.bearer->leg(direction);
  const dp::RlcBuffer& buffer = leg.buffer();
  Json json = {{"rate", dp::rate_of(settings)},
               {"link", member_name<dp::LinkList>(settings.link)},
               {"buffer", {{"sdus", settings.buffer.sdus}, {"bytes", settings.buffer.bytes}}},
               {"aqm", member_name<dp::AqmList>(settings.aqm)},
               {"aqm_profile", profile_json(settings)},
               {"queued_sdus", buffer.sdus()},
               {"queued_bytes", buffer.bytes()},
               {"delivered_sdus", buffer.delivered_sdus()},
               {"delivered_bytes", buffer.delivered_bytes()},
               {"dropped_sdus", buffer.dropped_sdus()},
               {"dropped_full_sdus", buffer.dropped_full()},
               {"dropped_by_aqm_sdus", buffer.dropped_by_aqm()},
               {"marked_sdus", buffer.marked_sdus()},
               {"idle_seconds", idle_json(leg, now)},
               {"tunnel", to_json(record.bearer->tunnel(direction), now)}};
  if (detail == Detail::full) json["aqm_settings"] = aqm_json(settings.aqm);
  if (down) {
    add_queue(json, settings, detail);
  } else {
    add_acks(json, record, detail);
  }
  if (const auto* const radio_link = record.part<dp::AmKind>())
    json["air"] = am_json(*radio_link, settings, direction, detail);
  if (const auto* const um = record.part<dp::UmKind>(dp::index(direction))) {
    json["um"] = um_json(*um, settings, detail);
  }
  return json;
}

// The membership of the bearer in its cell; null if it is in none. `report` is the time since the last
// report; null when there was none.
Json cell_json(const Record& record, dp::Time now) {
  const auto* const own = record.part<dp::MemberKind>();
  if (record.cell == nullptr || own == nullptr) return nullptr;
  const dp::CellMember& member = *own;
  Json report = nullptr;
  if (const std::uint64_t at = member.reported_at(); at != 0) {
    const dp::Duration age = now - dp::Time{dp::Duration{static_cast<std::int64_t>(at)}};
    report = static_cast<double>(std::max(age, dp::Duration{0}).count()) / 1e9;
  }
  return {{"name", record.cell->name},
          {"mean_rate", member.mean()},
          {"slots", member.slots()},
          {"report_seconds", report}};
}

void add_proxy(Json& json, const Record& record, Detail detail) {
  const auto& proxy = record.settings->proxy;
  json["proxy"] = proxy ? Json("split") : Json(nullptr);
  if (detail == Detail::full) json["proxy_settings"] = settings_of(config::to_json(proxy));
}

}  // namespace

Json to_json(const dp::Tunnel& tunnel, dp::Time now) {
  const auto read = tunnel.read();
  if (!read) return nullptr;
  Json qfi = nullptr;
  if (read->qfi != dp::GtpUChain::kNoQfi) qfi = read->qfi;
  return {{"endpoint", dp::address_text(read->key.ipv6, read->key.hi, read->key.lo)},
          {"teid", read->key.teid},
          {"qfi", std::move(qfi)},
          {"stale", read->stale},
          {"changes", read->changes},
          {"since_seconds", static_cast<double>(std::max(now - read->since, dp::Duration{0}).count()) / 1e9}};
}

Json aqm_json(const dp::AqmConfig& aqm) { return settings_of(config::to_json(aqm)); }

Json to_json(const dp::AmEventTotals& totals) {
  using dp::AmEvent;
  return {{"pdus",
           {{"new", totals[AmEvent::pdu_new]},
            {"retransmitted", totals[AmEvent::pdu_retransmitted]},
            {"status", totals[AmEvent::pdu_status]}}},
          {"retransmission_ratio", totals.retransmission_ratio()},
          {"frames", {{"sent", totals.frames_sent()}, {"lost", totals[AmEvent::frame_lost]}}},
          {"frame_error_ratio", totals.frame_error_ratio()},
          {"discards", totals[AmEvent::discard]},
          {"resets", totals[AmEvent::reset]}};
}

Json to_json(const dp::UeAddress& ue, const Record& record, const DataPlane& plane, Detail detail) {
  const dp::Time now = plane.runtime().now();
  Json json = {{"class", plane.config().classes[record.settings->cls].name},
               {"learnt", record.origin == Origin::learnt},
               {"answered", record.bearer->answered()},
               {"worker", plane.moves().worker_of(ue)},
               {"cell", cell_json(record, now)},
               {"downlink", leg_json(record, dp::Direction::downlink, now, detail)},
               {"uplink", leg_json(record, dp::Direction::uplink, now, detail)}};
  add_name(json, "ue", ue, plane.config().networks);
  if (ue.dedicated == dp::Dedicated::by_teid) {
    json["downlink_teid"] = record.downlink_teid == 0 ? Json(nullptr) : Json(record.downlink_teid);
  }
  add_proxy(json, record, detail);
  return json;
}

}  // namespace control::rpc
