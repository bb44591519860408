#include "control/preflight.h"

#include <algorithm>

#include "control/preflight_port.h"

namespace control {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

// Beside huge pages.
std::uint64_t frame_bytes(const dp::dpdk::Settings& settings) {
  return settings.huge_pages ? 0 : settings.memory_bytes + kDpdkOverhead;
}

std::uint64_t memory_needed(const dp::dpdk::Settings& settings, const Foreseen& foreseen) {
  return frame_bytes(settings) + foreseen.bearer_bytes() + foreseen.air_bytes + foreseen.flow_bytes;
}

std::string mib(std::uint64_t bytes) { return std::to_string((bytes + kMiB - 1) / kMiB) + " MiB"; }

void judge_huge_pages(const dp::dpdk::Settings& settings, const HostFacts& host, Judgement& out) {
  const std::uint64_t needed = settings.memory_bytes + kDpdkOverhead;
  if (host.huge_page_bytes_free >= needed) return;
  const std::uint64_t page = host.huge_page_size == 0 ? 2 * kMiB : host.huge_page_size;
  out.complaints.push_back({"memory: found " + mib(host.huge_page_bytes_free) +
                            " of free huge pages, needs " + mib(needed) +
                            "; run: sysctl vm.nr_hugepages=" + std::to_string((needed + page - 1) / page) +
                            "; or set dataplane.huge_pages: false"});
}

void judge_memory(const dp::dpdk::Settings& settings, const Foreseen& foreseen, const HostFacts& host,
                  Judgement& out) {
  if (settings.huge_pages) judge_huge_pages(settings, host, out);
  if (host.memory_available >= memory_needed(settings, foreseen)) return;
  const std::string windows = foreseen.airs == 0 ? "" : ", or the windows of the `am` links";
  const std::string flows = foreseen.flow_bytes == 0 ? "" : ", or `flows` of fq-codel";
  out.complaints.push_back({"memory: found " + mib(host.memory_available) + " available, needs " +
                            memory_text(settings, foreseen) +
                            "; lower dataplane.memory or the limits of learnt bearers" + windows + flows +
                            ", or free memory"});
}

void judge_cpus(const dp::dpdk::Settings& settings, const HostFacts& host, Judgement& out) {
  for (const unsigned cpu : settings.cpus) {
    if (std::find(host.cpus.begin(), host.cpus.end(), cpu) != host.cpus.end()) continue;
    std::string allowed;
    for (const unsigned c : host.cpus) allowed += (allowed.empty() ? "" : ",") + std::to_string(c);
    out.complaints.push_back({"dataplane.cpus: found CPU " + std::to_string(cpu) +
                              ", this process may run on " + allowed +
                              "; name one of these, or start it with: taskset -c " + std::to_string(cpu)});
  }
}

}  // namespace

std::string memory_text(const dp::dpdk::Settings& settings, const Foreseen& foreseen) {
  std::string text = mib(memory_needed(settings, foreseen)) + " (frames " + mib(frame_bytes(settings)) +
                     ", " + std::to_string(foreseen.bearers) + " bearers " + mib(foreseen.bearer_bytes());
  if (foreseen.airs != 0) {
    text += ", the air links of " + std::to_string(foreseen.airs) + " of them " + mib(foreseen.air_bytes);
  }
  if (foreseen.flow_bytes != 0) text += ", flow queues " + mib(foreseen.flow_bytes);
  return text + ")";
}

int Judgement::exit_code() const {
  if (complaints.empty()) return 0;
  const bool permissions = std::all_of(complaints.begin(), complaints.end(),
                                       [](const Complaint& complaint) { return complaint.permission; });
  return permissions ? 5 : 4;
}

Judgement judge(const dp::dpdk::Settings& settings, const Foreseen& foreseen, const HostFacts& host) {
  Judgement out;
  for (const dp::Side side : dp::kSides) {
    judge_port(side, settings.devices[dp::index(side)], host, out);
  }
  judge_pair(settings.devices, host, out);
  judge_cpus(settings, host, out);
  judge_memory(settings, foreseen, host, out);
  if (foreseen.airs != 0) judge_chains(settings.devices, host, out);
  return out;
}

}  // namespace control
