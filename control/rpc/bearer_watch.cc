#include "control/rpc/bearer_watch.h"

#include <algorithm>
#include <variant>

#include "control/plane/ranking.h"
#include "control/rpc/flow_json.h"
#include "dataplane/bearer/bearer.h"

namespace control::rpc {
namespace {

using Span = BearerMeter::Span;

Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

const dp::LegSettings& leg_settings(const Record& record, dp::Direction direction) {
  return direction == dp::Direction::downlink ? record.settings->downlink : record.settings->uplink;
}

LinkKind kind_of(const dp::LinkConfig& link) {
  if (std::holds_alternative<dp::ShaperSpec::Config>(link)) return LinkKind::shaper;
  if (std::holds_alternative<dp::CellSpec::Config>(link)) return LinkKind::cell;
  return dp::buffers(link) ? LinkKind::radio : LinkKind::none;
}

void shortest(std::optional<double>& least, dp::Duration smoothed) {
  if (smoothed.count() > 0) least = std::min(least.value_or(1e9), in_seconds(smoothed));
}

// Packets went to the UE in the last minute, the last one after a silence of the UE that a round trip does
// not explain, and that silence goes on.
bool silent(const dp::Bearer& bearer, dp::Time now) {
  constexpr double kRecent = 60, kSilence = 10, kRoundTrip = 5;
  const auto down = bearer.downlink.last_seen().get(now), up = bearer.uplink.last_seen().get(now);
  if (!down || in_seconds(now - *down) > kRecent) return false;
  if (!up) return true;
  return in_seconds(now - *up) >= kSilence && in_seconds(*down - *up) >= kRoundTrip;
}

}  // namespace

// The window that stages tell counts once the source has used most of it.
void FlowSummary::add(const dp::Flow& flow) {
  constexpr double kLess = 0.9, kUsed = 0.6;
  if (flow.over()) return;
  ++connections;
  shortest(radio_rtt, flow.radio.smoothed);
  shortest(core_rtt, flow.core.smoothed);
  if (!flow.scale_known() || !flow.heard || !flow.ack_forwarded) return;
  const auto told = static_cast<double>(flow.advertised_edge - flow.forwarded_ack);
  if (told < kLess * flow.window_of(flow.window) && static_cast<double>(flow.outstanding()) >= kUsed * told)
    window_told = true;
}

bool follows_flows(const Record& record) { return record.bearer != nullptr && record.bearer->follows(); }

std::uint64_t acks_held(const Record& record) {
  const auto* const chain = record.part<dp::AcksKind>();
  std::uint64_t sum = 0;
  for (std::uint32_t k = 0; chain != nullptr && k < record.settings->uplink.ack.stages; ++k)
    sum += chain->held_by(k);
  return sum;
}

Json rtt_json(const FlowSummary& flows) {
  return {{"radio", or_null(flows.radio_rtt)}, {"core", or_null(flows.core_rtt)}};
}

Json leg_watch_json(const Record& record, dp::Direction direction, const BearerMeter& meter) {
  const BearerMeter::Seat seat = record.seat;
  const dp::RlcBuffer& buffer = record.bearer->leg(direction).buffer();
  const auto second = meter.growth(seat, direction, Span::second),
             minute = meter.growth(seat, direction, Span::minute);
  const auto p99 = meter.p99_queued(seat, direction);
  const double leaves = meter.growth(seat, direction, Span::ten).rate();
  Json tail = nullptr;
  if (p99 && (*p99 == 0 || leaves > 0)) tail = *p99 == 0 ? 0 : *p99 * 8 / leaves;
  return {{"rate", dp::rate_of(leg_settings(record, direction))},
          {"delivered_rate", {{"1s", second.rate()}, {"10s", leaves}, {"60s", minute.rate()}}},
          {"used_ratio", or_null(used_of(meter, seat, direction, Span::second))},
          {"queued_sdus", buffer.sdus()},
          {"queued_bytes", buffer.bytes()},
          {"queue_seconds", or_null(delay_of(meter, seat, direction))},
          {"mean_sojourn_seconds", or_null(mean_delay_of(meter, seat, direction))},
          {"p99_queue_seconds", std::move(tail)},
          {"dropped_per_second", second.per_second(second.dropped())},
          {"marked_per_second", second.per_second(second.marked)},
          {"last_minute",
           {{"seconds", minute.seconds},
            {"dropped_full_sdus", minute.dropped_full},
            {"dropped_by_aqm_sdus", minute.dropped_by_aqm},
            {"marked_sdus", minute.marked}}}};
}

LegFacts leg_facts(const Record& record, const dp::UeAddress& ue, dp::Direction direction,
                   const DataPlane& plane, const BoxWatch::Reading& box, const FlowSummary& flows) {
  const BearerMeter& meter = plane.registry().meter();
  const BearerMeter::Seat seat = record.seat;
  const bool down = direction == dp::Direction::downlink;
  const auto second = meter.growth(seat, direction, Span::second),
             recent = meter.growth(seat, direction, Span::half_minute);
  LegFacts facts;
  facts.rate = static_cast<double>(dp::rate_of(leg_settings(record, direction)));
  facts.delivered = meter.growth(seat, direction, Span::ten).rate();
  facts.queued = meter.mean_queued(seat, direction);
  facts.busy_now = record.bearer->leg(direction).buffer().sdus() > 0 || second.dropped() > 0;
  facts.dropped_full = recent.dropped_full;
  facts.dropped_by_aqm = recent.dropped_by_aqm;
  facts.marked = recent.marked;
  facts.link = kind_of(leg_settings(record, direction).link);
  if (const auto* const um = record.part<dp::UmKind>(dp::index(direction));
      um != nullptr && um->sdus_sent() > 0)
    facts.lost_ratio = static_cast<double>(um->sdus_lost()) / static_cast<double>(um->sdus_sent());
  if (const auto* const air = record.part<dp::AmKind>())
    facts.retransmitted_ratio = air->totals(direction).retransmission_ratio();
  facts.ue_silent = down && silent(*record.bearer, plane.runtime().now());
  const unsigned worker = plane.moves().worker_of(ue);
  facts.worker_starved = box.starved(worker);
  facts.port_drops = box.port_drops(worker);
  facts.gated = leg_settings(record, direction).gate != dp::Gate::open;
  if (!down) return facts;
  facts.window_told = flows.window_told;
  facts.radio_rtt = flows.radio_rtt;
  facts.core_rtt = flows.core_rtt;
  return facts;
}

}  // namespace control::rpc
