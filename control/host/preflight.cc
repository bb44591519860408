#include "control/host/preflight.h"

#include <algorithm>

#include <fmt/core.h>

#include "control/host/preflight_cpus.h"
#include "control/host/preflight_port.h"
#include "dataplane/bearer/tunnel_book.h"
#include "dataplane/dpdk/device.h"

namespace control {
namespace {

constexpr std::uint64_t kUsualHugePage = std::uint64_t{2} << 20;
// Memory in the pool for a packet of 1500 bytes, including its headers; some drivers need more.
constexpr std::uint64_t kFrameBytes = 2560;

constexpr std::uint32_t kUserPacket = 1500;
constexpr std::uint32_t kIpv4 = 20, kIpv6 = 40, kUdp = 8;
constexpr std::uint32_t kGtpU = 8;  // TS 29.281 clause 5.1
// Sequence number, N-PDU number and type of the next header (clause 5.1), and a PDU session container of one
// unit (clause 5.2.2.7).
constexpr std::uint32_t kOptional = 8;

Demand demand_of(const dp::dpdk::Settings& settings, const MemoryEstimate& estimate) {
  Demand demand{settings.huge_pages ? 0 : settings.memory_bytes + kDpdkOverhead, estimate};
  if (estimate.tunnels) demand.books = settings.workers * dp::TunnelBook::bytes_for(settings.max_bearers);
  return demand;
}

void judge_huge_pages(const dp::dpdk::Settings& settings, const HostFacts& host, Judgement& out) {
  const std::uint64_t needed = settings.memory_bytes + kDpdkOverhead;
  if (host.huge_page_bytes_free >= needed) return;
  const std::uint64_t page = host.huge_page_size == 0 ? kUsualHugePage : host.huge_page_size;
  out.complaints.push_back(
      {fmt::format("memory: found {} of free huge pages, needs {}; run: sysctl vm.nr_hugepages={}; or set "
                   "dataplane.huge_pages: false",
                   mib(host.huge_page_bytes_free), mib(needed), (needed + page - 1) / page)});
}

void judge_memory(const dp::dpdk::Settings& settings, const MemoryEstimate& estimate, const HostFacts& host,
                  Judgement& out) {
  if (settings.huge_pages) judge_huge_pages(settings, host, out);
  if (const auto text = lacking(demand_of(settings, estimate), host.memory_available)) {
    out.complaints.push_back({*text});
  }
}

// Kept segments take at most three quarters of the pool's share for buffers (AckChain::keep).
void judge_kept(const dp::dpdk::Settings& settings, const MemoryEstimate& estimate, Judgement& out) {
  const std::uint64_t needed = estimate.kept * kFrameBytes;
  if (needed <= settings.memory_bytes) return;
  out.hints.push_back(fmt::format(
      "memory: ACK stages may keep {} segments, `cache` of each bearer that has such a stage, for which the "
      "pool has {}: found dataplane.memory {}, and all of them need {}. What is kept takes three quarters of "
      "the "
      "pool's share for buffers at most, and the rest goes on without; lower `cache`, lower the limits of "
      "learnt "
      "bearers, or raise dataplane.memory",
      estimate.kept, settings.memory_bytes / kFrameBytes, mib(settings.memory_bytes), mib(needed)));
}

// The pool's share for buffers is somewhat less than the pool: the hint comes late rather than early.
void judge_promised(const dp::dpdk::Settings& settings, const MemoryEstimate& estimate, Judgement& out) {
  const std::uint64_t needed = estimate.promised * kFrameBytes;
  const auto share =
      static_cast<std::uint64_t>(static_cast<double>(settings.memory_bytes) * settings.proxy_store);
  if (needed <= share) return;
  out.hints.push_back(fmt::format(
      "memory: split proxies may promise {} frames, as many as their `store` takes, for which "
      "dataplane.proxy_store "
      "has {}: found {} of {}, and all of them need {}. Connections that find no room pass unsplit; lower "
      "`store` or "
      "`max_flows`, lower the limits of learnt bearers, or raise dataplane.proxy_store or dataplane.memory",
      estimate.promised, share / kFrameBytes, mib(share), mib(settings.memory_bytes), mib(needed)));
}

void judge_hook(const HostFacts& host, Judgement& out) {
  const auto complain = [&](const std::string& found, const std::string& mend) {
    out.complaints.push_back(
        {fmt::format("dataplane.bypass_hook: found {}, needs a program that rncd may run; {}, or set "
                     "dataplane.bypass_hook: none",
                     found, mend)});
  };
  const std::string& path = host.bypass_hook;
  switch (host.bypass_hook_fact) {
    case ProgramFact::missing:
      return complain("no file " + path, "put it there");
    case ProgramFact::no_file:
      return complain(path + ", which is no file", "name the program");
    case ProgramFact::not_executable:
      return complain(path + " not executable", "run: chmod a+rx " + path);
    case ProgramFact::written_by_others:
      return complain(
          path + ", which others than root and the user of rncd may write, and so run with its rights",
          fmt::format("run: chown root {0} && chmod go-w {0}", path));
    case ProgramFact::not_asked:
    case ProgramFact::fit:
      return;
  }
}

}  // namespace

std::string memory_text(const dp::dpdk::Settings& settings, const MemoryEstimate& estimate) {
  return to_string(demand_of(settings, estimate));
}

int Judgement::exit_code() const {
  if (complaints.empty()) return kExitOk;
  if (std::ranges::find(complaints, int{kExitRunning}, &Complaint::exit_code) != complaints.end())
    return kExitRunning;
  const int first = complaints.front().exit_code;
  const auto alike = [first](const Complaint& complaint) { return complaint.exit_code == first; };
  return std::ranges::all_of(complaints, alike) ? first : kExitHardware;
}

Judgement judge(const dp::dpdk::Settings& settings, const MemoryEstimate& estimate, const HostFacts& host) {
  Judgement out;
  for (const dp::Side side : dp::kSides) {
    judge_port(side, settings.devices[dp::index(side)], host, settings.workers, out);
  }
  judge_pair(settings.devices, host, out);
  if (settings.wire.on_failure == dp::OnFailure::open) judge_far_ends(settings.devices, host, out);
  for (const dp::Error& error : host.unusable) out.complaints.push_back({error.message, error.exit_code});
  judge_hook(host, out);
  judge_cpus(settings, host, out);
  judge_workers(settings, host, out);
  judge_shared_cpus(settings, host, out);
  judge_memory(settings, estimate, host, out);
  judge_kept(settings, estimate, out);
  judge_promised(settings, estimate, out);
  if (estimate.of<dp::AmPart>().count != 0) judge_chains(settings.devices, host, out);
  return out;
}

void judge_tunnels(const config::GtpU& gtp_u, const std::array<std::string, 2>& devices,
                   const HostFacts& host, Judgement& out) {
  const bool ipv6 =
      std::ranges::any_of(gtp_u.peers, [](const config::GtpUPeer& peer) { return peer.prefix.ipv6; });
  const std::uint32_t ip = ipv6 ? kIpv6 : kIpv4;
  const std::uint32_t least = kUserPacket + ip + kUdp + kGtpU, needed = least + kOptional;
  for (const dp::Side side : dp::kSides) {
    const std::string& name = devices[dp::index(side)];
    const std::uint32_t mtu = host.ports[dp::index(side)].interface.mtu;
    const auto device = dp::dpdk::parse_device(name);
    if (!device || mtu == 0 || mtu >= needed) continue;
    out.hints.push_back(fmt::format(
        "port {} ({}): found MTU {}, needs {} for users' packets of {} bytes in tunnels over {} "
        "(dataplane.gtp_u): {} for the headers, and {} with a PDU session container or a sequence number. "
        "Larger frames are lost, or come in fragments, which cross unshaped; run: ip link set dev {} mtu {}, "
        "and the same at the other end",
        dp::name(side), name, mtu, needed, kUserPacket, ipv6 ? "IPv6" : "IPv4", least - kUserPacket,
        kOptional, device->interface(), needed));
  }
}

}  // namespace control
