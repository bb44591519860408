// Claims about low-delay on each path: the goodput of drop-tail with a long buffer, and a queue no longer
// than that of the best AQM with that goodput. Plain functions over results.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/lab/figures/summary.h"
#include "tools/lab/papers/paths.h"

namespace lab {

using PathResults = std::map<std::pair<std::size_t, std::size_t>, RowSummary>;  // key: path, scheme

inline constexpr double kLeastShare = 0.97;  // share of drop-tail's goodput

struct PathFigures {
  double goodput = 0;  // kbit/s of payload; for files, their bits over their mean duration
  double share = 0;    // share of drop-tail's goodput with ten BDP; NaN if that did not run
  double wait = 0;     // s, mean over packets
};
PathFigures figures_of(const Path& path, const RowSummary& row, const RowSummary* most);

// One of low-delay's schemes on one path.
struct PathVerdict {
  std::size_t path = 0, scheme = 0;
  PathFigures ours;
  std::optional<std::size_t>
      best;  // the scheme with the shortest wait of those with enough goodput; none: no scheme has enough
  PathFigures bests;
  bool holds = false;
  std::string why;  // reason if it does not hold
};

// Verdicts of the paths on which low-delay and drop-tail ran.
std::vector<PathVerdict> path_verdicts(const std::vector<Path>& paths, const std::vector<Scheme>& schemes,
                                       const PathResults& results);

}  // namespace lab
