// The host's facts for preflight: plain values, gathered at once without changing anything.
// Tests: tests/unit/control/host/preflight_test.cc
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "control/host/cpu_facts.h"
#include "dataplane/base/result.h"

namespace control {

// A process that holds an interface.
struct Holder {
  int pid = 0;
  std::string name{};
};

// A kernel interface that a port names.
struct InterfaceFacts {
  bool exists = false;
  bool up = false;
  std::string driver{};  // "veth", "ixgbe"; empty when the kernel does not say
  std::uint32_t mtu = 0;
  std::uint32_t combined_channels = 0;  // 0: the driver does not say
  std::uint32_t receive_channels = 0;
  std::uint32_t transmit_channels = 0;
  bool gro = false;
  bool lro = false;
  bool stacked = false;          // upon other interfaces, as a macvlan or a bridge
  bool gives_vlan_tags = false;  // to an XDP program (dataplane/xdp/vlan_tags.h)
  std::string rx_vlan_off{};  // words for ethtool -K, for received frames to keep their tags; empty: they do
  std::uint32_t xdp_program = 0;   // id of one already attached
  std::string xdp_program_name{};  // as the kernel knows it; empty when it does not say
  std::optional<Holder> holder{};  // forwards what comes in here: another rncd, or whose XDP program it is
  // The other end of a veth pair, where it is in this network namespace too.
  std::string peer{};
  std::uint32_t peer_mtu = 0;
  bool peer_checksum_offload = false;
  bool peer_gro = false;
  bool peer_has_xdp_program = false;
  std::string peer_tx_vlan_off{};  // likewise, for frames that it sends
};

struct PciFacts {
  bool exists = false;
  std::string driver{};  // the kernel driver bound to it
  bool iommu = false;
};

// `interface` for devices behind which the kernel has one, `pci` for PCI addresses, `file` for captures.
struct PortFacts {
  InterfaceFacts interface;
  PciFacts pci;
  bool file_readable = false;
  std::optional<dp::Error> file_written{};  // why a file cannot be written
};

// The state of a path at which a program is expected.
enum class ProgramFact : std::uint8_t { not_asked, missing, no_file, not_executable, written_by_others, fit };

struct Capabilities {
  bool net_admin = false;
  bool net_raw = false;
  bool ipc_lock = false;
  bool bpf = false;
  bool sys_admin = false;
  bool sys_rawio = false;
};

struct HostFacts {
  std::array<PortFacts, 2> ports;  // by Side
  Capabilities capabilities;
  std::uint64_t memlock_bytes = 0;  // RLIMIT_MEMLOCK; all ones: none
  std::uint64_t memory_available = 0;
  std::uint64_t huge_page_bytes_free = 0;
  std::uint32_t huge_page_size = 0;     // default size, in bytes
  std::vector<unsigned> cpus;           // this process may run on
  std::vector<CpuFacts> worker_cpus{};  // CPUs of the workers; empty: not gathered
  std::string kernel;                   // release, "6.1.0-18-amd64"
  bool tun_device = false;              // /dev/net/tun
  std::string bypass_hook{};            // its path; empty: there is to be none
  ProgramFact bypass_hook_fact = ProgramFact::not_asked;
  std::vector<dp::Error> unusable{};  // paths that rncd cannot write, an address at which it cannot listen
};

// `devices` as configured, by Side.
HostFacts gather_facts(const std::array<std::string, 2>& devices);

// True if this process may run the file, and nobody else may change it.
ProgramFact program_fact(const std::string& path);

// Bytes available without swapping, by the kernel's estimate.
std::uint64_t memory_available();

// "6.1.0-18-amd64" is at least 5.4.
bool kernel_at_least(const std::string& release, unsigned major, unsigned minor);

}  // namespace control
