#include "control/host/host_facts.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <linux/capability.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "control/host/exit_code.h"
#include "control/host/interface_facts.h"
#include "control/host/own_file.h"
#include "dataplane/dpdk/device.h"
#include "dataplane/dpdk/huge_pages.h"

namespace control {
namespace {

// The number after `key` in a file of "Key:  value" lines, 0 when it is not there.
std::uint64_t number_after(const char* file, const std::string& key, int base) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (line.rfind(key, 0) == 0) return std::stoull(line.substr(key.size()), nullptr, base);
  }
  return 0;
}

Capabilities capabilities() {
  const std::uint64_t effective = number_after("/proc/self/status", "CapEff:", 16);
  const auto has = [&](unsigned bit) { return (effective >> bit & 1) != 0; };
  return {has(CAP_NET_ADMIN), has(CAP_NET_RAW),   has(CAP_IPC_LOCK),
          has(CAP_BPF),       has(CAP_SYS_ADMIN), has(CAP_SYS_RAWIO)};
}

std::vector<unsigned> allowed_cpus() {
  cpu_set_t set;
  std::vector<unsigned> cpus;
  if (::sched_getaffinity(0, sizeof(set), &set) != 0) return {0};
  for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  }
  return cpus;
}

PciFacts pci_facts(const std::string& address) {
  PciFacts facts;
  const std::filesystem::path device = "/sys/bus/pci/devices/" + address;
  std::error_code error;
  facts.exists = std::filesystem::exists(device, error);
  const auto driver = std::filesystem::read_symlink(device / "driver", error);
  if (!error) facts.driver = driver.filename();
  facts.iommu = std::filesystem::exists(device / "iommu_group", error);
  return facts;
}

// The driver empties the file that it writes.
std::optional<dp::Error> output_error(const std::string& input, const std::string& output) {
  if (output.empty()) return std::nullopt;
  const OwnFile file{kCaptureKind, output, "output"};
  if (!input.empty() && is_file(input, output)) {
    return dp::Error{"output: found " + output + ", the file that is read, expected another path",
                     kExitConfig};
  }
  for (const auto& judge : {folder_is_safe, nothing_else_there, folder_is_writable}) {
    if (auto judged = judge(file); !judged) return judged.error();
  }
  return std::nullopt;
}

PortFacts port_facts(const std::string& name) {
  using dp::dpdk::DeviceKind;
  PortFacts facts;
  const auto device = dp::dpdk::parse_device(name);
  if (!device) return facts;
  if (device->kind == DeviceKind::pci) facts.pci = pci_facts(device->argument);
  if (device->kind == DeviceKind::pcap) {
    const std::size_t comma = device->argument.find(',');
    const std::string input = device->argument.substr(0, comma);
    facts.file_readable = input.empty() || ::access(input.c_str(), R_OK) == 0;
    if (comma != std::string::npos)
      facts.file_written = output_error(input, device->argument.substr(comma + 1));
  }
  if (!device->interface().empty()) facts.interface = interface_facts(std::string(device->interface()));
  return facts;
}

}  // namespace

ProgramFact program_fact(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return ProgramFact::missing;
  if (!S_ISREG(found.st_mode)) return ProgramFact::no_file;
  if (::access(path.c_str(), X_OK) != 0) return ProgramFact::not_executable;
  const bool trusted = found.st_uid == 0 || found.st_uid == ::geteuid();
  return trusted && others_who_may_write(found).empty() ? ProgramFact::fit : ProgramFact::written_by_others;
}

std::uint64_t memory_available() { return number_after("/proc/meminfo", "MemAvailable:", 10) * 1024; }

HostFacts gather_facts(const std::array<std::string, 2>& devices) {
  HostFacts facts;
  for (std::size_t side = 0; side < 2; ++side) facts.ports[side] = port_facts(devices[side]);
  facts.capabilities = capabilities();
  rlimit limit{};
  if (::getrlimit(RLIMIT_MEMLOCK, &limit) == 0) facts.memlock_bytes = limit.rlim_cur;
  facts.memory_available = memory_available();
  facts.huge_page_size =
      static_cast<std::uint32_t>(number_after("/proc/meminfo", "Hugepagesize:", 10) * 1024);
  facts.huge_page_bytes_free = dp::dpdk::free_huge_page_bytes();
  facts.cpus = allowed_cpus();
  utsname system{};
  if (::uname(&system) == 0) facts.kernel = system.release;
  facts.tun_device = ::access("/dev/net/tun", F_OK) == 0;
  return facts;
}

bool kernel_at_least(const std::string& release, unsigned major, unsigned minor) {
  unsigned a = 0, b = 0;
  if (std::sscanf(release.c_str(), "%u.%u", &a, &b) != 2) return true;  // not a form we know: let it try
  return a != major ? a > major : b >= minor;
}

}  // namespace control
