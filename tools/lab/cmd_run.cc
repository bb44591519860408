#include "tools/lab/cmd_run.h"

#include <iostream>
#include <vector>

#include "tools/common/interrupt.h"
#include "tools/common/output.h"
#include "tools/common/table.h"
#include "tools/lab/batch/runs.h"
#include "tools/lab/cmd_trace.h"
#include "tools/lab/figures/json.h"
#include "tools/lab/figures/plot.h"
#include "tools/lab/figures/progress.h"
#include "tools/lab/figures/text.h"
#include "tools/lab/run/simulate.h"
#include "tools/lab/run/trace.h"
#include "tools/lab/scenario/scenario.h"
#include "tools/lab/scenario/trace_cap.h"

namespace lab {
namespace {

using Runs = std::vector<RunResult>;

// The runs reduced to one of their flows.
Runs only_flow(const Runs& runs, std::size_t flow) {
  Runs out;
  for (const RunResult& run : runs) {
    RunResult& one = out.emplace_back(run);
    one.flows = {run.flows[flow]};
  }
  return out;
}

tools::Table::Row cells(const std::string& id, const RowSummary& s) {
  return {id,
          text_of(s.of(&RunFigures::goodput), 1),
          text_of(s.of(&RunFigures::goodput_1460), 1),
          text_of(s.of(&RunFigures::delay), 3),
          text_of(s.of(&RunFigures::delay_p95), 3),
          text_of(s.of(&RunFigures::retransmissions), 1),
          text_of(s.of(&RunFigures::timeouts), 1),
          text_of(s.of(&RunFigures::transfer), 2),
          text_of(s.of(&RunFigures::response), 2)};
}

std::string flow_table(const Runs& runs, const RowSummary& all) {
  tools::Table table({"flow", ">kbit/s, 1500", ">kbit/s, 1460", ">delay, s", ">95 %, s", ">repeats",
                      ">timeouts", ">transfer, s", ">response, s"});
  const std::size_t flows = runs.front().flows.size();
  for (std::size_t i = 0; flows > 1 && i < flows; ++i) {
    table.add(cells(runs.front().flows[i].id, summarise(only_flow(runs, i))));
  }
  table.add(cells(flows > 1 ? "all" : runs.front().flows[0].id, all));
  return table.text();
}

template <class Get>
Estimate over_runs(const Runs& runs, Get&& get) {
  std::vector<double> values;
  for (const RunResult& run : runs) values.push_back(static_cast<double>(get(run)));
  return estimate(values);
}

std::string bearer_table(const Runs& runs, const RowSummary& all) {
  const std::vector<Estimate> shares = slot_shares(all);
  tools::Table::Row headings{"bearer", ">BO, SDU", ">most",       ">overflow", ">AQM",
                             ">RLC",   ">radio",   ">PDUs again", ">used, %",  ">carried, %"};
  if (!shares.empty()) headings.push_back(">slots, %");
  tools::Table table(std::move(headings));
  for (std::size_t i = 0; i < runs.front().bearers.size(); ++i) {
    const auto of = [&](auto&& get, int digits) {
      return text_of(over_runs(runs, [&](const RunResult& run) { return get(run.bearers[i]); }), digits);
    };
    tools::Table::Row row{runs.front().bearers[i].ue,
                          of([](const BearerResult& b) { return b.bo_mean; }, 1),
                          of([](const BearerResult& b) { return b.bo_max; }, 1),
                          of([](const BearerResult& b) { return b.dropped_overflow; }, 1),
                          of([](const BearerResult& b) { return b.dropped_aqm; }, 1),
                          of([](const BearerResult& b) { return b.dropped_rlc; }, 1),
                          of([](const BearerResult& b) { return b.dropped_radio; }, 1),
                          of([](const BearerResult& b) { return b.pdu_retransmissions; }, 0),
                          of([](const BearerResult& b) { return b.utilisation * 100; }, 1),
                          of([](const BearerResult& b) { return b.share() * 100; }, 1)};
    if (!shares.empty()) row.push_back(text_of({shares[i].mean * 100, shares[i].ci90 * 100}, 1));
    table.add(std::move(row));
  }
  return table.text();
}

// Empty if no transfer was complete.
std::string size_table(const ResponsesBySize& sizes) {
  tools::Table table({">kB, up to", ">transfers", ">response, s"});
  for (std::size_t bin = 0; bin < sizes.size(); ++bin) {
    if (sizes[bin].transfers == 0) continue;
    const bool last = bin + 1 == sizes.size();
    table.add({last ? "more" : text_of(static_cast<double>(kSizeBins[bin]) / 1e3, 1),
               std::to_string(sizes[bin].transfers), text_of(sizes[bin].mean(), 2)});
  }
  return table.empty() ? "" : table.text() + "\n";
}

std::string text_of_runs(const Runs& runs, const RowSummary& all) {
  std::string out =
      flow_table(runs, all) + "\n" + size_table(sizes_of(all.each())) + bearer_table(runs, all) + "\n";
  if (runs.front().flows.size() > 1) out += "Jain's index " + text_of(all.of(&RunFigures::jain), 3) + "\n";
  const Estimate lost = all.of(&RunFigures::wire);
  if (lost.mean > 0) out += "frames lost on wires " + text_of(lost, 1) + "\n";
  return out + std::to_string(all.runs()) +
         (all.runs() == 1 ? " run" : " runs, means and 90 % intervals of a run") + "\n";
}

// Bearers outside cells have no slots.
Json bearers_json(const Runs& runs, const RowSummary& all) {
  const std::vector<Estimate> shares = slot_shares(all);
  Json list = Json::array();
  for (std::size_t i = 0; i < runs.front().bearers.size(); ++i) {
    list.push_back({{"ue", runs.front().bearers[i].ue},
                    {"slot_share", shares.empty() ? Json(nullptr) : json_of(shares[i])}});
  }
  return list;
}

Json json_of_runs(const RunSetting& setting, const Runs& runs, const RowSummary& all) {
  Json rows = Json::array();
  const auto flows = static_cast<unsigned>(runs.front().flows.size());
  const auto add = [&](const std::string& id, unsigned of, const RowSummary& summary) {
    rows.push_back(row_json(id, of, summary));
    rows.back()["sizes"] = sizes_json(sizes_of(summary.each()));
  };
  add("all", flows, all);
  for (unsigned i = 0; flows > 1 && i < flows; ++i) {
    add(runs.front().flows[i].id, 1, summarise(only_flow(runs, i)));
  }
  Json document = document_json(setting, std::move(rows));
  document["bearers"] = bearers_json(runs, all);
  return document;
}

Runs simulate_all(const Scenario& scenario, const RunSetting& setting, unsigned jobs) {
  ProgressBar bar("runs");
  return run_many(
      scenario, setting.runs, setting.seed, jobs,
      [&](unsigned done, unsigned total) { bar.show(done, total); }, &tools::interrupted());
}

// Goodput against delay of each flow, and the first run over time.
void draw_runs(const RunOptions& options, const Scenario& scenario, const Runs& runs, const RowSummary& all) {
  const auto point = [](const std::string& label, const RowSummary& s) {
    return Tradeoff{label, s.goodput(), s.delay()};
  };
  std::vector<Tradeoff> points{point("all", all)};
  const std::size_t flows = runs.front().flows.size();
  for (std::size_t i = 0; flows > 1 && i < flows; ++i) {
    points.push_back(point(runs.front().flows[i].id, summarise(only_flow(runs, i))));
  }
  const std::string name = picture_name(options.file);
  draw_tradeoffs({options.plot, name}, name, points);
  TraceRecorder trace(scenario);
  simulate(scenario, runs.front().seed, &trace);
  draw_trace({options.plot, name + "-trace"},
             trace.plot(name + ", seed " + std::to_string(runs.front().seed)));
}

}  // namespace

void add_run_options(CLI::App& app, RunOptions& o) {
  app.add_option("file", o.file, "scenario")->required();
  add_common_options(app, o);
}

int run_run(const RunOptions& options, const std::string& version) {
  const auto scenario = load_scenario_file(options.file, overrides_of(options));
  if (!scenario) {
    print_problems(scenario.problems);
    return kConfiguration;
  }
  print_warnings(warnings_of(*scenario));
  tools::catch_interrupts();
  RunSetting setting = setting_of(options, options.file, *scenario, scenario->runs, version);
  const Runs runs = simulate_all(*scenario, setting, options.jobs);
  setting.partial = tools::interrupted();
  if (runs.empty()) return kInterrupted;
  const RowSummary all = summarise(runs);
  tools::table_stream(options.json) << text_of_runs(runs, all) << partial_text(setting.partial) << std::flush;
  std::cerr << speed_text(all.flow_seconds(), all.wall());
  if (!options.json.empty()) tools::write_json(json_of_runs(setting, runs, all), options.json);
  if (!options.plot.empty()) draw_runs(options, *scenario, runs, all);
  if (all.residue() == 0) return setting.partial ? kInterrupted : kOk;
  std::cerr << "rnclab: the data plane lost or damaged " << all.residue()
            << " frames without a reason; please report this\n";
  return kFault;
}

}  // namespace lab
