#include "control/host/preflight_port.h"

#include <algorithm>

#include <fmt/core.h>

#include "dataplane/dpdk/device.h"

namespace control {
namespace {

using dp::dpdk::DeviceKind;

// The kernel keeps a frame and its bookkeeping in one page when an XDP program is on a veth.
constexpr std::uint32_t kVethXdpMtu = 3498;
// libxdp's program for sockets: what another AF_XDP forwarder that was killed leaves behind.
constexpr std::string_view kDriversProgram = "xsk_def_prog";
// The wire's own (dataplane/xdp/wire.h), which outlives rncd.
constexpr std::string_view kWireProgram = "rncd_wire";
// The driver of a VLAN device, as ethtool names it.
constexpr std::string_view kVlanDevice = "802.1Q VLAN Support";
// Part of a frame in one buffer of the size made for Ethernet (dataplane/dpdk/pool.cc).
constexpr std::uint32_t kUsualPiece = 2048;
constexpr std::uint64_t kXdpMemlock = std::uint64_t{8} << 20;

// Complaints and hints about one port, in one form.
class PortJudge {
 public:
  PortJudge(dp::Side side, const std::string& device, Judgement& out)
      : name_(fmt::format("port {} ({}): ", dp::name(side), device)), out_(out) {}

  void complain(const std::string& found_and_needed, const std::string& mend) {
    out_.complaints.push_back({fmt::format("{}{}; {}", name_, found_and_needed, mend)});
  }
  void forbid(const std::string& missing, const std::string& needed) {
    out_.complaints.push_back({fmt::format("{}found no {}, needs {}; run rncd as root (sudo), or give it "
                                           "these with AmbientCapabilities= in its systemd unit",
                                           name_, missing, needed),
                               kExitPermission});
  }
  void refuse(const dp::Error& error) { out_.complaints.push_back({name_ + error.message, error.exit_code}); }
  void hint(const std::string& text) { out_.hints.push_back(name_ + text); }

 private:
  std::string name_;
  Judgement& out_;
};

void judge_capabilities(DeviceKind kind, const HostFacts& host, PortJudge& port) {
  const Capabilities& c = host.capabilities;
  const bool xdp = kind == DeviceKind::af_xdp;
  std::string missing, needed;
  const auto need = [&](bool there, const char* name) {
    needed += (needed.empty() ? "" : ", ") + std::string(name);
    if (!there) missing += (missing.empty() ? "" : ", ") + std::string(name);
  };
  if (kind == DeviceKind::null || kind == DeviceKind::pcap || kind == DeviceKind::ring) return;
  if (kind != DeviceKind::pci) need(c.net_admin, "CAP_NET_ADMIN");
  if (xdp || kind == DeviceKind::af_packet) need(c.net_raw, "CAP_NET_RAW");
  if (xdp) need(c.bpf || c.sys_admin, "CAP_BPF or CAP_SYS_ADMIN");
  if (xdp) need(c.ipc_lock || host.memlock_bytes >= kXdpMemlock, "CAP_IPC_LOCK (or ulimit -l 8192)");
  if (kind == DeviceKind::pci) need(c.ipc_lock || host.memlock_bytes == ~std::uint64_t{0}, "CAP_IPC_LOCK");
  if (!missing.empty()) port.forbid(missing, needed);
}

// Each worker takes the frames of one channel, and sends by the transmit channel of the same number.
void judge_channels(const std::string& name, const InterfaceFacts& facts, unsigned workers, PortJudge& port) {
  const bool combined = facts.combined_channels > 1;
  const std::uint32_t channels = facts.combined_channels + facts.receive_channels;
  const std::uint32_t paired =
      facts.combined_channels + std::min(facts.receive_channels, facts.transmit_channels);
  const std::uint32_t served = std::clamp<std::uint32_t>(paired, 1, workers);
  if (channels <= served) return;
  const std::string most = std::to_string(served);
  const std::string needed = served == 1 ? "1" : "at most " + most;
  port.complain(
      fmt::format("found {} receive channels, needs {}, one for each of dataplane.workers and with a "
                  "transmit channel of its number: frames on the others would go past rncd",
                  channels, needed),
      "run: ethtool -L " + name + (combined ? " combined " + most : fmt::format(" rx {0} tx {0}", most)) +
          (paired > served ? ", or set dataplane.workers to " + std::to_string(paired) : ""));
}

std::uint32_t most_mtu(const std::string& device) {
  return dp::dpdk::max_frame_of(device) - dp::dpdk::kLinkBytes;
}

// An AF_XDP socket does not get a VLAN tag that the kernel keeps beside the frame. The wire's XDP program
// puts it back where the driver gives it; elsewhere the frame would lose it. For a veth the peer's settings
// decide. An interface upon others receives frames after the kernel took out their outermost tag; on a VLAN
// device that tag is its own.
void judge_vlan_tags(const std::string& name, const InterfaceFacts& facts, PortJudge& port) {
  if (facts.gives_vlan_tags) return;
  constexpr std::string_view kWhy =
      "its driver does not give the VLAN tags beside frames to XDP programs (veth: Linux 6.8), and AF_XDP "
      "would "
      "forward frames without them";
  const std::string other = ", or use af_packet:" + name;
  if (facts.stacked) {
    if (facts.driver == kVlanDevice) return;
    port.complain(
        fmt::format("found an interface upon others ({}), needs one without: the kernel takes VLAN tags out "
                    "of frames before they come to it, and AF_XDP would forward frames without them",
                    facts.driver),
        "name the interface below it" + other);
  } else if (facts.driver != "veth") {
    if (facts.rx_vlan_off.empty()) return;
    port.complain(fmt::format("found receive VLAN offload on, needs it off: {}", kWhy),
                  fmt::format("run: ethtool -K {} {}{}", name, facts.rx_vlan_off, other));
  } else if (facts.peer.empty()) {
    port.hint(fmt::format(
        "its veth peer is in another network namespace and cannot be seen from here; if VLANs cross, it "
        "needs transmit VLAN offload off: {}; run there: ethtool -K PEER txvlan off "
        "tx-vlan-stag-hw-insert off{}",
        kWhy, other));
  } else if (!facts.peer_tx_vlan_off.empty()) {
    port.complain(
        fmt::format("found transmit VLAN offload on at its veth peer {}, needs it off: {}", facts.peer, kWhy),
        fmt::format("run: ethtool -K {} {}{}", facts.peer, facts.peer_tx_vlan_off, other));
  }
}

void judge_xdp(const std::string& device, const std::string& name, const InterfaceFacts& facts,
               const HostFacts& host, unsigned workers, PortJudge& port) {
  if (!kernel_at_least(host.kernel, 5, 17)) {
    port.complain("found Linux " + host.kernel + ", needs 5.17 for AF_XDP and the wire's XDP program",
                  "use af_packet:" + name + " or a newer kernel");
  }
  judge_channels(name, facts, workers, port);
  judge_vlan_tags(name, facts, port);
  if (facts.holder) {
    // Said already, and its program is its wire.
  } else if (facts.xdp_program != 0 && facts.xdp_program_name.starts_with(kDriversProgram)) {
    port.hint(
        fmt::format("XDP program {} of an AF_XDP forwarder is attached; it is replaced if that forwarder is "
                    "gone, else the start is refused",
                    facts.xdp_program));
  } else if (facts.xdp_program != 0 && facts.xdp_program_name == kWireProgram) {
    port.hint(fmt::format(
        "the wire's XDP program {} is attached, as an rncd leaves it when it ends; it is taken over",
        facts.xdp_program));
  } else if (facts.xdp_program != 0 && facts.xdp_program_name.empty() && !host.capabilities.sys_admin) {
    // Whose it is only the privileged are told; what is missing has been said.
  } else if (facts.xdp_program != 0) {
    port.complain(fmt::format("found XDP program {} attached already, which no process that is seen from "
                              "here has open, needs none",
                              facts.xdp_program),
                  "if nothing lives by it, run: ip link set dev " + name + " xdp off");
  }
  if (!facts.peer.empty() && facts.peer_mtu > kVethXdpMtu) {
    // Told with the port's own limit, so that the operator meets one figure at both ends.
    port.complain(fmt::format("found MTU {} on its veth peer {}, needs at most {} with XDP", facts.peer_mtu,
                              facts.peer, most_mtu(device)),
                  fmt::format("run: ip link set dev {} mtu {}", facts.peer, most_mtu(device)));
  }
}

void judge_offloads(DeviceKind kind, const std::string& name, const InterfaceFacts& facts, PortJudge& port) {
  if (kind == DeviceKind::af_packet && facts.gro) {
    port.complain(
        "found generic-receive-offload on, needs it off: frames joined by GRO are larger than a buffer",
        "run: ethtool -K " + name + " gro off");
  }
  if (kind == DeviceKind::af_packet) {
    port.hint(
        "the af_packet driver has the kernel reassemble IPv4 fragments: datagrams larger than a frame do "
        "not pass, they are dropped as `truncated`; where UEs are sent fragments use af_xdp:" +
        name);
  }
  if (facts.lro) {
    port.complain("found large-receive-offload on, needs it off: joined frames are larger than a buffer",
                  "run: ethtool -K " + name + " lro off");
  }
  if (facts.peer_checksum_offload) {
    port.hint(
        fmt::format("its veth peer {} has transmit checksum offload on: its TCP checksums are never filled "
                    "in, ping works and TCP does not; run: ethtool -K {} tx off",
                    facts.peer, facts.peer));
  }
}

void judge_mtu(const std::string& device, const std::string& name, const InterfaceFacts& facts,
               PortJudge& port) {
  const std::uint32_t most = most_mtu(device);
  if (facts.mtu <= most) return;
  port.complain(fmt::format("found MTU {}, needs at most {} for this kind of device", facts.mtu, most),
                fmt::format("run: ip link set dev {} mtu {}, and the same at the other end", name, most));
}

void judge_interface(DeviceKind kind, const std::string& device, const std::string& name,
                     const PortFacts& facts, const HostFacts& host, unsigned workers, PortJudge& port) {
  const InterfaceFacts& interface = facts.interface;
  if (!interface.exists) {
    port.complain("found no interface " + name + " in this network namespace, needs one",
                  "run: ip -brief link to see which there are");
    return;
  }
  if (!interface.up) {
    port.complain("found interface " + name + " down, needs it up", "run: ip link set dev " + name + " up");
  }
  if (interface.holder) {
    port.complain(fmt::format("found it held by process {} ({}), needs an interface of its own",
                              interface.holder->pid, interface.holder->name),
                  "stop that process, or name another interface here");
  }
  judge_mtu(device, name, interface, port);
  judge_offloads(kind, name, interface, port);
  if (kind == DeviceKind::af_xdp) judge_xdp(device, name, interface, host, workers, port);
}

void judge_pci(const std::string& address, const PciFacts& facts, PortJudge& port) {
  constexpr std::array<std::string_view, 5> kDrivers{"vfio-pci", "uio_pci_generic", "igb_uio", "mlx5_core",
                                                     "mlx4_core"};
  if (!facts.exists) {
    port.complain("found no PCI device " + address + ", needs one", "run: dpdk-devbind.py --status-dev net");
    return;
  }
  if (std::find(kDrivers.begin(), kDrivers.end(), facts.driver) == kDrivers.end()) {
    const std::string found = facts.driver.empty() ? "no driver" : "driver " + facts.driver;
    port.complain("found " + found + ", needs vfio-pci",
                  "run: modprobe vfio-pci && dpdk-devbind.py --bind=vfio-pci " + address);
  } else if (facts.driver == "vfio-pci" && !facts.iommu) {
    port.complain("found vfio-pci without an IOMMU, needs one",
                  "boot with intel_iommu=on iommu=pt, or use uio_pci_generic");
  }
}

void judge_tap(const HostFacts& host, const PortFacts& facts, const std::string& name, PortJudge& port) {
  if (!host.tun_device) port.complain("found no /dev/net/tun, needs it", "run: modprobe tun");
  if (facts.interface.exists) {
    port.complain("found an interface " + name + " already, needs a name that is free",
                  "choose another name, or run: ip link del " + name);
  }
}

}  // namespace

void judge_port(dp::Side side, const std::string& device, const HostFacts& host, unsigned workers,
                Judgement& out) {
  PortJudge port(side, device, out);
  const PortFacts& facts = host.ports[dp::index(side)];
  const auto parsed = dp::dpdk::parse_device(device);
  if (!parsed) {
    out.complaints.push_back({fmt::format("port {}: {}", dp::name(side), parsed.error().message)});
    return;
  }
  const std::string& name = parsed->argument;
  judge_capabilities(parsed->kind, host, port);
  switch (parsed->kind) {
    case DeviceKind::af_xdp:
    case DeviceKind::af_packet:
      return judge_interface(parsed->kind, device, name, facts, host, workers, port);
    case DeviceKind::tap:
      return judge_tap(host, facts, name, port);
    case DeviceKind::pci:
      return judge_pci(name, facts.pci, port);
    case DeviceKind::pcap:
      if (!facts.file_readable) {
        port.complain(
            "found no readable file " + name.substr(0, name.find(',')) + ", needs a capture to read",
            "check the path, and that rncd may read it");
      }
      if (facts.file_written) port.refuse(*facts.file_written);
      return;
    case DeviceKind::null:
    case DeviceKind::ring:
      return;
  }
}

void judge_chains(const std::array<std::string, 2>& devices, const HostFacts& host, Judgement& out) {
  std::uint32_t piece = kUsualPiece;
  for (const PortFacts& port : host.ports) piece = std::max(piece, port.interface.mtu + dp::dpdk::kLinkBytes);
  for (const dp::Side side : dp::kSides) {
    const std::string& name = devices[dp::index(side)];
    const auto device = dp::dpdk::parse_device(name);
    if (!device || (device->kind != DeviceKind::pci && device->kind != DeviceKind::pcap)) continue;
    PortJudge(side, name, out)
        .hint(
            fmt::format("frames of more than {} bytes come in several pieces there, and bearers with the "
                        "link `am` drop these as `too_long`; keep the MTU of the path to them at {} or less",
                        piece, piece - dp::dpdk::kLinkBytes));
  }
}

void judge_far_ends(const std::array<std::string, 2>& devices, const HostFacts& host, Judgement& out) {
  for (const std::string& name : devices) {
    const auto device = dp::dpdk::parse_device(name);
    if (!device || device->kind != DeviceKind::af_xdp) return;
  }
  for (const dp::Side side : dp::kSides) {
    const InterfaceFacts& facts = host.ports[dp::index(side)].interface;
    if (facts.driver != "veth" || facts.peer_gro || facts.peer_has_xdp_program) continue;
    const std::string port = fmt::format("port {} ({}): ", dp::name(side), devices[dp::index(side)]);
    if (facts.peer.empty()) {
      out.notes.push_back(
          port +
          "its veth peer is in another network namespace and cannot be seen from here; it needs "
          "GRO on, or an XDP program, to take what the kernel sends across while rncd is away; "
          "look there with: ethtool -k PEER");
      continue;
    }
    out.far_ends.push_back(
        {side,
         fmt::format("{}found its veth peer {} with GRO off and without an XDP program, needs one of "
                     "these: else the kernel drops what is sent across while rncd is away; run: ethtool "
                     "-K {} gro on",
                     port, facts.peer, facts.peer)});
  }
}

void judge_pair(const std::array<std::string, 2>& devices, const HostFacts& host, Judgement& out) {
  const auto core = dp::dpdk::parse_device(devices[0]);
  const auto radio = dp::dpdk::parse_device(devices[1]);
  if (!core || !radio) return;
  const bool one_device = !core->argument.empty() && core->argument == radio->argument &&
                          (core->kind == radio->kind || core->interface() == radio->interface());
  if (one_device) {
    out.complaints.push_back({"ports core and radio: found " + core->argument +
                              " for both, needs two devices; change dataplane.ports.radio.device"});
  }
  const std::uint32_t core_mtu = host.ports[0].interface.mtu;
  const std::uint32_t radio_mtu = host.ports[1].interface.mtu;
  if (core_mtu != 0 && radio_mtu != 0 && core_mtu != radio_mtu) {
    out.hints.push_back(
        fmt::format("ports core and radio differ in MTU ({} and {}): frames larger than the smaller are lost "
                    "at the port they leave by",
                    core_mtu, radio_mtu));
  }
}

}  // namespace control
