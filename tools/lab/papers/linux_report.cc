#include "tools/lab/papers/linux_report.h"

#include "tools/common/table.h"
#include "tools/lab/figures/plot.h"
#include "tools/lab/figures/text.h"
#include "tools/lab/papers/claims_report.h"

namespace lab {
namespace {

using tools::Table;
using Rows = std::vector<const PaperRow*>;

Estimate in_ms(const Estimate& s) { return {s.mean * 1e3, s.ci90 * 1e3}; }

const Qdisc* qdisc_like(const Paper& linux, const PaperRow& row) {
  for (const Qdisc& qdisc : linux.qdiscs) {
    if (qdisc.name == row.like && qdisc.flows == row.flows()) return &qdisc;
  }
  return nullptr;
}

void add_qdiscs(Table& table, const Paper& linux, unsigned flows) {
  for (const Qdisc& q : linux.qdiscs) {
    if (q.flows != flows) continue;
    table.add({"qdisc " + q.name, std::to_string(flows), "Reno without SACK", text_of(q.goodput_kbit_s, 0),
               "", text_of(q.queue_s * 1e3, 0), "", "", ""});
  }
}

// Our rows and the qdiscs, by number of flows.
std::string linux_rows_text(const Paper& linux, const Rows& rows, const Results& results) {
  Table table({"ROW", ">FLOWS", "TCP", ">GOODPUT kbit/s", ">AFTER 10 s", ">QUEUE ms", ">LEFT ms", ">DROPS",
               ">TIMEOUTS"});
  for (const unsigned flows : {1u, 4u}) {
    bool any = false;
    for (const PaperRow* row : rows) {
      const auto ours = figures_of(*row, results);
      if (!ours || row->flows() != flows || !row->like.empty()) continue;
      const auto& [whole, late] = *ours;
      table.add(
          {row->id, std::to_string(flows), row->value("tcp"), text_of(whole.of(&RunFigures::goodput_1460), 1),
           text_of(late.of(&RunFigures::goodput_1460).mean, 1), text_of(in_ms(late.of(&RunFigures::wait)), 1),
           text_of(in_ms(late.of(&RunFigures::sojourn)).mean, 1),
           text_of(whole.of(&RunFigures::overflow).mean + whole.of(&RunFigures::aqm).mean, 1),
           text_of(whole.of(&RunFigures::timeouts).mean, 1)});
      any = true;
    }
    if (any) add_qdiscs(table, linux, flows);
  }
  return table.text();
}

// The differences of the lab's own AQMs from the qdiscs.
std::string checks_text(const Paper& linux, const Rows& rows, const Results& results) {
  Table table({"THE LAB'S OWN", ">FLOWS", ">GOODPUT kbit/s", ">QDISC", ">QUEUE ms", ">QDISC"});
  for (const PaperRow* row : rows) {
    const auto ours = figures_of(*row, results);
    const Qdisc* qdisc = qdisc_like(linux, *row);
    if (!ours || qdisc == nullptr) continue;
    table.add({row->id, std::to_string(row->flows()), text_of(ours->goodput(), 1),
               text_of(qdisc->goodput_kbit_s, 0), text_of(ours->queue() * 1e3, 1),
               text_of(qdisc->queue_s * 1e3, 0)});
  }
  return table.empty() ? "" : "\n" + table.text();
}

Json qdisc_json(const Qdisc& q) {
  return {
      {"name", q.name}, {"flows", q.flows}, {"goodput_1460_kbit_s", q.goodput_kbit_s}, {"wait_s", q.queue_s}};
}

std::string linux_text(const Paper& linux, const Rows& rows, const Results& results) {
  return linux_rows_text(linux, rows, results) + claims_text("GOAL", "IS", linux_rules(linux, results)) +
         checks_text(linux, rows, results) + "\nQdiscs: " + linux.set_up + ".\nOurs: " + linux.measured +
         ".\n";
}

void add_linux_json(const Paper& linux, const Rows& rows, const Results& results, Json& document) {
  for (const PaperRow* row : rows) {
    const auto ours = figures_of(*row, results);
    if (!ours) continue;
    Json json = row_json(row->id, row->flows(), ours->late);
    json["whole_run"] = {{"goodput_1460_kbit_s", json_of(ours->whole.of(&RunFigures::goodput_1460))},
                         {"timeouts", json_of(ours->whole.of(&RunFigures::timeouts))}};
    if (!row->like.empty()) json["like"] = row->like;
    document["rows"].push_back(std::move(json));
  }
  Json qdiscs = Json::array();
  for (const Qdisc& q : linux.qdiscs) qdiscs.push_back(qdisc_json(q));
  document["qdiscs"] = {{"setup", linux.set_up}, {"rows", std::move(qdiscs)}};
  document["verdicts"] = claims_json(linux_rules(linux, results));
}

void draw_linux(const std::filesystem::path& folder, const Paper& linux, const Rows& rows,
                const Results& results) {
  std::vector<Tradeoff> points;
  const auto label = [](const std::string& name, unsigned flows) {
    return name + (flows == 1 ? "" : ", " + std::to_string(flows) + " flows");
  };
  for (const PaperRow* row : rows) {
    const auto ours = figures_of(*row, results);
    if (!ours || !row->like.empty()) continue;
    points.push_back({"low-delay " + label(row->value("control"), row->flows()),
                      ours->whole.of(&RunFigures::goodput_1460), ours->late.of(&RunFigures::wait)});
  }
  for (const Qdisc& q : linux.qdiscs) {
    if (q.queue_s < 0.5) points.push_back({label(q.name, q.flows), {q.goodput_kbit_s, 0}, {q.queue_s, 0}});
  }
  draw_tradeoffs({folder, "paper-linux"}, "Goodput against queue, 384 kbit/s, 250 ms", points);
}

}  // namespace

Experiment linux_experiment(const Paper& linux, const std::vector<const PaperRow*>& rows) {
  Experiment e{linux.name, linux.title, linux.scenario, linux.scenario_text, "a row"};
  for (const PaperRow* row : rows) {
    const Point late{late_id(*row), "row " + row->id, row->overrides};
    Point& whole = e.points.emplace_back(late);
    whole.id = whole_id(*row);
    whole.adjust = [](Scenario& scenario) {
      scenario.measure_from = dp::Duration{0};
      return dp::ok();
    };
    e.points.push_back(late);
  }
  e.text = [&linux, rows](const Outcome& o) { return linux_text(linux, rows, o.results); };
  e.add_json = [&linux, rows](const Outcome& o, Json& json) { add_linux_json(linux, rows, o.results, json); };
  e.draw = [&linux, rows](const auto& folder, const Outcome& o) {
    draw_linux(folder, linux, rows, o.results);
  };
  return e;
}

std::string linux_list_text(const Paper& linux) {
  std::string text = "linux, the profile low-delay beside Linux's qdiscs\n" + linux.set_up + "\n";
  Table table({"ROW", ">FLOWS", "TCP", "BESIDE", ">GOODPUT kbit/s", ">QUEUE ms"});
  for (const PaperRow& row : linux.rows) {
    for (const Qdisc& q : linux.qdiscs) {
      if (q.flows != row.flows() || (!row.like.empty() && q.name != row.like)) continue;
      table.add({row.id, std::to_string(row.flows()), row.value("tcp"), q.name, text_of(q.goodput_kbit_s, 0),
                 text_of(q.queue_s * 1e3, 0)});
    }
  }
  return text + table.text();
}

}  // namespace lab
