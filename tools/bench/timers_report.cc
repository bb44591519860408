#include <string_view>

#include <fmt/format.h>

#include "tools/bench/timers.h"
#include "tools/common/table.h"
#include "tools/lab/figures/stats.h"

namespace bench {
namespace {

using dp::yardstick::TimerKind;

// An operation, by its place in TimerOperation.
struct OperationText {
  std::string_view name;
  std::vector<double> TimerTurn::*chunks;
  bool judged;  // has a target
};
constexpr OperationText kOperationTexts[] = {{"re-arm", &TimerTurn::rearm, true},
                                             {"expire", &TimerTurn::expire, true},
                                             {"touch", &TimerTurn::touch, false}};
constexpr TimerOperation kTimerOperations[] = {TimerOperation::rearm, TimerOperation::expire,
                                               TimerOperation::touch};
const OperationText& text_of(TimerOperation operation) {
  return kOperationTexts[static_cast<std::size_t>(operation)];
}

std::string_view timer_name(TimerKind kind) { return kind == TimerKind::calendar ? "calendar" : "rte_timer"; }
bool has_target(std::uint32_t timers, TimerOperation operation) {
  return timers == kTimerTargetAt && text_of(operation).judged;
}

bool timer_target_met(const TimerFigures& figures) { return figures.p50 <= kTimerTargetNs; }

// The figures of one subject; none if it was not measured.
std::optional<TimerFigures> figures_in(const TimerCell& cell, TimerKind kind, TimerOperation operation) {
  for (const TimerSeries& series : cell.series) {
    if (series.kind == kind) return timer_figures(series, operation);
  }
  return std::nullopt;
}

std::string verdict(const TimerCell& cell, TimerOperation operation,
                    const std::optional<TimerFigures>& ours) {
  if (!has_target(cell.timers, operation) || !ours) return "-";
  return fmt::format("<= {:g} ns: {}", kTimerTargetNs, timer_target_met(*ours) ? "met" : "not met");
}

}  // namespace

std::optional<TimerFigures> timer_figures(const TimerSeries& series, TimerOperation operation) {
  std::vector<double> p50, p10;
  TimerFigures figures;
  for (const TimerTurn& turn : series.turns) {
    const auto& chunks = turn.*text_of(operation).chunks;
    if (chunks.empty()) continue;
    p50.push_back(lab::percentile(chunks, 50));
    p10.push_back(lab::percentile(chunks, 10));
    figures.chunks += chunks.size();
  }
  if (p50.empty()) return std::nullopt;
  figures.p50 = lab::median(p50);
  figures.p10 = lab::median(p10);
  return figures;
}

std::string timer_table(const std::vector<TimerCell>& cells) {
  tools::Table table({">TIMERS", "OPERATION", ">CALENDAR p50 ns", ">p10", ">RTE_TIMER p50 ns", ">p10",
                      ">x CALENDAR", "TARGET"});
  const auto text = [](const std::optional<TimerFigures>& f, double TimerFigures::*member) {
    return f ? fmt::format("{:.1f}", (*f).*member) : "-";
  };
  for (const TimerCell& cell : cells) {
    for (const TimerOperation operation : kTimerOperations) {
      const auto ours = figures_in(cell, TimerKind::calendar, operation);
      const auto theirs = figures_in(cell, TimerKind::rte_timer, operation);
      table.add_cells(cell.timers, text_of(operation).name, text(ours, &TimerFigures::p50),
                      text(ours, &TimerFigures::p10), text(theirs, &TimerFigures::p50),
                      text(theirs, &TimerFigures::p10),
                      ours && theirs ? fmt::format("{:.2f}", theirs->p50 / ours->p50) : "-",
                      verdict(cell, operation, ours));
    }
  }
  return table.text();
}

std::string timer_explanation(const TimerOptions& options, const TimerSetting& setting) {
  return fmt::format(
      "rncbench timers, rncd {}, {}, CPU {}: {}, TSC {:.3f} GHz, seed {}\n"
      "All timers are armed, with deadlines anywhere in the next {:g} ms; {} bytes from one to the next.\n"
      "re-arm: an armed timer, chosen at random, gets another deadline. expire: a timer fires; its handler\n"
      "notes that it did. touch: a word of a timer chosen at random is read, and nothing else. p50 and p10:\n"
      "over chunks of 1024 re-armed and about as many expired, then the median over the turns. The "
      "Calendar's\n"
      "clock is moved by hand, rte_timer's is the TSC.\n\n",
      setting.version, setting.dpdk, setting.cpu, setting.cpu_model, setting.cycles_per_ns, options.seed,
      options.horizon_ms, options.stride);
}

nlohmann::ordered_json timer_json(const std::vector<TimerCell>& cells, const TimerOptions& options,
                                  const TimerSetting& setting) {
  auto rows = nlohmann::ordered_json::array();
  for (const TimerCell& cell : cells) {
    for (const TimerOperation operation : kTimerOperations) {
      const auto ours = figures_in(cell, TimerKind::calendar, operation);
      for (const TimerKind kind : {TimerKind::calendar, TimerKind::rte_timer}) {
        const auto figures = figures_in(cell, kind, operation);
        if (!figures) continue;
        nlohmann::ordered_json row{{"timers", cell.timers},          {"horizon_ms", options.horizon_ms},
                                   {"stride_bytes", options.stride}, {"operation", text_of(operation).name},
                                   {"subject", timer_name(kind)},    {"ns_p50", figures->p50},
                                   {"ns_p10", figures->p10},         {"chunks", figures->chunks}};
        if (kind == TimerKind::rte_timer && ours) row["ratio_to_calendar"] = figures->p50 / ours->p50;
        if (kind == TimerKind::calendar && has_target(cell.timers, operation)) {
          row["target_ns"] = kTimerTargetNs;
          row["met"] = timer_target_met(*figures);
        }
        rows.push_back(std::move(row));
      }
    }
  }
  return {{"benchmark", "timers"},
          {"version", setting.version},
          {"dpdk", setting.dpdk},
          {"cpu", setting.cpu},
          {"cpu_model", setting.cpu_model},
          {"cycles_per_ns", setting.cycles_per_ns},
          {"seed", options.seed},
          {"repetitions", options.repetitions},
          {"interrupted", setting.interrupted},
          {"cells", std::move(rows)}};
}

}  // namespace bench
