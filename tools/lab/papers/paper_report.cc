#include "tools/lab/papers/paper_report.h"

#include <cstdio>

#include "tools/common/table.h"
#include "tools/lab/figures/plot.h"
#include "tools/lab/figures/text.h"
#include "tools/lab/papers/claims_report.h"
#include "tools/lab/papers/linux_report.h"

namespace lab {
namespace {

using tools::Table;

std::string side(const PaperRow& row, double limit, bool inside) {
  if (!row.printed()) return "";
  return limit == kUnjudged ? "told" : inside ? "inside" : "OUTSIDE";
}
// Null if the error is not judged.
Json limit_json(double limit) { return limit == kUnjudged ? Json() : Json(limit); }
Json inside_json(double limit, bool inside) { return limit == kUnjudged ? Json() : Json(inside); }

using Rows = std::vector<const PaperRow*>;

std::string rows_text(const Rows& rows, const Results& results) {
  Table table({"ROW", ">FLOWS", ">GOODPUT kbit/s: PAPER", ">OURS", ">RATIO", "", ">1460 B", ">DELAY s: PAPER",
               ">OURS", ">RATIO", "", ">BO SDU", ">DROPS"});
  for (const PaperRow* row : rows) {
    const auto at = results.find(row->id);
    if (at == results.end()) continue;
    const RowSummary& ours = at->second;
    const RowVerdict v = judge(*row, ours);
    const double drops =
        ours.of(&RunFigures::overflow).mean + ours.of(&RunFigures::aqm).mean + ours.of(&RunFigures::rlc).mean;
    table.add(
        {row->id, std::to_string(row->flows()), text_of(row->goodput_kbit_s, 1), text_of(ours.goodput(), 1),
         text_of(v.goodput_ratio, 3), side(*row, row->goodput_limit, v.goodput_inside),
         text_of(ours.of(&RunFigures::goodput_1460).mean, 1), text_of(row->delay_s, 2),
         text_of(ours.delay(), 2), text_of(v.delay_ratio, 3), side(*row, row->delay_limit, v.delay_inside),
         text_of(ours.of(&RunFigures::bo).mean, 1), text_of(drops, 1)});
  }
  return table.text();
}

Json paper_row_json(const PaperRow& row, const RowSummary& ours) {
  const RowVerdict v = judge(row, ours);
  Json json = row_json(row.id, row.flows(), ours);
  if (!row.printed()) return json;
  json["paper"] = {{"goodput_kbit_s", json_of(row.goodput_kbit_s)},
                   {"delay_s", json_of(row.delay_s)},
                   {"source", row.paper + " " + row.table}};
  json["ratio"] = {{"goodput_kbit_s", v.goodput_ratio}, {"delay_s", v.delay_ratio}};
  json["limit"] = {{"goodput_kbit_s", limit_json(row.goodput_limit)},
                   {"delay_s", limit_json(row.delay_limit)}};
  json["inside"] = {{"goodput_kbit_s", inside_json(row.goodput_limit, v.goodput_inside)},
                    {"delay_s", inside_json(row.delay_limit, v.delay_inside)}};
  return json;
}

std::string report_of(const Paper& paper, const Rows& rows, const Results& results) {
  return rows_text(rows, results) + claims_text("RULE", "LIMIT", verdicts(rows, results, paper.limits)) +
         claims_text("CLAIM", "PAPER", claims(paper, rows, results)) + fitted_text(paper);
}

void add_json(const Paper& paper, const Rows& rows, const Results& results, Json& document) {
  for (const PaperRow* row : rows) {
    const auto at = results.find(row->id);
    if (at != results.end()) document["rows"].push_back(paper_row_json(*row, at->second));
  }
  document["fitted"] = paper.fitted;
  document["verdicts"] = claims_json(verdicts(rows, results, paper.limits));
  document["claims"] = claims_json(claims(paper, rows, results));
}

void draw(const std::filesystem::path& folder, const Paper& paper, const Rows& rows, const Results& results) {
  std::vector<Comparison> all;
  for (const PaperRow* row : rows) {
    const auto at = results.find(row->id);
    if (at == results.end() || !row->printed()) continue;
    all.push_back({row->id, row->goodput_kbit_s, at->second.goodput(), row->delay_s, at->second.delay()});
  }
  draw_comparison({folder, "paper-" + paper.name}, "Paper " + paper.name, all);
}

// Columns of numbers come before the paper's values, columns of words after them.
template <class WordOf>
Table::Row line_of(const Paper& paper, Table::Row line, const Table::Row& printed, WordOf&& word_of) {
  const auto add = [&](bool numbers) {
    for (const Column& column : paper.columns) {
      if (column.heading.starts_with('>') == numbers) line.push_back(word_of(column));
    }
  };
  add(true);
  line.insert(line.end(), printed.begin(), printed.end());
  add(false);
  return line;
}

std::string list_text(const Paper& paper) {
  const std::string text = paper.name + ", " + paper.title + "\n";
  if (!paper.part.empty()) return text + "--part " + paper.part + ": " + paper.shows + "\n";
  if (paper.rows.empty()) return text + paper.shows + "\n";
  Table table(line_of(paper, {"ROW", "SOURCE"}, {">GOODPUT kbit/s", ">DELAY s"},
                      [](const Column& column) { return column.heading; }));
  for (const PaperRow& row : paper.rows) {
    table.add(line_of(paper, {row.id, row.table}, {text_of(row.goodput_kbit_s, 1), text_of(row.delay_s, 2)},
                      [&](const Column& column) { return row.value(column.name); }));
  }
  return text + table.text();
}

}  // namespace

Experiment rows_experiment(const Paper& paper, std::vector<const PaperRow*> rows) {
  Experiment e{paper.name, "Paper " + paper.name + ", " + paper.title, paper.scenario, paper.scenario_text,
               "a row"};
  for (const PaperRow* row : rows) {
    e.points.push_back({row->id, "row " + row->id, row->overrides});
  }
  e.text = [&paper, rows](const Outcome& o) { return report_of(paper, rows, o.results); };
  e.add_json = [&paper, rows](const Outcome& o, Json& json) { add_json(paper, rows, o.results, json); };
  e.draw = [&paper, rows](const auto& folder, const Outcome& o) { draw(folder, paper, rows, o.results); };
  return e;
}

std::string catalogue_text() {
  std::string text;
  for (const Paper& paper : papers()) {
    text += text.empty() ? "" : "\n";
    text += paper.qdiscs.empty() ? list_text(paper) : linux_list_text(paper);
  }
  return text;
}

}  // namespace lab
