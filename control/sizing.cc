#include "control/sizing.h"

#include <algorithm>
#include <variant>

#include "config/json.h"
#include "dataplane/bearer/bearer.h"

namespace control {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint64_t kHugeEnough = 128 * kMiB;
constexpr std::uint64_t kHugeMost = 1024 * kMiB;
constexpr std::uint64_t kPlainLeast = 64 * kMiB;
constexpr std::uint64_t kPlainMost = 512 * kMiB;
constexpr std::uint64_t kBearersLeast = 65'536;
constexpr std::uint64_t kBearersMost = 16'777'216;

std::uint64_t memory_for(const HostFacts& host, bool huge_pages) {
  if (huge_pages) return std::min(host.huge_page_bytes_free / 4 * 3, kHugeMost);
  return std::clamp(host.memory_available / 8, kPlainLeast, kPlainMost);
}

// The main thread's first, then the worker's; one alone serves both.
std::vector<unsigned> cpus_for(const HostFacts& host) {
  std::vector<unsigned> cpus = host.cpus;
  if (cpus.size() > 2) cpus.resize(2);
  return cpus;
}

dp::dpdk::Power power_for(config::PowerChoice choice, std::size_t cpus) {
  if (choice == config::PowerChoice::automatic) {
    return cpus < 4 ? dp::dpdk::Power::adaptive : dp::dpdk::Power::poll;
  }
  return choice == config::PowerChoice::poll ? dp::dpdk::Power::poll : dp::dpdk::Power::adaptive;
}

}  // namespace

std::uint64_t Foreseen::bearer_bytes() const { return bearers * (sizeof(dp::Bearer) + kBearerOverhead); }

std::uint64_t air_bytes(const dp::BearerSettings& settings) {
  if (!dp::uses_air(settings)) return 0;
  return sizeof(dp::Air) + dp::Air::bytes_for(std::get<dp::AmLinkConfig>(settings.downlink.link),
                                              std::get<dp::AmLinkConfig>(settings.uplink.link));
}

std::uint64_t flow_bytes(const dp::BearerSettings& settings) {
  std::uint64_t bytes = 0;
  for (const dp::LegSettings* leg : {&settings.downlink, &settings.uplink}) {
    const std::uint32_t flows = dp::queue_shape(leg->aqm).flows;
    if (flows != 0) bytes += sizeof(dp::FlowQueues) + dp::FlowQueues::bytes_for(flows);
  }
  return bytes;
}

Foreseen foresee(const config::Config& config) {
  Foreseen foreseen;
  const auto add = [&](dp::ClassId cls, std::uint64_t count) {
    const dp::BearerSettings settings = config::settings_of(config.classes, cls);
    const std::uint64_t air = air_bytes(settings);
    foreseen.bearers += count;
    foreseen.airs += air == 0 ? 0 : count;
    foreseen.air_bytes += air * count;
    foreseen.flow_bytes += flow_bytes(settings) * count;
  };
  for (const config::Bearer& bearer : config.bearers) add(bearer.cls, 1);
  for (const config::Learn& learn : config.learn) add(learn.cls, learn.limit);
  return foreseen;
}

dp::Result<dp::dpdk::Settings> size_for(const config::Config& config, const HostFacts& host) {
  const config::Dataplane& wanted = config.dataplane;
  if (wanted.workers.value_or(1) != 1) {
    return dp::Error{"dataplane.workers: found " + std::to_string(*wanted.workers) +
                         ", this version runs one worker; set it to 1 or auto",
                     3};
  }
  dp::dpdk::Settings settings;
  settings.devices = wanted.devices;
  settings.huge_pages = wanted.huge_pages.value_or(host.huge_page_bytes_free >= kHugeEnough);
  settings.memory_bytes = wanted.memory.value_or(memory_for(host, settings.huge_pages));
  const std::uint64_t foreseen = std::clamp(foresee(config).bearers * 2, kBearersLeast, kBearersMost);
  settings.max_bearers = wanted.max_bearers.value_or(static_cast<std::uint32_t>(foreseen));
  settings.cpus = wanted.cpus.empty() ? cpus_for(host) : wanted.cpus;
  settings.power = power_for(wanted.power, host.cpus.size());
  settings.eal_args = wanted.eal;
  return settings;
}

}  // namespace control
