#include "tools/bench/report.h"

#include <array>
#include <cstdio>

#include "dataplane/ack/registry.h"
#include "dataplane/aqm/registry.h"
#include "dataplane/packet/burst.h"
#include "tools/bench/path_targets.h"
#include "tools/lab/figures/stats.h"

namespace bench {

using dp::yardstick::kHostileAcks;
using dp::yardstick::Kind;
using dp::yardstick::kKinds;
using dp::yardstick::Load;
using dp::yardstick::Traffic;
using nlohmann::json;

namespace {

template <class... Args>
std::string format(const char* pattern, Args... args) {
  char line[256];
  std::snprintf(line, sizeof(line), pattern, args...);
  return line;
}

std::string name_of(Kind kind) { return std::string(kKinds[static_cast<std::size_t>(kind)].name); }

const Figures* find(const std::vector<Figures>& rows, Kind kind) {
  for (const Figures& row : rows) {
    if (row.kind == kind) return &row;
  }
  return nullptr;
}

std::vector<Figures> rows_of(const CellResult& cell) {
  std::vector<Figures> rows;
  for (const Series& series : cell.series) {
    if (const auto figures = figures_of(series)) rows.push_back(*figures);
  }
  return rows;
}

std::string ratio_to(const Figures& row, const Figures* other) {
  return other == nullptr || other->p50 == 0 ? "-" : format("%.2f", row.p50 / other->p50);
}

constexpr double kSplitTarget = 900;  // cycles a segment that is split

// Its ports are memory, with a generator of their own.
bool in_memory(Kind kind) {
  return kind == Kind::worker_memory || kind == Kind::worker_bursts || kind == Kind::worker_crafted ||
         kind == Kind::worker_acked || kind == Kind::ports_acked || kind == Kind::hostile_many ||
         kind == Kind::hostile_few;
}

std::string ack_stage_of(const Traffic& t) {
  if (t.split) return "split";
  return t.ack_stage == Traffic::kNoStage ? "none" : std::string(dp::AckList::kNames[t.ack_stage]);
}

// Two subjects of the worker that are there to be compared.
struct Pair {
  Kind of, to;
  const char* name;
};
constexpr std::array kPairs{Pair{Kind::worker_crafted, Kind::worker_memory, "crafted / random"},
                            Pair{Kind::worker_memory, Kind::worker_bursts, "x bursts of 64"},
                            Pair{Kind::worker_null, Kind::worker_drop_tail, "x drop-tail"},
                            Pair{Kind::worker_null, Kind::worker_bare_ip, "x bare IP"},
                            Pair{Kind::hostile_many, Kind::hostile_few, "4096 kept / 128 kept"}};

std::string pair_lines(const std::vector<Figures>& rows) {
  std::string lines;
  for (const Pair& pair : kPairs) {
    const Figures *of = find(rows, pair.of), *to = find(rows, pair.to);
    if (of == nullptr || to == nullptr || to->p50 == 0 || to->p10 == 0) continue;
    lines += format("  %s: %.2f (p50), %.2f (p10)\n", pair.name, of->p50 / to->p50, of->p10 / to->p10);
  }
  return lines;
}

// The cost of a segment of data and its ACKs without their ports.
std::string acked_line(const std::vector<Figures>& rows, const Traffic& traffic) {
  const Figures* worker = find(rows, Kind::worker_acked);
  const Figures* ports = find(rows, Kind::ports_acked);
  if (worker == nullptr || ports == nullptr) return "";
  const double p50 = worker->p50 - ports->p50, p10 = worker->p10 - ports->p10;
  return format("  a segment of data, its ACKs included, above the ports: %.0f cycles (p50), %.0f (p10)", p50,
                p10) +
         (traffic.split
              ? format("; target %.0f (p50): %s", kSplitTarget, p50 <= kSplitTarget ? "met" : "not met")
              : "") +
         "\n";
}

// Beside what receiving, writing and sending the frames alone costs.
std::string above(const Figures& row, const Figures* base, double cycles_per_ns) {
  const bool comparable = base != nullptr && !in_memory(row.kind) && row.kind != Kind::bare;
  return comparable ? format("%.1f", (row.p50 - base->p50) / cycles_per_ns) : "-";
}

std::string heading(const Traffic& t) {
  if (t.hostile) {
    const auto& pattern = kHostileAcks[static_cast<std::size_t>(*t.hostile)];
    return format("hostile ACKs through stage %s: %.*s, %.*s; %.3g Mpps offered\n", ack_stage_of(t).c_str(),
                  static_cast<int>(pattern.name.size()), pattern.name.data(),
                  static_cast<int>(pattern.text.size()), pattern.text.data(), t.frames_per_second / 1e6);
  }
  const bool below = t.load == Load::below;
  return format("%u B frames%s, %u bearer%s, %.3g Mpps offered: %s\n", t.frame_bytes, tunnel_words(t).c_str(),
                t.bearers, t.bearers == 1 ? "" : "s", t.frames_per_second / 1e6,
                below ? "a quarter of the bearers' rate, no backlog"
                      : "five quarters of the bearers' rate, every buffer full") +
         format("  each bearer %.6g kbit/s of IP, buffer %u frames, %s",
                t.bearer_frames_per_second() * t.ip_bytes() * 8 / 1e3, t.buffer_frames(), aqm_of(t).c_str()) +
         (dp::yardstick::has_flows(t) ? format(" with %u flow queues", t.flows()) : "") +
         (t.burst == dp::kBurst ? "" : format("; bursts of %u", t.burst)) +
         (t.acked ? "; ACKs, one for two frames, through stage: " + ack_stage_of(t) : "") + "\n";
}

json turns_of(const Series& series) {
  json turns = json::array();
  for (const Turn& turn : series.turns) {
    turns.push_back({{"cycles_p50", lab::percentile(turn.chunks, 50)},
                     {"cycles_p10", lab::percentile(turn.chunks, 10)},
                     {"cycles", turn.cycles},
                     {"chunks", turn.chunks.size()},
                     {"polls", turn.polls},
                     {"late_polls", turn.late},
                     {"received", turn.tally.received},
                     {"sent", turn.tally.sent},
                     {"dropped", turn.tally.dropped},
                     {"dropped_not_by_buffer", turn.tally.not_by_buffer},
                     {"queued", turn.tally.queued}});
  }
  return turns;
}

json ratios_of(const Figures& row, const std::vector<Figures>& rows) {
  json ratios = json::object();
  const auto add = [&](Kind other) {
    const Figures* base = find(rows, other);
    if (base != nullptr && base->kind != row.kind && base->p50 != 0) {
      ratios["to_" + name_of(other)] = row.p50 / base->p50;
    }
  };
  for (const Kind other : {Kind::bare, Kind::sched, Kind::sched_unlimited}) add(other);
  for (const Pair& pair : kPairs) {
    if (pair.of == row.kind) add(pair.to);
  }
  return ratios;
}

json cell_json(const CellResult& cell, double cycles_per_ns) {
  const auto rows = rows_of(cell);
  json subjects = json::array();
  for (const Series& series : cell.series) {
    json subject{{"subject", name_of(series.kind)},
                 {"state_bytes", series.state_bytes},
                 {"state_bytes_per_bearer", static_cast<double>(series.state_bytes) / cell.traffic.bearers},
                 {"residue", series.residue},
                 {"turns", turns_of(series)}};
    if (const Figures* row = find(rows, series.kind)) {
      subject["ns_p50"] = row->p50 / cycles_per_ns;
      subject["ns_p50_least"] = row->p50_least / cycles_per_ns;
      subject["ns_p10"] = row->p10 / cycles_per_ns;
      subject["ns_p10_least"] = row->p10_least / cycles_per_ns;
      subject["ns_mean"] = row->mean / cycles_per_ns;
      subject["cycles_p50"] = row->p50;
      subject["cycles_p10"] = row->p10;
      subject["dropped_ratio"] = row->dropped;
      subject["late_ratio"] = row->late;
      subject["ratios_p50"] = ratios_of(*row, rows);
    }
    subjects.push_back(std::move(subject));
  }
  const Traffic& t = cell.traffic;
  json result{
      {"bearers", t.bearers},
      {"frame_bytes", t.frame_bytes},
      {"load", load_of(t)},
      {"aqm", aqm_of(t)},
      {"acks", t.acked ? json(ack_stage_of(t)) : json(nullptr)},
      {"hostile", t.hostile ? json(kHostileAcks[static_cast<std::size_t>(*t.hostile)].name) : json(nullptr)},
      {"offered_fps", t.frames_per_second},
      {"chunk_polls", chunk_polls(t)},
      {"bearer_rate_bps", t.bearer_frames_per_second() * t.ip_bytes() * 8},
      {"buffer_frames", t.buffer_frames()},
      {"leaked_mbufs", cell.leaked_mbufs},
      {"subjects", std::move(subjects)}};
  add_variant(result, t);
  return result;
}

}  // namespace

const char* load_of(const Traffic& traffic) { return traffic.load == Load::below ? "below" : "above"; }
std::string aqm_of(const Traffic& traffic) { return std::string(dp::AqmList::kNames[traffic.aqm]); }

std::optional<Figures> figures_of(const Series& series) {
  std::vector<double> p50, p10;
  double received = 0, dropped = 0, polls = 0, late = 0, cycles = 0;
  for (const Turn& turn : series.turns) {
    if (turn.chunks.empty()) continue;
    p50.push_back(lab::percentile(turn.chunks, 50));
    p10.push_back(lab::percentile(turn.chunks, 10));
    cycles += static_cast<double>(turn.cycles);
    received += static_cast<double>(turn.tally.received);
    dropped += static_cast<double>(turn.tally.dropped);
    polls += static_cast<double>(turn.polls);
    late += static_cast<double>(turn.late);
  }
  if (p50.empty()) return std::nullopt;
  Figures figures{series.kind, lab::median(p50), lab::percentile(p50, 0), lab::median(p10),
                  lab::percentile(p10, 0)};
  figures.state_bytes = series.state_bytes;
  figures.late = late / polls;
  if (received != 0) {
    figures.mean = cycles / received;
    figures.dropped = dropped / received;
  }
  return figures;
}

std::vector<std::string> faults_of(const std::vector<CellResult>& cells) {
  std::vector<std::string> faults;
  for (const CellResult& cell : cells) {
    const std::string where = format("%u B, %u bearers, %s their rate: ", cell.traffic.frame_bytes,
                                     cell.traffic.bearers, load_of(cell.traffic));
    for (const Series& series : cell.series) {
      if (series.residue == 0) continue;
      faults.push_back(where + name_of(series.kind) + ": " + std::to_string(series.residue) +
                       " frames are neither sent, queued nor dropped");
    }
    if (cell.leaked_mbufs != 0) {
      faults.push_back(where + std::to_string(cell.leaked_mbufs) + " mbufs never came back to the pool");
    }
  }
  return faults;
}

std::vector<std::string> unmeasured(const std::vector<CellResult>& cells) {
  std::vector<std::string> lines;
  for (const CellResult& cell : cells) {
    for (const Series& series : cell.series) {
      if (!cell.traffic.hostile || figures_of(series)) continue;
      lines.push_back(name_of(series.kind) +
                      " met none of the frames that it is measured by; give it more "
                      "time with --seconds");
    }
  }
  return lines;
}

std::string table_of(const CellResult& cell, const Setting& setting) {
  const auto rows = rows_of(cell);
  const Figures* forward = find(rows, Kind::bare);
  const Figures* frames = find(rows, Kind::written);
  const Figures* sched = find(rows, Kind::sched);
  std::string text = heading(cell.traffic);
  text +=
      format("  %-16s %7s %7s %7s %7s %7s %7s %9s %9s %8s %6s %6s %9s\n", "", "ns p50", "ns p10", "least",
             "mean", "cyc p50", "cyc p10", "ns above", "x forward", "x sched", "drops", "late", "B/bearer");
  const double per_ns = setting.cycles_per_ns;
  for (const Figures& row : rows) {
    const double bytes = static_cast<double>(row.state_bytes) / cell.traffic.bearers;
    text += format("  %-16s %7.1f %7.1f %7.1f %7.1f %7.0f %7.0f %9s %9s %8s %5.1f%% %5.1f%% %9s\n",
                   name_of(row.kind).c_str(), row.p50 / per_ns, row.p10 / per_ns, row.p50_least / per_ns,
                   row.mean / per_ns, row.p50, row.p10, above(row, frames, per_ns).c_str(),
                   ratio_to(row, forward).c_str(), ratio_to(row, sched).c_str(), row.dropped * 100,
                   row.late * 100, row.state_bytes == 0 ? "-" : format("%.0f", bytes).c_str());
  }
  return text + pair_lines(rows) + acked_line(rows, cell.traffic);
}

std::string explanation(const Options& options, const Setting& setting) {
  std::string text =
      format("rncbench path, rncd %s, %s, CPU %u: %s, TSC %.3f GHz, seed %llu\n", setting.version.c_str(),
             setting.dpdk.c_str(), setting.cpu, setting.cpu_model.c_str(), setting.cycles_per_ns,
             static_cast<unsigned long long>(options.seed));
  text += "EAL: " + setting.eal + "\n\n";
  text += format(
      "A figure is the time inside one poll (a burst in, what is due out) by the frames received in it,\n"
      "less the %llu cycles that reading the clock before and behind it takes.\n",
      static_cast<unsigned long long>(setting.reading_cycles));
  text +=
      "p50 and p10: over chunks of 2 ms, then the median over the turns; least: the least p50 of a "
      "turn;\n"
      "mean: over everything, disturbances by others on the machine included. Bursts come at the pace "
      "offered,\n"
      "in real time (TSC); waiting for the next one does not count. Generating the frames counts: row "
      "`frames`\n"
      "is its price, `ns above` what comes on top. late: polls begun more than a burst too late.\n"
      "Downlink, and uplink with --ack; no NIC, no PCIe, no payload copy, no control traffic, no empty "
      "polls.\n\n";
  for (const auto& kind : kKinds) text += format("  %-16s %s\n", kind.name.data(), kind.text.data());
  return text + "\n";
}

json json_of(const std::vector<CellResult>& cells, const Options& options, const Setting& setting) {
  json list = json::array();
  for (const CellResult& cell : cells) list.push_back(cell_json(cell, setting.cycles_per_ns));
  return {{"benchmark", "path"},
          {"version", setting.version},
          {"dpdk", setting.dpdk},
          {"eal", setting.eal},
          {"cpu", setting.cpu},
          {"cpu_model", setting.cpu_model},
          {"cycles_per_ns", setting.cycles_per_ns},
          {"clock", "tsc"},
          {"reading_cycles", setting.reading_cycles},
          {"seed", options.seed},
          {"huge_pages", options.huge},
          {"repetitions", options.repetitions},
          {"measure_ms", static_cast<double>(setting.spell.measure.count()) / 1e6},
          {"settle_ms", static_cast<double>(setting.spell.settle.count()) / 1e6},
          {"interrupted", setting.interrupted},
          {"faults", faults_of(cells)},
          {"targets", path_targets_json(path_targets(cells))},
          {"cells", std::move(list)}};
}

}  // namespace bench
