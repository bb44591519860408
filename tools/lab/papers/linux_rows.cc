#include "tools/lab/papers/linux_rows.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "config/notation/words.h"
#include "tools/lab/papers/qdiscs.h"

namespace lab {
namespace {

// clang-format off
constexpr std::array kRows{
    LinuxRow{"reno/1", 1, "Reno without SACK", "reno"},
    LinuxRow{"sack/1", 1, "Reno with SACK", "sack", true},
    LinuxRow{"cubic/1", 1, "cubic", "cubic", true},
    LinuxRow{"reno/4", 4, "Reno without SACK", "reno"},
    LinuxRow{"sack/4", 4, "Reno with SACK", "sack", true},
    LinuxRow{"cubic/4", 4, "cubic", "cubic", true},
    LinuxRow{"codel/1", 1, "Reno without SACK", "reno", false, "codel", "codel"},
    LinuxRow{"pie/1", 1, "Reno without SACK", "reno", false, "pie", "pie"},
    LinuxRow{"drop-tail/1", 1, "Reno without SACK", "reno", false, "drop-tail", "pfifo 50"},
    LinuxRow{"fq-codel/4", 4, "Reno without SACK", "reno", false, "fq-codel", "fq_codel"},
};
// clang-format on

std::string figures(double goodput, double queue) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.0f kbit/s, %.0f ms", goodput, queue * 1e3);
  return text;
}

std::string figures(const LinuxFigures& ours) { return figures(ours.goodput(), ours.queue()); }

void add_goal(std::vector<Claim>& out, const LinuxRow& row, const LinuxFigures& ours) {
  char goal[64];
  std::snprintf(goal, sizeof(goal), ">= %.0f kbit/s, <= %.0f ms", kLeastGoodput, kMostQueue * 1e3);
  out.push_back({"one flow, " + std::string(row.tcp), goal, figures(ours),
                 ours.goodput() >= kLeastGoodput && ours.queue() <= kMostQueue});
}

// Not behind it on both axes; ahead on both is told.
void add_duel(std::vector<Claim>& out, const LinuxRow& row, const LinuxFigures& ours, const Qdisc& qdisc) {
  const bool goodput = ours.goodput() > qdisc.goodput_kbit_s, queue = ours.queue() < qdisc.queue_s;
  const std::string flows = qdisc.flows == 1 ? "one flow, " : std::to_string(qdisc.flows) + " flows, ";
  const std::string who = flows + std::string(row.tcp) + ": ";
  const std::string theirs = figures(qdisc.goodput_kbit_s, qdisc.queue_s);
  out.push_back({who + "not behind " + std::string(qdisc.name) + " in both figures", theirs, figures(ours),
                 goodput || queue});
  out.push_back({who + "ahead of " + std::string(qdisc.name) + " in both", theirs, figures(ours),
                 goodput && queue, Need::told});
}

}  // namespace

std::span<const LinuxRow> linux_rows() { return kRows; }

dp::Result<std::vector<const LinuxRow*>> select_linux_rows(std::span<const std::string> ids) {
  std::vector<std::string_view> names;
  for (const LinuxRow& row : kRows) names.push_back(row.id);
  for (const std::string& id : ids) {
    if (std::ranges::find(names, id) != names.end()) continue;
    return dp::Error{"--row: found '" + config::shorten(id) + "', expected " + config::one_of(names) +
                         config::did_you_mean(id, names),
                     2};
  }
  std::vector<const LinuxRow*> rows;
  for (const LinuxRow& row : kRows) {
    if (ids.empty() || std::ranges::find(ids, row.id) != ids.end()) rows.push_back(&row);
  }
  return rows;
}

config::Overrides overrides_of(const LinuxRow& row) {
  const std::string source = "row " + std::string(row.id), sack = row.sack ? "yes" : "no";
  config::Overrides all{{source, "flows.0.count", std::to_string(row.flows)},
                        {source, "flows.0.tcp.congestion", std::string(row.control)},
                        {source, "flows.0.tcp.sack", sack},
                        {source, "flows.0.sink.sack", sack}};
  if (!row.checks()) return all;
  // HTB hands a packet over when its transmission begins, and the next one has to wait; the lab's shaper when
  // it ends, 31.5 ms later. The round trip is the kernel's when half of that is taken from each way behind
  // it.
  all.push_back({source, "wires.access.delay", "9250us"});
  all.push_back({source, "classes.bearer.profile", "none"});
  all.push_back({source, "classes.bearer.downlink.aqm", std::string(row.aqm)});
  if (row.aqm == "drop-tail") all.push_back({source, "classes.bearer.downlink.buffer.sdus", "50"});
  return all;
}

std::string whole_id(const LinuxRow& row) { return std::string(row.id); }
std::string late_id(const LinuxRow& row) { return whole_id(row) + " late"; }

std::optional<LinuxFigures> figures_of(const LinuxRow& row, const Results& results) {
  const auto whole = results.find(whole_id(row)), late = results.find(late_id(row));
  if (whole == results.end() || late == results.end()) return std::nullopt;
  return LinuxFigures{whole->second, late->second};
}

std::vector<Claim> linux_rules(const Results& results) {
  std::vector<Claim> all;
  for (const LinuxRow& row : kRows) {
    const auto ours = figures_of(row, results);
    if (!ours || row.checks()) continue;
    if (row.flows == 1) {
      add_goal(all, row, *ours);
      continue;
    }
    for (const Qdisc& qdisc : kQdiscs) {
      if (qdisc.flows == row.flows) add_duel(all, row, *ours, qdisc);
    }
  }
  return all;
}

}  // namespace lab
