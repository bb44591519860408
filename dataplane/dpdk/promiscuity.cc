#include "dataplane/dpdk/promiscuity.h"

#include <cerrno>
#include <cstring>

#include <linux/if_packet.h>
#include <sys/socket.h>
#include <unistd.h>

#include "dataplane/dpdk/device.h"

namespace dp::dpdk {
Status Promiscuity::begin(const std::string& interface) {
  const auto number = static_cast<int>(interface_index(interface));
  fd_ = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);  // protocol 0: it receives nothing
  sockaddr_ll address{};
  address.sll_family = AF_PACKET;
  address.sll_ifindex = number;
  packet_mreq all{};
  all.mr_ifindex = number;
  all.mr_type = PACKET_MR_PROMISC;
  if (fd_ < 0 || bind(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
      setsockopt(fd_, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &all, sizeof(all)) != 0) {
    const int error = errno;
    end();
    return Error{"interface " + interface + ": cannot be made to take every frame: " + std::strerror(error),
                 error == EPERM || error == EACCES ? 5 : 4};
  }
  return ok();
}

void Promiscuity::end() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

}  // namespace dp::dpdk
