#include "control/plane/ranking.h"

#include <algorithm>

#include "dataplane/base/expect.h"

namespace control {
namespace {

using Seat = BearerMeter::Seat;
using Span = BearerMeter::Span;

double figure_of(const BearerMeter& meter, Seat seat, const RankingQuery& query) {
  const dp::Direction d = query.direction;
  const auto growth = [&] { return meter.growth(seat, d, Span::second); };
  switch (query.by) {
    case RankedBy::rate:
      return growth().rate();
    case RankedBy::used:
      return used_of(meter, seat, d, Span::second).value_or(0);
    case RankedBy::queue:
      return meter.queued(seat, d);
    case RankedBy::delay:
      return delay_of(meter, seat, d).value_or(0);
    case RankedBy::drops:
      return growth().per_second(growth().dropped());
    case RankedBy::marks:
      return growth().per_second(growth().marked);
  }
  DP_EXPECT(false);
  return 0;
}

bool fits(const BearerRegistry& registry, const dp::UeAddress& ue, const RankingQuery& query) {
  if (query.prefix) {
    const dp::Prefix& prefix = *query.prefix;
    const bool within = ue.kind == dp::UeKind::ipv4 ? prefix.contains_ipv4(static_cast<std::uint32_t>(ue.lo))
                                                    : prefix.contains_ipv6(ue.hi, ue.lo);
    if (!within) return false;
  }
  if (!query.cls) return true;
  const Record* record = registry.find(ue);
  return record != nullptr && record->settings->cls == *query.cls;
}

struct Before {
  bool reverse;
  bool operator()(const Ranked& a, const Ranked& b) const {
    if (a.figure != b.figure) return reverse ? a.figure < b.figure : a.figure > b.figure;
    return a.ue < b.ue;
  }
};

void rank_block(const BearerRegistry& registry, const RankingQuery& query, std::size_t block,
                std::vector<Ranked>& rows, std::size_t& of) {
  const BearerMeter& meter = registry.meter();
  const Before before{query.reverse};
  meter.for_each(block, [&](Seat seat, const dp::UeAddress& ue) {
    if (!fits(registry, ue, query)) return;
    ++of;
    const Ranked row{figure_of(meter, seat, query), ue, seat};
    const bool full = rows.size() >= query.limit;
    if (full && (rows.empty() || !before(row, rows.front()))) return;
    if (full) {
      std::pop_heap(rows.begin(), rows.end(), before);
      rows.pop_back();
    }
    rows.push_back(row);
    std::push_heap(rows.begin(), rows.end(), before);
  });
}

}  // namespace

std::optional<double> delay_of(const BearerMeter& meter, Seat seat, dp::Direction direction) {
  const double queued = meter.queued(seat, direction);
  if (queued == 0) return 0;
  const double leaves = meter.growth(seat, direction, Span::ten).rate();
  const double rate = leaves > 0 ? leaves : meter.set_rate(seat, direction);
  if (rate <= 0) return std::nullopt;
  return queued * 8 / rate;
}

std::optional<double> mean_delay_of(const BearerMeter& meter, Seat seat, dp::Direction direction) {
  const double leaves = meter.growth(seat, direction, Span::ten).rate();
  if (leaves <= 0) return std::nullopt;
  return meter.mean_queued(seat, direction) * 8 / leaves;
}

std::optional<double> used_of(const BearerMeter& meter, Seat seat, dp::Direction direction, Span span) {
  const double rate = meter.set_rate(seat, direction);
  if (rate <= 0) return std::nullopt;
  return meter.growth(seat, direction, span).rate() / rate;
}

// The rows are a heap with the last one on top, so that each bearer is compared with that.
Slices rank(const BearerRegistry& registry, RankingQuery query, std::vector<Ranked>& rows, std::size_t& of) {
  rows.clear();
  of = 0;
  for (std::size_t block = 0; block < registry.meter().blocks(); ++block) {
    rank_block(registry, query, block, rows, of);
    co_await Slices::Pause{};
  }
  std::sort_heap(rows.begin(), rows.end(), Before{query.reverse});
}

}  // namespace control
