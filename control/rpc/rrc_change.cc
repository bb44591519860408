#include "control/rpc/rrc_change.h"

#include "config/notation/words.h"

namespace control::rpc {
namespace {

std::string direction_of(const Params& params, bool over_air) {
  const bool down_only = !over_air || params.has("uplink_rate") || !params.has("rate");
  const std::string usual(down_only ? dp::name(dp::Direction::downlink) : RrcChange::kBoth);
  std::string direction = params.text("direction").value_or(usual);
  if (direction == RrcChange::kBoth || direction == "downlink" || direction == "uplink") return direction;
  params.refuse("direction", "expected \"downlink\", \"uplink\" or \"both\", found \"" +
                                 config::shorten(direction) + "\"");
}

}  // namespace

RrcChange::RrcChange(const Json& json, const std::string& where) {
  const Params params(json, kRrcOfOne, where);
  of_ = {read(params, false), read(params, true)};
}

RrcChange::OfBearer RrcChange::read(const Params& params, bool over_air) {
  OfBearer change{direction_of(params, over_air)};
  Json& legs = change.legs;
  const Json* const rate = params.find("rate");
  for (const dp::Direction d : dp::kDirections) {
    const bool named = change.direction == kBoth || change.direction == dp::name(d);
    if (rate != nullptr && named) legs[std::string(dp::name(d))]["rate"] = *rate;
  }
  if (const Json* up = params.find("uplink_rate")) {
    if (legs.contains("uplink")) {
      params.refuse("uplink_rate", "given beside a \"rate\" of the uplink; give one of the two");
    }
    legs["uplink"]["rate"] = *up;
    change.direction = legs.contains("downlink") ? kBoth : dp::name(dp::Direction::uplink);
  }
  if (const Json* aqm = params.find("aqm")) legs["downlink"]["aqm"] = *aqm;
  if (const Json* aqm = params.find("uplink_aqm")) legs["uplink"]["aqm"] = *aqm;
  if (const Json* gate = params.find("gate")) legs["downlink"]["gate"] = *gate;
  if (const Json* gate = params.find("uplink_gate")) legs["uplink"]["gate"] = *gate;
  if (const Json* queue = params.find("queue")) legs["downlink"]["queue"] = *queue;
  if (const Json* ack = params.find("ack")) legs["uplink"]["ack"] = *ack;
  if (const Json* proxy = params.find("proxy")) legs["proxy"] = *proxy;
  if (!legs.empty()) return change;
  throw Fault(kInvalidParams,
              "parameter \"" + params.path("rate") +
                  "\" is missing, and so are \"uplink_rate\", \"aqm\", \"uplink_aqm\", \"gate\", "
                  "\"uplink_gate\", \"queue\", \"ack\" and \"proxy\": give at least one");
}

}  // namespace control::rpc
