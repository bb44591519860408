#include "tools/bench/path_targets.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "dataplane/packet/burst.h"
#include "tools/bench/report.h"
#include "tools/common/table.h"

namespace bench {

using dp::yardstick::Encap;
using dp::yardstick::Kind;
using dp::yardstick::Load;
using dp::yardstick::Traffic;

namespace {

constexpr std::uint32_t kFrameBytes = 64;

struct Below {
  std::uint32_t bearers;
  double cycles_p10, to_sched;
};
constexpr std::array kBelow{Below{1000, 220, 0.45}, Below{100'000, 400, 0.45}, Below{1'000'000, 850, 0.6}};
constexpr double kFullToSched = 0.2;  // 100,000 bearers, every buffer full
constexpr double kAqmToPlain = 1.25;
constexpr std::array<std::string_view, 3> kWithAqm{"red", "sbd", "codel"};
constexpr double kTunnelledToBare = 1.2;  // 1000 and 100,000 bearers
constexpr double kSingleToBurst = 2.5;    // 1000 bearers, a frame a poll

bool plain(const Traffic& traffic) { return traffic.aqm == Traffic::kDropTail; }

std::optional<Figures> figures(const CellResult& cell, Kind kind) {
  for (const Series& series : cell.series) {
    if (series.kind == kind) return figures_of(series);
  }
  return std::nullopt;
}

class Targets {
 public:
  void add(const CellResult& cell) {
    const Traffic& t = cell.traffic;
    if (t.frame_bytes != kFrameBytes || t.acked || t.addresses != nullptr) return;
    if (t.encap != Encap::none) return add_tunnelled(cell);
    if (t.burst != dp::kBurst) return add_burst(cell);
    const auto worker = figures(cell, Kind::worker_null);
    if (!worker) return;
    if (!plain(t)) return add_aqm(cell, *worker);
    const auto sched = figures(cell, Kind::sched);
    if (t.load == Load::above) {
      if (t.bearers == 100'000 && sched) put(t, "x sched", worker->p50 / sched->p50, kFullToSched);
      return;
    }
    for (const Below& target : kBelow) {
      if (target.bearers != t.bearers) continue;
      put(t, "cycles p10", worker->p10, target.cycles_p10);
      if (!sched) continue;
      put(t, "x sched", worker->p50 / sched->p50, target.to_sched);
      if (const auto frames = figures(cell, Kind::written); frames && sched->p50 > frames->p50) {
        put(t, "x sched, both less row frames", (worker->p50 - frames->p50) / (sched->p50 - frames->p50),
            std::nullopt);
      }
    }
  }
  std::vector<PathTarget> take() { return std::move(targets_); }

 private:
  void put(const Traffic& t, std::string figure, double found, std::optional<double> most) {
    targets_.push_back({t, std::move(figure), found, most});
  }
  void add_aqm(const CellResult& cell, const Figures& worker) {
    const Traffic& t = cell.traffic;
    if (std::count(kWithAqm.begin(), kWithAqm.end(), aqm_of(t)) == 0 || t.load != Load::below) return;
    const auto other = figures(cell, Kind::worker_drop_tail);
    if (other) put(t, "x drop-tail", worker.p50 / other->p50, kAqmToPlain);
  }
  void add_tunnelled(const CellResult& cell) {
    const Traffic& t = cell.traffic;
    if (!plain(t) || t.load != Load::below || (t.bearers != 1000 && t.bearers != 100'000)) return;
    const auto worker = figures(cell, Kind::worker_null), bare = figures(cell, Kind::worker_bare_ip);
    if (worker && bare) put(t, "x bare IP, " + encap_of(t), worker->p50 / bare->p50, kTunnelledToBare);
  }
  void add_burst(const CellResult& cell) {
    const Traffic& t = cell.traffic;
    if (t.burst != 1 || t.bearers != 1000 || !plain(t) || t.load != Load::below) return;
    const auto single = figures(cell, Kind::worker_memory);
    const auto other = figures(cell, Kind::worker_bursts);
    if (single && other) put(t, "x bursts of 64", single->p50 / other->p50, kSingleToBurst);
  }

  std::vector<PathTarget> targets_;
};

}  // namespace

std::vector<PathTarget> path_targets(const std::vector<CellResult>& cells) {
  Targets targets;
  for (const CellResult& cell : cells) targets.add(cell);
  return targets.take();
}

std::string path_targets_table(const std::vector<PathTarget>& targets) {
  if (targets.empty()) return "";
  tools::Table table({">BEARERS", "LOAD", "AQM", ">BURST", "FIGURE", ">FOUND", "TARGET"});
  for (const PathTarget& t : targets) {
    table.add_cells(t.traffic.bearers, load_of(t.traffic), aqm_of(t.traffic), t.traffic.burst, t.figure,
                    t.found < 10 ? fmt::format("{:.2f}", t.found) : fmt::format("{:.0f}", t.found),
                    t.most ? fmt::format("<= {:g}: {}", *t.most, t.met() ? "met" : "not met") : "-");
  }
  return fmt::format("targets, {} B: worker-null, and worker-memory for bursts of 1\n{}", kFrameBytes,
                     table.text());
}

nlohmann::json path_targets_json(const std::vector<PathTarget>& targets) {
  auto list = nlohmann::json::array();
  for (const PathTarget& t : targets) {
    list.push_back({{"bearers", t.traffic.bearers},
                    {"load", load_of(t.traffic)},
                    {"aqm", aqm_of(t.traffic)},
                    {"burst", t.traffic.burst},
                    {"figure", t.figure},
                    {"found", t.found}});
    if (!t.most) continue;
    list.back()["target"] = *t.most;
    list.back()["met"] = t.met();
  }
  return list;
}

}  // namespace bench
