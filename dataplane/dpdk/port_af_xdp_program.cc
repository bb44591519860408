// XDP programs on an interface while the port runs: ours, and one that somebody put in its place.
#include <utility>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/if_link.h>
#include <unistd.h>

#include "dataplane/dpdk/port_af_xdp.h"

namespace dp::dpdk {

std::uint32_t xdp_program_on(unsigned interface) {
  std::uint32_t program = 0;
  return bpf_xdp_query_id(static_cast<int>(interface), 0, &program) == 0 ? program : 0;
}

ForeignProgram::ForeignProgram(unsigned interface, std::uint32_t ours) : interface_(interface) {
  LIBBPF_OPTS(bpf_xdp_query_opts, found);
  if (bpf_xdp_query(static_cast<int>(interface), 0, &found) != 0) return;
  if (found.prog_id == 0 || found.prog_id == ours) return;
  flags_ = found.attach_mode == XDP_ATTACHED_SKB ? XDP_FLAGS_SKB_MODE : XDP_FLAGS_DRV_MODE;
  fd_ = bpf_prog_get_fd_by_id(found.prog_id);
}

ForeignProgram::~ForeignProgram() {
  if (fd_ >= 0) close(fd_);
}

ForeignProgram::ForeignProgram(ForeignProgram&& other) noexcept
    : interface_(other.interface_), flags_(other.flags_), fd_(std::exchange(other.fd_, -1)) {}

ForeignProgram& ForeignProgram::operator=(ForeignProgram&& other) noexcept {
  std::swap(interface_, other.interface_);
  std::swap(flags_, other.flags_);
  std::swap(fd_, other.fd_);
  return *this;
}

void ForeignProgram::put_back() {
  if (fd_ < 0 || xdp_program_on(interface_) != 0) return;
  bpf_xdp_attach(static_cast<int>(interface_), fd_, flags_ | XDP_FLAGS_UPDATE_IF_NOEXIST, nullptr);
}

}  // namespace dp::dpdk
