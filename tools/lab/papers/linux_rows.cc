#include "tools/lab/papers/linux_rows.h"

#include <fmt/format.h>

namespace lab {
namespace {

std::string figures(double goodput, double queue) {
  return fmt::format("{:.0f} kbit/s, {:.0f} ms", goodput, queue * 1e3);
}

std::string figures(const LinuxFigures& ours) { return figures(ours.goodput(), ours.queue()); }

void add_goal(std::vector<Claim>& out, const Goal& goal, const PaperRow& row, const LinuxFigures& ours) {
  out.push_back({"one flow, " + row.value("tcp"),
                 fmt::format(">= {:.0f} kbit/s, <= {:.0f} ms", goal.goodput_kbit_s, goal.queue_s * 1e3),
                 figures(ours), ours.goodput() >= goal.goodput_kbit_s && ours.queue() <= goal.queue_s});
}

// Required: not behind the qdisc on both axes. Ahead on both is reported.
void add_duel(std::vector<Claim>& out, const PaperRow& row, const LinuxFigures& ours, const Qdisc& qdisc) {
  const bool goodput = ours.goodput() > qdisc.goodput_kbit_s, queue = ours.queue() < qdisc.queue_s;
  const std::string who = fmt::format("{} flows, {}: ", qdisc.flows, row.value("tcp"));
  const std::string theirs = figures(qdisc.goodput_kbit_s, qdisc.queue_s);
  out.push_back(
      {who + "not behind " + qdisc.name + " in both figures", theirs, figures(ours), goodput || queue});
  out.push_back(
      {who + "ahead of " + qdisc.name + " in both", theirs, figures(ours), goodput && queue, Need::told});
}

}  // namespace

std::string whole_id(const PaperRow& row) { return row.id; }
std::string late_id(const PaperRow& row) { return whole_id(row) + " late"; }

std::optional<LinuxFigures> figures_of(const PaperRow& row, const Results& results) {
  const auto whole = results.find(whole_id(row)), late = results.find(late_id(row));
  if (whole == results.end() || late == results.end()) return std::nullopt;
  return LinuxFigures{whole->second, late->second};
}

std::vector<Claim> linux_rules(const Paper& linux, const Results& results) {
  std::vector<Claim> all;
  for (const PaperRow& row : linux.rows) {
    const auto ours = figures_of(row, results);
    if (!ours || !row.like.empty()) continue;
    if (row.flows() == 1) {
      if (linux.goal.queue_s > 0) add_goal(all, linux.goal, row, *ours);  // 0: none is given
      continue;
    }
    for (const Qdisc& qdisc : linux.qdiscs) {
      if (qdisc.flows == row.flows()) add_duel(all, row, *ours, qdisc);
    }
  }
  return all;
}

}  // namespace lab
