#include "tools/bench/timers.h"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <map>

#include "tools/bench/machine.h"
#include "tools/common/interrupt.h"
#include "tools/common/output.h"

namespace bench {
namespace {

using dp::yardstick::TimerKind;
using dp::yardstick::TimerPlan;
using dp::yardstick::TimerRound;
using dp::yardstick::TimerSubject;

constexpr unsigned kChunkRounds = 16;
constexpr std::uint32_t kMaxTimers = 1u << 23;
const std::map<std::string, double> kUnits{{"us", 1e-3}, {"ms", 1}, {"s", 1e3}};
constexpr auto kUnitRule = static_cast<CLI::AsNumberWithUnit::Options>(CLI::AsNumberWithUnit::CASE_SENSITIVE |
                                                                       CLI::AsNumberWithUnit::UNIT_REQUIRED);

double cycles_each(std::uint64_t cycles, std::uint64_t operations) {
  return static_cast<double>(cycles) / static_cast<double>(operations);
}

TimerTurn take_timer_turn(TimerSubject& subject, std::chrono::duration<double> spell, double cycles_per_ns) {
  using Clock = std::chrono::steady_clock;
  TimerTurn turn;
  subject.resume();
  for (unsigned i = 0; i < kChunkRounds; ++i) subject.round();  // settles
  const auto end = Clock::now() + spell;
  while (Clock::now() < end && !tools::interrupted()) {
    TimerRound sum;
    for (unsigned i = 0; i < kChunkRounds; ++i) {
      const TimerRound round = subject.round();
      sum.rearm_cycles += round.rearm_cycles;
      sum.rearmed += round.rearmed;
      sum.expire_cycles += round.expire_cycles;
      sum.expired += round.expired;
      sum.touch_cycles += round.touch_cycles;
      sum.touched += round.touched;
    }
    turn.rearm.push_back(cycles_each(sum.rearm_cycles, sum.rearmed) / cycles_per_ns);
    turn.touch.push_back(cycles_each(sum.touch_cycles, sum.touched) / cycles_per_ns);
    if (sum.expired != 0) {
      turn.expire.push_back(cycles_each(sum.expire_cycles, sum.expired) / cycles_per_ns);
    }
  }
  return turn;
}

TimerCell measure_timers(std::uint32_t timers, const TimerOptions& options, double cycles_per_ns,
                         Progress& progress) {
  const TimerPlan plan{timers, static_cast<std::int64_t>(options.horizon_ms * 1e6), options.stride,
                       options.seed};
  const std::chrono::duration<double> spell(
      options.seconds / (2.0 * static_cast<double>(options.timers.size()) * options.repetitions));
  TimerCell cell{timers, {{TimerKind::calendar}, {TimerKind::rte_timer}}};
  std::vector<std::unique_ptr<TimerSubject>> subjects;
  for (const auto& series : cell.series) {
    progress.step("arming");
    subjects.push_back(dp::yardstick::make_timers(series.kind, plan));
  }
  for (unsigned turn = 0; turn < options.repetitions; ++turn) {
    progress.step("turn " + std::to_string(turn + 1) + " of " + std::to_string(options.repetitions));
    for (std::size_t i = 0; i < subjects.size() && !tools::interrupted(); ++i) {
      cell.series[i].turns.push_back(take_timer_turn(*subjects[i], spell, cycles_per_ns));
    }
  }
  return cell;
}

std::uint64_t timer_bytes(const TimerOptions& options) {
  const std::uint64_t most = *std::max_element(options.timers.begin(), options.timers.end());
  return 2 * most * (options.stride + 8) + (64u << 20);
}

std::vector<TimerCell> measure_all_timers(const TimerOptions& options, double cycles_per_ns) {
  std::vector<TimerCell> cells;
  Progress progress;
  for (const std::uint32_t timers : options.timers) {
    if (tools::interrupted()) break;
    progress.cell(std::to_string(timers) + " timers");
    cells.push_back(measure_timers(timers, options, cycles_per_ns, progress));
    progress.clear();
  }
  return cells;
}

std::string a_stride(const std::string& text) {
  const auto stride = std::strtoul(text.c_str(), nullptr, 10);
  const auto least = dp::yardstick::timer_stride_least();
  if (stride % 64 == 0 && stride >= least) return "";
  return "found " + text + ", expected a multiple of 64 from " + std::to_string(least) + "; try 1024";
}

}  // namespace

void add_timer_options(CLI::App& app, TimerOptions& o) {
  app.add_option("--timers", o.timers, "numbers of timers that are armed")
      ->delimiter(',')
      ->check(CLI::Range(64u, kMaxTimers))
      ->capture_default_str();
  app.add_option("--horizon", o.horizon_ms, "deadlines lie between now and this, with a unit: us, ms or s")
      ->transform(CLI::AsNumberWithUnit(kUnits, kUnitRule, "TIME"))
      ->check(CLI::Range(1e-2, 1e6))
      ->default_str("100ms");
  app.add_option("--stride", o.stride, "bytes from one timer to the next")
      ->check(CLI::Validator(a_stride, "BYTES"))
      ->check(CLI::Range(64u, 1u << 16))
      ->capture_default_str();
  app.add_option("--seconds", o.seconds, "measuring time of the whole run")
      ->check(CLI::Range(0.1, 86400.0))
      ->capture_default_str();
  app.add_option("--repetitions", o.repetitions, "turns of each subject with each number of timers")
      ->check(CLI::Range(1u, 1000u))
      ->capture_default_str();
  app.add_option("--seed", o.seed, "of the deadlines, and of which timers get new ones")
      ->capture_default_str();
  app.add_option("--cpu", o.cpu, "CPU to run on (default: the last one)");
  app.add_option("--json", o.json, "write the figures to this file as JSON; - is stdout");
}

int run_timers(const TimerOptions& options, const std::string& version) {
  tools::catch_interrupts();
  if (!memory_there(timer_bytes(options), "ask for fewer timers with --timers 1000,100000"))
    return kMemoryExit;
  TimerSetting setting{version, dp::yardstick::dpdk_text(), cpu_model(), options.cpu.value_or(last_cpu())};
  if (auto started = dp::yardstick::start_timers(setting.cpu); !started) {
    std::cerr << "rncbench: " << started.error().message << "\n";
    return started.error().exit_code;
  }
  setting.cycles_per_ns = dp::yardstick::measured_cycles_per_ns();
  try {
    const auto cells = measure_all_timers(options, setting.cycles_per_ns);
    setting.interrupted = tools::interrupted();
    tools::table_stream(options.json)
        << timer_explanation(options, setting) << timer_table(cells) << std::flush;
    if (!options.json.empty()) tools::write_json(timer_json(cells, options, setting), options.json);
    return setting.interrupted ? tools::kInterruptedExit : 0;
  } catch (const std::exception& error) {
    std::cerr << "rncbench: " << error.what() << "\n";
    return 1;
  }
}

}  // namespace bench
