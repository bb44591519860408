#include "tools/lab/papers/path_rules.h"

#include <algorithm>

#include <fmt/format.h>

#include "dataplane/base/expect.h"

namespace lab {
namespace {

const RowSummary* find(const PathResults& results, std::size_t path, std::size_t scheme) {
  const auto at = results.find({path, scheme});
  return at == results.end() ? nullptr : &at->second;
}

std::size_t index_of(const std::vector<Scheme>& schemes, std::string_view name) {
  for (std::size_t i = 0; i < schemes.size(); ++i) {
    if (schemes[i].name == name) return i;
  }
  return schemes.size();
}

// Uses the smaller rate, at which the queue is longest.
double packet_time(const Path& path) {
  return kPacketBits / static_cast<double>(std::min(path.rate, path.then.value_or(path.rate)));
}

// The queueing delay of two segments a flow, which remains whatever the target is.
double floor_of(const Path& path) { return 2 * path.flows * packet_time(path) - path.round_trip_s(); }

double losses_of(const RowSummary& row) {
  return row.of(&RunFigures::aqm).mean + row.of(&RunFigures::overflow).mean;
}

std::string why_less(const Path& path, const PathVerdict& v, const RowSummary& row) {
  const double timeouts = row.of(&RunFigures::timeouts).mean;
  if (timeouts >= 1) {
    return fmt::format("{:.0f} timeouts a run; each makes a source begin anew with one segment", timeouts);
  }
  const double idle = 100 * (1 - row.of(&RunFigures::utilisation).mean);
  return fmt::format(
      "the link idles for {:.0f} % of the time, although a packet waits {:.1f} ms on average: the data of "
      "{} flows come in clumps",
      idle, 1e3 * v.ours.wait, path.flows);
}

std::string why_longer(const Path& path, const PathVerdict& v, const Scheme& best, const RowSummary& row,
                       const RowSummary& bests) {
  if (path.then && *path.then < path.rate) {
    const double more = static_cast<double>(path.rate) / static_cast<double>(*path.then);
    return fmt::format(
        "what is under way when the rate falls stands {:.0f} times as long, as no window is taken back; `{}` "
        "drops {:.0f} packets a run, low-delay {:.0f}",
        more, best.name, losses_of(bests), losses_of(row));
  }
  if (floor_of(path) > v.bests.wait) {
    return fmt::format(
        "two segments of each of {} flows take {:.0f} ms, and the path holds {:.0f}; `{}` has less by {:.0f} "
        "timeouts a run, low-delay has {:.0f}",
        path.flows, 2e3 * path.flows * packet_time(path), 1e3 * path.round_trip_s(), best.name,
        bests.of(&RunFigures::timeouts).mean, row.of(&RunFigures::timeouts).mean);
  }
  return fmt::format(
      "low-delay aims at more: {:.1f} ms are {:.1f} packets' time; `{}` has less by {:.0f} losses a run, "
      "low-delay "
      "has {:.0f}",
      1e3 * v.ours.wait, v.ours.wait / packet_time(path), best.name, losses_of(bests), losses_of(row));
}

std::string why(const Path& path, const PathVerdict& v, const std::vector<Scheme>& schemes,
                const PathResults& results) {
  if (!path.why.empty()) return path.why;
  const RowSummary& row = *find(results, v.path, v.scheme);
  if (v.ours.share < kLeastShare) return why_less(path, v, row);
  DP_EXPECT(v.best);
  return why_longer(path, v, schemes[*v.best], row, *find(results, v.path, *v.best));
}

// Excludes drop-tail with a long buffer, which nobody wants.
void find_best(PathVerdict& v, const Path& path, const std::vector<Scheme>& schemes,
               const PathResults& results, std::size_t most) {
  for (std::size_t i = 0; i < schemes.size(); ++i) {
    const RowSummary* row = find(results, v.path, i);
    if (row == nullptr || schemes[i].low_delay || i == most) continue;
    const PathFigures figures = figures_of(path, *row, find(results, v.path, most));
    if (!(figures.share >= kLeastShare) || (v.best && !(figures.wait < v.bests.wait))) continue;
    v.best = i;
    v.bests = figures;
  }
}

}  // namespace

PathFigures figures_of(const Path& path, const RowSummary& row, const RowSummary* most) {
  const auto goodput = [&](const RowSummary& r) {
    if (!path.file) return r.of(&RunFigures::goodput_1460).mean;
    return static_cast<double>(*path.file) * 8e-3 / r.of(&RunFigures::transfer).mean;
  };
  return {goodput(row), most == nullptr ? kNaN : goodput(row) / goodput(*most),
          row.of(&RunFigures::wait).mean};
}

std::vector<PathVerdict> path_verdicts(const std::vector<Path>& paths, const std::vector<Scheme>& schemes,
                                       const PathResults& results) {
  std::vector<PathVerdict> all;
  const std::size_t most = index_of(schemes, kMostGoodput);
  for (std::size_t p = 0; p < paths.size(); ++p) {
    for (std::size_t s = 0; s < schemes.size(); ++s) {
      const RowSummary* row = find(results, p, s);
      if (!schemes[s].low_delay || row == nullptr || find(results, p, most) == nullptr) continue;
      PathVerdict v;
      v.path = p;
      v.scheme = s;
      v.ours = figures_of(paths[p], *row, find(results, p, most));
      find_best(v, paths[p], schemes, results, most);
      v.holds = v.ours.share >= kLeastShare && (!v.best || v.ours.wait <= v.bests.wait);
      if (!v.holds) v.why = why(paths[p], v, schemes, results);
      all.push_back(std::move(v));
    }
  }
  return all;
}

}  // namespace lab
