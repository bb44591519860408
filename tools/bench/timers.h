// `rncbench timers`: nanoseconds to re-arm and to expire a timer, of the worker's Calendar and of DPDK's
// rte_timer, in turns in one process.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "tools/bench/dpdk/timers.h"

namespace bench {

struct TimerOptions {
  std::vector<std::uint32_t> timers{1000, 100'000, 1'000'000};
  double horizon_ms = 100;
  std::uint32_t stride = 1024;
  double seconds = 30;
  unsigned repetitions = 3;
  std::uint64_t seed = 1;
  std::optional<unsigned> cpu;  // default: the last one we may use
  std::string json;
};

void add_timer_options(CLI::App& app, TimerOptions& options);

// The project's target for the Calendar, at this number of timers.
inline constexpr double kTimerTargetNs = 30;
inline constexpr std::uint32_t kTimerTargetAt = 100'000;

// Nanoseconds an operation, over chunks of rounds; one turn of one subject.
struct TimerTurn {
  std::vector<double> rearm, expire, touch;
};
struct TimerSeries {
  dp::yardstick::TimerKind kind{};
  std::vector<TimerTurn> turns{};
};
struct TimerCell {
  std::uint32_t timers = 0;
  std::vector<TimerSeries> series{};
};

struct TimerSetting {
  std::string version, dpdk, cpu_model;
  unsigned cpu = 0;
  double cycles_per_ns = 1;
  bool interrupted = false;
};

// Percentiles of each turn, and the median of those over the turns. None if nothing was measured.
struct TimerFigures {
  double p50 = 0, p10 = 0;
  std::size_t chunks = 0;
};
enum class TimerOperation : std::uint8_t { rearm, expire, touch };
std::optional<TimerFigures> timer_figures(const TimerSeries& series, TimerOperation operation);

std::string timer_table(const std::vector<TimerCell>& cells);
std::string timer_explanation(const TimerOptions& options, const TimerSetting& setting);
nlohmann::ordered_json timer_json(const std::vector<TimerCell>& cells, const TimerOptions& options,
                                  const TimerSetting& setting);

// Answers the exit code: 0, 1 a fault, 4 memory, 5 permission, 7 EAL, 130 interrupted (what was measured is
// printed).
int run_timers(const TimerOptions& options, const std::string& version);

}  // namespace bench
