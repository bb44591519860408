#include "control/host/sizing.h"

#include <algorithm>

#include <fmt/core.h>

#include "control/host/memory.h"
#include "dataplane/base/expect.h"

namespace control {
namespace {

constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;
constexpr std::uint64_t kHugeEnough = 128 * kMebibyte;
constexpr std::uint64_t kHugeMost = 1024 * kMebibyte;
constexpr std::uint64_t kPlainLeast = 64 * kMebibyte;
constexpr std::uint64_t kPlainMost = 512 * kMebibyte;
constexpr std::uint64_t kBearersLeast = 65'536;
constexpr std::uint64_t kBearersMost = 16'777'216;

// Each worker has frames of its own on the way.
std::uint64_t memory_for(const HostFacts& host, bool huge_pages, unsigned workers) {
  if (huge_pages) return std::min(host.huge_page_bytes_free / 4 * 3, workers * kHugeMost);
  return std::clamp(host.memory_available / 8, workers * kPlainLeast, workers * kPlainMost);
}

// The main thread's first, then the workers'; where there are fewer, they share.
std::vector<unsigned> cpus_for(const HostFacts& host, unsigned workers) {
  std::vector<unsigned> cpus = host.cpus;
  if (cpus.size() > workers + std::size_t{1}) cpus.resize(workers + std::size_t{1});
  return cpus;
}

// One for each CPU if CPUs are configured, else one: a poll-mode thread uses a whole CPU, which it must not
// do unasked.
unsigned workers_for(const config::Dataplane& wanted) {
  const std::size_t named = wanted.cpus.size() < 2 ? 1 : wanted.cpus.size() - 1;
  return wanted.workers.value_or(static_cast<std::uint32_t>(named));
}

dp::dpdk::Power power_for(config::PowerChoice choice, std::size_t cpus) {
  if (choice == config::PowerChoice::automatic) {
    return cpus < 4 ? dp::dpdk::Power::adaptive : dp::dpdk::Power::poll;
  }
  return choice == config::PowerChoice::poll ? dp::dpdk::Power::poll : dp::dpdk::Power::adaptive;
}

}  // namespace

dp::Result<dp::dpdk::Settings> size_for(const config::Config& config, const HostFacts& host) {
  const config::Dataplane& wanted = config.dataplane;
  dp::dpdk::Settings settings;
  settings.workers = workers_for(wanted);
  settings.devices = wanted.devices;
  settings.huge_pages = wanted.huge_pages.value_or(host.huge_page_bytes_free >= kHugeEnough);
  settings.memory_bytes = wanted.memory.value_or(memory_for(host, settings.huge_pages, settings.workers));
  const std::uint64_t estimate = std::clamp(estimate_memory(config).bearers * 2, kBearersLeast, kBearersMost);
  settings.max_bearers = wanted.max_bearers.value_or(static_cast<std::uint32_t>(estimate));
  settings.cpus = wanted.cpus.empty() ? cpus_for(host, settings.workers) : wanted.cpus;
  DP_EXPECT(!settings.cpus.empty());
  settings.power = power_for(wanted.power, host.cpus.size());
  settings.proxy_store = wanted.proxy_store;
  settings.tunnels = wanted.gtp_u.has_value();
  settings.wire = wanted.wire;
  settings.eal_args = wanted.eal;
  return settings;
}

}  // namespace control
