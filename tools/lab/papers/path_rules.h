// What low-delay has to show on each path: as much goodput as drop-tail with a long buffer, and no more queue
// than the best AQM that carries as much. Plain functions over results.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/lab/figures/summary.h"
#include "tools/lab/papers/paths.h"

namespace lab {

using PathResults = std::map<std::pair<std::size_t, std::size_t>, RowSummary>;  // by path and scheme

inline constexpr double kLeastShare = 0.97;  // of drop-tail's goodput

struct PathFigures {
  double goodput = 0;  // kbit/s of payload; of files, their bits over the mean time that one takes
  double share = 0;    // of the goodput that drop-tail has with ten BDP; NaN where that did not run
  double wait = 0;     // s, mean over packets
};
PathFigures figures_of(const Path& path, const RowSummary& row, const RowSummary* most);

// One of low-delay's schemes on one path.
struct PathVerdict {
  std::size_t path = 0, scheme = 0;
  PathFigures ours;
  std::optional<std::size_t>
      best;  // the scheme with the shortest wait of those that carry enough; none: nobody does
  PathFigures bests;
  bool holds = false;
  std::string why;  // where it does not
};

// Those for which low-delay and drop-tail ran.
std::vector<PathVerdict> path_verdicts(const std::vector<Path>& paths, const std::vector<Scheme>& schemes,
                                       const PathResults& results);

}  // namespace lab
