#include "control/bearer_json.h"

#include <variant>

namespace control::rpc {
namespace {

template <class List, class Config>
std::string_view member_name(const Config& config) {
  return List::kNames[config.index()];
}

Json leg_json(const dp::LegSettings& settings, const dp::Leg& leg) {
  const dp::RlcBuffer& buffer = leg.buffer();
  return {{"rate", leg.rate()},
          {"link", member_name<dp::LinkList>(settings.link)},
          {"buffer", {{"sdus", settings.buffer.sdus}, {"bytes", settings.buffer.bytes}}},
          {"aqm", member_name<dp::AqmList>(settings.aqm)},
          {"queued_sdus", buffer.sdus()},
          {"queued_bytes", buffer.bytes()},
          {"delivered_sdus", buffer.delivered_sdus()},
          {"delivered_bytes", buffer.delivered_bytes()},
          {"dropped_sdus", buffer.dropped_sdus()}};
}

}  // namespace

Json to_json(const dp::UeAddress& ue, const Record& record, const std::vector<config::Class>& classes) {
  return {{"ue", dp::to_string(ue)},
          {"class", classes[record.settings.cls].name},
          {"learnt", record.origin == Origin::learnt},
          {"downlink", leg_json(record.settings.downlink, record.bearer->downlink)},
          {"uplink", leg_json(record.settings.uplink, record.bearer->uplink)}};
}

}  // namespace control::rpc
