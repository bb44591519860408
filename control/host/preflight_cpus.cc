#include "control/host/preflight_cpus.h"

#include <algorithm>

#include <fmt/core.h>
#include <fmt/ranges.h>

namespace control {
namespace {

// "systemd, sshd and 116 more processes"
std::string who(const CpuFacts& facts) {
  const std::size_t more = facts.others - facts.names.size();
  return fmt::format("{}{}", fmt::join(facts.names, ", "),
                     more == 0 ? "" : fmt::format(" and {} more processes", more));
}

// Everything that uses the CPU, or its core, beside its worker; empty: nothing that can be seen.
std::vector<std::string> users(const CpuFacts& facts, const dp::dpdk::Settings& settings) {
  std::vector<std::string> all;
  if (settings.cpus.front() == facts.cpu) all.emplace_back("rncd's control thread");
  if (facts.others != 0) all.push_back(who(facts));
  if (!facts.siblings.empty()) {
    all.push_back(
        fmt::format("CPU {}, which is another hardware thread of its core", fmt::join(facts.siblings, ", ")));
  }
  if (facts.isolated && !facts.tickless)
    all.emplace_back("the kernel's tick, since nohz_full= does not name it");
  return all;
}

}  // namespace

std::vector<unsigned> worker_cpus(const dp::dpdk::Settings& settings) {
  DP_EXPECT(!settings.cpus.empty());
  std::vector<unsigned> cpus;
  for (unsigned worker = 0; worker < settings.workers; ++worker) {
    const unsigned cpu = settings.cpus[(worker + 1) % settings.cpus.size()];
    if (std::ranges::find(cpus, cpu) == cpus.end()) cpus.push_back(cpu);
  }
  return cpus;
}

void judge_cpus(const dp::dpdk::Settings& settings, const HostFacts& host, Judgement& out) {
  for (const unsigned cpu : settings.cpus) {
    if (std::find(host.cpus.begin(), host.cpus.end(), cpu) != host.cpus.end()) continue;
    std::string allowed;
    for (const unsigned c : host.cpus) allowed += fmt::format("{}{}", allowed.empty() ? "" : ",", c);
    out.complaints.push_back(
        {fmt::format("dataplane.cpus: found CPU {}, this process may run on {}; name one of these, or start "
                     "it with: taskset -c {}",
                     cpu, allowed, cpu)});
  }
}

void judge_workers(const dp::dpdk::Settings& settings, const HostFacts& host, Judgement& out) {
  const std::size_t cpus = host.cpus.size();
  if (settings.workers <= cpus) return;
  out.hints.push_back(
      fmt::format("dataplane.workers: found {}, and {} that this process may use: workers that share a CPU "
                  "wait for each other, and "
                  "so do their frames; write `workers: {}` or less, or give rncd more CPUs",
                  settings.workers, cpus == 1 ? "1 CPU" : fmt::format("{} CPUs", cpus),
                  std::max<std::size_t>(cpus - 1, 1)));
}

// Judges each CPU by itself, in one sentence: every host that was not prepared has all of it.
void judge_shared_cpus(const dp::dpdk::Settings& settings, const HostFacts& host, Judgement& out) {
  std::string found;
  for (const CpuFacts& facts : host.worker_cpus) {
    const auto all = users(facts, settings);
    if (all.empty()) continue;
    found +=
        fmt::format("{}CPU {} is shared with {}", found.empty() ? "" : "; ", facts.cpu, fmt::join(all, ", "));
  }
  if (found.empty()) return;
  out.hints.push_back(
      fmt::format("dataplane.cpus: found that a worker's {}; a worker needs a CPU of its own: while others "
                  "have it, frames "
                  "wait, or go around the workers unshaped. Keep them off it with isolcpus= and nohz_full= "
                  "of the kernel's "
                  "command line, or AllowedCPUs= of the other units, and let CPUs of the same core be idle",
                  found));
}

}  // namespace control
