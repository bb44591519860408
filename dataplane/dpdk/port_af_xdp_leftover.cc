// A forwarder that was killed leaves the driver's XDP program on its interface, without a socket behind it.
// The next start takes it away; a program of anybody else's, or one in use, it leaves alone.
#include <cerrno>
#include <cstring>
#include <string_view>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/if_xdp.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "dataplane/dpdk/port_af_xdp.h"

namespace dp::dpdk {
namespace {

constexpr std::size_t kChunk = 4096;

// libxdp's program for sockets, by the name the kernel knows it by.
bool is_drivers(std::uint32_t program) {
  const int fd = bpf_prog_get_fd_by_id(program);
  if (fd < 0) return false;
  bpf_prog_info info{};
  std::uint32_t size = sizeof(info);
  const bool known = bpf_obj_get_info_by_fd(fd, &info, &size) == 0;
  close(fd);
  return known && std::string_view(info.name).starts_with("xsk_def_prog");
}

// A queue takes one AF_XDP socket: whether a smallest one of ours can be bound tells if there is another.
bool queue_taken(unsigned interface, unsigned queue) {
  const int fd = socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0);
  void* const memory = mmap(nullptr, kChunk, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (fd < 0 || memory == MAP_FAILED) return true;
  xdp_umem_reg umem{};
  umem.addr = reinterpret_cast<std::uintptr_t>(memory);
  umem.len = kChunk;
  umem.chunk_size = kChunk;
  const int entries = 1;
  bool ready = setsockopt(fd, SOL_XDP, XDP_UMEM_REG, &umem, sizeof(umem)) == 0;
  for (const int ring : {XDP_UMEM_FILL_RING, XDP_UMEM_COMPLETION_RING, XDP_RX_RING}) {
    ready = ready && setsockopt(fd, SOL_XDP, ring, &entries, sizeof(entries)) == 0;
  }
  sockaddr_xdp address{};
  address.sxdp_family = AF_XDP;
  address.sxdp_flags = XDP_COPY;
  address.sxdp_ifindex = interface;
  address.sxdp_queue_id = queue;
  const bool bound = ready && bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
  close(fd);
  munmap(memory, kChunk);
  return !bound;
}

// The kernel lets go of a queue a moment after the socket was closed, be it ours or a dead process's.
void wait_ms(long ms) {
  const timespec moment{0, ms * 1'000'000};
  nanosleep(&moment, nullptr);
}

bool some_queue_in_use(const std::string& interface) {
  const unsigned number = interface_index(interface);
  unsigned free = 0;  // so many of the first
  for (int i = 0; i < 20; ++i) {
    while (free < interface_channels(interface) && !queue_taken(number, free)) ++free;
    if (free >= interface_channels(interface)) return false;
    wait_ms(50);
  }
  return true;
}

}  // namespace

bool wait_for_xdp_queues(const std::string& interface) {
  if (some_queue_in_use(interface)) return false;
  for (int i = 0; i < 5; ++i) wait_ms(200);  // for the kernel to forget our own try
  return true;
}

Status check_xdp_program(const std::string& interface) {
  const unsigned number = interface_index(interface);
  const std::uint32_t program = xdp_program_on(number);
  if (program == 0 || (is_drivers(program) && !some_queue_in_use(interface))) return ok();
  return Error{
      "port af_xdp:" + interface + ": the interface carries the XDP program " + std::to_string(program) +
          " of someone else, who may live by it; stop the process that has it open ('bpftool prog show id " +
          std::to_string(program) + "' tells which), or name another interface",
      4};
}

Status remove_xdp_leftover(const std::string& interface) {
  const unsigned number = interface_index(interface);
  if (xdp_program_on(number) == 0) return ok();
  if (auto ours = check_xdp_program(interface); !ours) return ours;
  const int rc = bpf_xdp_detach(static_cast<int>(number), 0, nullptr);
  if (rc == 0) {
    wait_ms(200);
    return ok();
  }
  return Error{"port af_xdp:" + interface + ": cannot remove the XDP program that a killed forwarder left: " +
                   std::strerror(-rc) + "; remove it with 'ip link set dev " + interface + " xdp off'",
               rc == -EPERM ? 5 : 4};
}

}  // namespace dp::dpdk
