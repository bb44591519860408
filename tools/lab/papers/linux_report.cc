#include "tools/lab/papers/linux_report.h"

#include "tools/common/table.h"
#include "tools/lab/figures/plot.h"
#include "tools/lab/figures/text.h"
#include "tools/lab/papers/claims_report.h"
#include "tools/lab/papers/qdiscs.h"

namespace lab {
namespace {

using tools::Table;

constexpr std::string_view kOurs =
    "goodput is of payload over the whole run, queue the time from a packet's arrival to the start of its "
    "transmission, which is when HTB takes it from its leaf, after t = 10 s; \"left\" has its transmission, "
    "too. Runs differ in when flows start (within 250 ms) and in 1 ms of jitter";

Estimate in_ms(const Estimate& s) { return {s.mean * 1e3, s.ci90 * 1e3}; }

const Qdisc* qdisc_like(const LinuxRow& row) {
  for (const Qdisc& qdisc : kQdiscs) {
    if (qdisc.name == row.like && qdisc.flows == row.flows) return &qdisc;
  }
  return nullptr;
}

void add_qdiscs(Table& table, unsigned flows) {
  for (const Qdisc& q : kQdiscs) {
    if (q.flows != flows) continue;
    table.add({"qdisc " + std::string(q.name), std::to_string(flows), "Reno without SACK",
               text_of(q.goodput_kbit_s, 0), "", text_of(q.queue_s * 1e3, 0), "", "", ""});
  }
}

// Ours and the qdiscs, by the number of flows.
std::string rows_text(const LinuxOutcome& o) {
  Table table({"ROW", ">FLOWS", "TCP", ">GOODPUT kbit/s", ">AFTER 10 s", ">QUEUE ms", ">LEFT ms", ">DROPS",
               ">TIMEOUTS"});
  for (const unsigned flows : {1u, 4u}) {
    bool any = false;
    for (const LinuxRow* row : o.rows) {
      const auto at = o.results.find(row->id);
      if (at == o.results.end() || row->flows != flows || row->checks()) continue;
      const RowSummary &whole = at->second.whole, &late = at->second.late;
      table.add({std::string(row->id), std::to_string(flows), std::string(row->tcp),
                 text_of(whole.of(&RunFigures::goodput_1460), 1),
                 text_of(late.of(&RunFigures::goodput_1460).mean, 1),
                 text_of(in_ms(late.of(&RunFigures::wait)), 1),
                 text_of(in_ms(late.of(&RunFigures::sojourn)).mean, 1),
                 text_of(whole.of(&RunFigures::overflow).mean + whole.of(&RunFigures::aqm).mean, 1),
                 text_of(whole.of(&RunFigures::timeouts).mean, 1)});
      any = true;
    }
    if (any) add_qdiscs(table, flows);
  }
  return table.text();
}

// How near the lab's own AQMs come to the qdiscs.
std::string checks_text(const LinuxOutcome& o) {
  Table table({"THE LAB'S OWN", ">FLOWS", ">GOODPUT kbit/s", ">QDISC", ">QUEUE ms", ">QDISC"});
  for (const LinuxRow* row : o.rows) {
    const auto at = o.results.find(row->id);
    const Qdisc* qdisc = qdisc_like(*row);
    if (at == o.results.end() || qdisc == nullptr) continue;
    table.add({std::string(row->id), std::to_string(row->flows), text_of(at->second.goodput(), 1),
               text_of(qdisc->goodput_kbit_s, 0), text_of(at->second.queue() * 1e3, 1),
               text_of(qdisc->queue_s * 1e3, 0)});
  }
  return table.empty() ? "" : "\n" + table.text();
}

std::pair<double, double> speed_of(const LinuxResults& results) {
  double flow_seconds = 0, wall = 0;
  for (const auto& [id, figures] : results) {
    for (const RowSummary* summary : {&figures.whole, &figures.late}) {
      flow_seconds += summary->flow_seconds();
      wall += summary->wall();
    }
  }
  return {flow_seconds, wall};
}

Json qdisc_json(const Qdisc& q) {
  return {
      {"name", q.name}, {"flows", q.flows}, {"goodput_1460_kbit_s", q.goodput_kbit_s}, {"wait_s", q.queue_s}};
}

}  // namespace

std::string linux_text(const LinuxOutcome& o) {
  const auto [flow_seconds, wall] = speed_of(o.results);
  std::string text = "The profile low-delay beside Linux's qdiscs\n" + std::to_string(o.setting.runs) +
                     " runs of " + text_of(o.setting.duration_s, 0) + " s a row from seed " +
                     std::to_string(o.setting.seed) + "; ± is half of the 90 % interval";
  for (const auto& argument : o.set) text += "; --set " + argument;
  text += "\n\n" + rows_text(o) + claims_text("GOAL", "IS", linux_rules(o.results)) + checks_text(o);
  text += "\nQdiscs: " + std::string(kQdiscSetUp) + ".\nOurs: " + std::string(kOurs) + ".\n";
  return text + speed_text(flow_seconds, wall) + partial_text(o.setting.partial);
}

Json linux_json(const LinuxOutcome& o) {
  Json rows = Json::array(), qdiscs = Json::array();
  for (const LinuxRow* row : o.rows) {
    const auto at = o.results.find(row->id);
    if (at == o.results.end()) continue;
    Json json = row_json(std::string(row->id), row->flows, at->second.late);
    json["whole_run"] = {{"goodput_1460_kbit_s", json_of(at->second.whole.of(&RunFigures::goodput_1460))},
                         {"timeouts", json_of(at->second.whole.of(&RunFigures::timeouts))}};
    if (row->checks()) json["like"] = row->like;
    rows.push_back(std::move(json));
  }
  for (const Qdisc& q : kQdiscs) qdiscs.push_back(qdisc_json(q));
  const auto [flow_seconds, wall] = speed_of(o.results);
  Json document = document_json(o.setting, std::move(rows), flow_seconds, wall);
  document["set"] = o.set;
  document["qdiscs"] = {{"setup", kQdiscSetUp}, {"rows", std::move(qdiscs)}};
  document["verdicts"] = claims_json(linux_rules(o.results));
  return document;
}

void draw_linux(const std::filesystem::path& folder, const LinuxOutcome& o) {
  std::vector<Tradeoff> points;
  const auto label = [](std::string_view name, unsigned flows) {
    return std::string(name) + (flows == 1 ? "" : ", " + std::to_string(flows) + " flows");
  };
  for (const LinuxRow* row : o.rows) {
    const auto at = o.results.find(row->id);
    if (at == o.results.end() || row->checks()) continue;
    points.push_back({"low-delay " + label(row->control, row->flows),
                      at->second.whole.of(&RunFigures::goodput_1460), at->second.late.of(&RunFigures::wait)});
  }
  for (const Qdisc& q : kQdiscs) {
    if (q.queue_s < 0.5) points.push_back({label(q.name, q.flows), {q.goodput_kbit_s, 0}, {q.queue_s, 0}});
  }
  draw_tradeoffs({folder, "paper-linux"}, "Goodput against queue, 384 kbit/s, 250 ms", points);
}

std::string linux_list_text() {
  std::string text = "linux, the profile low-delay beside Linux's qdiscs\n" + std::string(kQdiscSetUp) + "\n";
  Table table({"ROW", ">FLOWS", "TCP", "BESIDE", ">GOODPUT kbit/s", ">QUEUE ms"});
  for (const LinuxRow& row : linux_rows()) {
    for (const Qdisc& q : kQdiscs) {
      if (q.flows != row.flows || (row.checks() && q.name != row.like)) continue;
      table.add({std::string(row.id), std::to_string(row.flows), std::string(row.tcp), std::string(q.name),
                 text_of(q.goodput_kbit_s, 0), text_of(q.queue_s * 1e3, 0)});
    }
  }
  return text + table.text();
}

}  // namespace lab
