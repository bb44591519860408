#include "control/metrics/view.h"

#include <algorithm>
#include <utility>

#include "dataplane/base/expect.h"
#include "dataplane/bearer/bearer.h"

namespace control {
namespace {

TopBearer::Leg leg_of(const Record& record, dp::Direction direction) {
  DP_EXPECT(record.bearer != nullptr);
  const dp::RlcBuffer& buffer = record.bearer->leg(direction).buffer();
  TopBearer::Leg leg{buffer.sdus(), buffer.bytes(), buffer.delivered_bytes(), buffer.dropped_sdus()};
  if (const auto* const radio_link = record.part<dp::AmKind>()) leg.am = radio_link->totals(direction);
  return leg;
}

}  // namespace

std::vector<TopBearer> top_bearers(const BearerRegistry& registry, std::size_t count) {
  std::vector<std::pair<std::uint64_t, dp::UeAddress>> all;
  if (count == 0) return {};
  all.reserve(registry.size());
  const BearerMeter& meter = registry.meter();
  for (std::size_t block = 0; block < meter.blocks(); ++block) {
    meter.for_each(block, [&](BearerMeter::Seat seat, const dp::UeAddress& ue) {
      const std::uint64_t down = meter.queued(seat, dp::Direction::downlink);
      all.emplace_back(down + meter.queued(seat, dp::Direction::uplink), ue);
    });
  }
  const auto end = all.begin() + static_cast<std::ptrdiff_t>(std::min(count, all.size()));
  std::partial_sort(all.begin(), end, all.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  std::vector<TopBearer> top;
  for (auto it = all.begin(); it != end; ++it) {
    const Record* record = registry.find(it->second);
    DP_EXPECT(record != nullptr);
    top.push_back({registry.text_of(it->second),
                   {leg_of(*record, dp::Direction::downlink), leg_of(*record, dp::Direction::uplink)}});
  }
  return top;
}

GtpUView gtp_u_of(const std::vector<dp::TunnelBook*>& books) {
  GtpUView sum;
  for (const dp::TunnelBook* book : books) {
    sum.changes += book->changed();
    sum.echoes_unmeasured += book->echoes_left_out();
    for (const dp::Side side : dp::kSides) {
      for (std::size_t m = 0; m < dp::kGtpUMessages; ++m)
        sum.messages[dp::index(side)][m] += book->messages(side, static_cast<dp::GtpUMessage>(m));
    }
  }
  return sum;
}

CellView view_of(const CellRecord& record) {
  const dp::CellCounters& counted = record.cell->counters();
  return {.name = record.name,
          .slots = {counted.slots_short.get(), counted.slots_long.get(), counted.slots_nobody.get()},
          .bits = counted.bits.get(),
          .members = record.cell->reserved(),
          .backlogged = counted.backlogged.get(),
          .stale_reports = counted.stale_reports.get(),
          .refused = counted.refused.load(std::memory_order_relaxed)};
}

std::vector<CellView> view_of(const CellRecords& cells) {
  std::vector<CellView> all;
  for (const auto& [name, record] : cells.all()) all.push_back(view_of(*record));
  return all;
}

View view_of(const DataPlane& plane) {
  View view;
  for (const config::Class& cls : plane.config().classes) view.classes.push_back(cls.name);
  for (std::size_t c = 0; c < view.classes.size(); ++c) {
    view.proxied.push_back(plane.modes().proxied(static_cast<dp::ClassId>(c)));
  }
  view.top = top_bearers(plane.registry(), plane.config().metrics.per_bearer_top);
  view.cells = view_of(plane.cells().records());
  view.capacity = plane.bearers().capacity();
  view.policies = plane.registry().policies();
  view.aged = plane.bearers().aged();
  view.moved = plane.moves().counts();
  view.gtp_u = gtp_u_of(plane.reloader().books());
  view.gtp_u.echoes = plane.reloader().echo_times().paths();
  view.gtp_u.echoes_unmeasured += plane.reloader().echo_times().unmeasured();
  return view;
}

}  // namespace control
