#include "control/rpc/leg_json.h"

#include <array>
#include <variant>

#include "config/print.h"
#include "dataplane/base/owner.h"

namespace control::rpc {
namespace {

template <class List, class Config>
std::string_view member_name(const Config& config) {
  return List::kNames[config.index()];
}

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

// The stages in their order, each with the ACKs that it holds.
Json acks_json(const Record& record, Detail detail) {
  const dp::AckSettings& acks = record.settings->uplink.ack;
  Json json = Json::array();
  if (acks.stages == 0) return json;
  const Json printed = detail == Detail::full ? config::to_json(record.settings->uplink) : Json();
  const auto* const chain = record.part<dp::AcksKind>();
  for (std::uint32_t k = 0; k < acks.stages; ++k) {
    Json stage = {{"stage", member_name<dp::AckList>(acks.stage[k])},
                  {"held", chain == nullptr ? 0 : chain->held_by(k)}};
    if (detail == Detail::full) stage["settings"] = settings_of(printed["ack"][k]);
    json.push_back(std::move(stage));
  }
  return json;
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
Json queue_settings(const dp::LegSettings& settings) {
  const Json printed = config::to_json(settings);
  return printed.contains("queue") ? settings_of(printed["queue"]) : Json::object();
}

constexpr std::array kLegMembers{
    LegMember{"rate", [](const LegView& v) -> Json { return dp::rate_of(v.settings); }},
    LegMember{"link", [](const LegView& v) -> Json { return member_name<dp::LinkList>(v.settings.link); }},
    LegMember{"buffer",
              [](const LegView& v) -> Json {
                return {{"sdus", v.settings.buffer.sdus}, {"bytes", v.settings.buffer.bytes}};
              }},
    LegMember{"gate", [](const LegView& v) -> Json { return dp::kGateNames[dp::index(v.settings.gate)]; }},
    LegMember{"aqm", [](const LegView& v) -> Json { return member_name<dp::AqmList>(v.settings.aqm); }},
    LegMember{"aqm_profile", [](const LegView& v) { return profile_json(v.settings); }},
    LegMember{"aqm_settings",
              [](const LegView& v) { return v.full() ? aqm_json(v.settings.aqm) : absent(); }},
    LegMember{"queued_sdus", [](const LegView& v) -> Json { return v.buffer.sdus(); }},
    LegMember{"queued_bytes", [](const LegView& v) -> Json { return v.buffer.bytes(); }},
    LegMember{"delivered_sdus", [](const LegView& v) -> Json { return v.buffer.delivered_sdus(); }},
    LegMember{"delivered_bytes", [](const LegView& v) -> Json { return v.buffer.delivered_bytes(); }},
    LegMember{"dropped_sdus", [](const LegView& v) -> Json { return v.buffer.dropped_sdus(); }},
    LegMember{"dropped_full_sdus", [](const LegView& v) -> Json { return v.buffer.dropped_full(); }},
    LegMember{"dropped_by_aqm_sdus", [](const LegView& v) -> Json { return v.buffer.dropped_by_aqm(); }},
    LegMember{"marked_sdus", [](const LegView& v) -> Json { return v.buffer.marked_sdus(); }},
    LegMember{"idle_seconds", [](const LegView& v) { return idle_json(v.leg, v.now); }},
    LegMember{"tunnel",
              [](const LegView& v) { return to_json(v.record.bearer->tunnel(v.direction), v.now); }},
    LegMember{"queue", [](const LegView& v) { return v.down() ? queue_json(v.settings) : absent(); }},
    LegMember{"queue_settings",
              [](const LegView& v) { return v.down() && v.full() ? queue_settings(v.settings) : absent(); }},
    LegMember{"ack", [](const LegView& v) { return v.down() ? absent() : acks_json(v.record, v.detail); }},
    LegMember{"flows",
              [](const LegView& v) {
                const bool has = !v.down() && v.full() && v.settings.ack.stages != 0;
                return has ? config::to_json(v.settings)["flows"] : absent();
              }},
    LegMember{"air",
              [](const LegView& v) {
                const auto* const link = v.record.part<dp::AmKind>();
                return link == nullptr ? absent() : am_json(*link, v.settings, v.direction, v.detail);
              }},
    LegMember{"um",
              [](const LegView& v) {
                const auto* const link = v.record.part<dp::UmKind>(dp::index(v.direction));
                return link == nullptr ? absent() : um_json(*link, v.settings, v.detail);
              }},
};

}  // namespace

std::span<const LegMember> leg_members() {
  static_assert(kLegMembers.size() <= 32);
  return kLegMembers;
}

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

}  // namespace control::rpc
