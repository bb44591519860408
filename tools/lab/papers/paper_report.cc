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
// Null where nothing is judged.
Json limit_json(double limit) { return limit == kUnjudged ? Json() : Json(limit); }
Json inside_json(double limit, bool inside) { return limit == kUnjudged ? Json() : Json(inside); }

std::string rows_text(const PaperOutcome& o) {
  Table table({"ROW", ">FLOWS", ">GOODPUT kbit/s: PAPER", ">OURS", ">RATIO", "", ">1460 B", ">DELAY s: PAPER",
               ">OURS", ">RATIO", "", ">BO SDU", ">DROPS"});
  for (const PaperRow* row : o.rows) {
    const auto at = o.results.find(row->id);
    if (at == o.results.end()) continue;
    const RowSummary& ours = at->second;
    const RowVerdict v = judge(*row, ours);
    const double drops =
        ours.of(&RunFigures::overflow).mean + ours.of(&RunFigures::aqm).mean + ours.of(&RunFigures::rlc).mean;
    table.add({std::string(row->id), std::to_string(row->flows), text_of(row->goodput_kbit_s, 1),
               text_of(ours.goodput(), 1), text_of(v.goodput_ratio, 3),
               side(*row, row->goodput_limit, v.goodput_inside),
               text_of(ours.of(&RunFigures::goodput_1460).mean, 1), text_of(row->delay_s, 2),
               text_of(ours.delay(), 2), text_of(v.delay_ratio, 3),
               side(*row, row->delay_limit, v.delay_inside), text_of(ours.of(&RunFigures::bo).mean, 1),
               text_of(drops, 1)});
  }
  return table.text();
}

Json paper_row_json(const PaperRow& row, const RowSummary& ours) {
  const RowVerdict v = judge(row, ours);
  Json json = row_json(std::string(row.id), row.flows, ours);
  if (!row.printed()) return json;
  json["paper"] = {{"goodput_kbit_s", json_of(row.goodput_kbit_s)},
                   {"delay_s", json_of(row.delay_s)},
                   {"source", std::string(row.paper) + " " + std::string(row.table)}};
  json["ratio"] = {{"goodput_kbit_s", v.goodput_ratio}, {"delay_s", v.delay_ratio}};
  json["limit"] = {{"goodput_kbit_s", limit_json(row.goodput_limit)},
                   {"delay_s", limit_json(row.delay_limit)}};
  json["inside"] = {{"goodput_kbit_s", inside_json(row.goodput_limit, v.goodput_inside)},
                    {"delay_s", inside_json(row.delay_limit, v.delay_inside)}};
  return json;
}

std::pair<double, double> speed_of(const Results& results) {
  double flow_seconds = 0, wall = 0;
  for (const auto& [id, summary] : results) {
    flow_seconds += summary.flow_seconds();
    wall += summary.wall();
  }
  return {flow_seconds, wall};
}

}  // namespace

std::string paper_text(const PaperOutcome& o) {
  const auto [flow_seconds, wall] = speed_of(o.results);
  std::string text = "Paper " + std::string(o.paper->name) + ", " + std::string(o.paper->title) + "\n" +
                     std::to_string(o.setting.runs) + " runs of " + text_of(o.setting.duration_s, 0) +
                     " s a row from seed " + std::to_string(o.setting.seed) +
                     "; ± is half of the 90 % interval";
  for (const auto& argument : o.set) text += "; --set " + argument;
  text += "\n\n" + rows_text(o);
  text += claims_text("RULE", "LIMIT", verdicts(o.rows, o.results));
  text += claims_text("CLAIM", "PAPER", claims(*o.paper, o.rows, o.results));
  text += "\nFitted to the papers' figures, not given by them: " + fitted_text(*o.paper) + "\n";
  return text + speed_text(flow_seconds, wall) + partial_text(o.setting.partial);
}

Json paper_json(const PaperOutcome& o) {
  Json rows = Json::array();
  for (const PaperRow* row : o.rows) {
    const auto at = o.results.find(row->id);
    if (at != o.results.end()) rows.push_back(paper_row_json(*row, at->second));
  }
  const auto [flow_seconds, wall] = speed_of(o.results);
  Json document = document_json(o.setting, std::move(rows), flow_seconds, wall);
  document["set"] = o.set;
  document["fitted"] = fitted_text(*o.paper);
  document["verdicts"] = claims_json(verdicts(o.rows, o.results));
  document["claims"] = claims_json(claims(*o.paper, o.rows, o.results));
  return document;
}

void draw_paper(const std::filesystem::path& folder, const PaperOutcome& o) {
  std::vector<Comparison> rows;
  for (const PaperRow* row : o.rows) {
    const auto at = o.results.find(row->id);
    if (at == o.results.end() || !row->printed()) continue;
    rows.push_back(
        {std::string(row->id), row->goodput_kbit_s, at->second.goodput(), row->delay_s, at->second.delay()});
  }
  draw_comparison({folder, "paper-" + std::string(o.paper->name)}, "Paper " + std::string(o.paper->name),
                  rows);
}

std::string catalogue_text() {
  std::string text;
  for (const Paper& paper : papers()) {
    text += (text.empty() ? "" : "\n") + std::string(paper.name) + ", " + std::string(paper.title) + "\n";
    if (!paper.part.empty()) {
      text += "--part " + std::string(paper.part) + ": figures 7 to 10 and what is said of them\n";
      continue;
    }
    Table table({"ROW", "SOURCE", ">FLOWS", ">RATE kbit/s", ">BUFFER SDU", ">GOODPUT kbit/s", ">DELAY s",
                 "AQM", "ACK STAGES"});
    for (const PaperRow& row : paper_rows()) {
      if (row.paper != paper.name) continue;
      table.add({std::string(row.id), std::string(row.table), std::to_string(row.flows),
                 std::to_string(row.rate_kbit_s), std::to_string(row.buffer_sdus),
                 text_of(row.goodput_kbit_s, 1), text_of(row.delay_s, 2), std::string(row.aqm),
                 std::string(row.ack)});
    }
    text += table.text();
  }
  return text + "\n" + linux_list_text();
}

}  // namespace lab
