#include "dataplane/dpdk/sockets.h"

#include <algorithm>
#include <cstdlib>

#include <dirent.h>
#include <linux/if_packet.h>
#include <sys/socket.h>

namespace dp::dpdk {

namespace {

// A packet socket bound to no protocol receives nothing, so it is not a driver's
// (dataplane/dpdk/promiscuity.h).
bool is_deaf(int fd) {
  sockaddr_ll address{};
  socklen_t size = sizeof(address);
  return getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0 &&
         address.sll_family == AF_PACKET && address.sll_protocol == 0;
}

}  // namespace

std::vector<int> sockets_of(int domain) {
  std::vector<int> found;
  DIR* folder = opendir("/proc/self/fd");
  if (folder == nullptr) return found;
  while (const dirent* entry = readdir(folder)) {
    if (entry->d_name[0] == '.') continue;
    const int fd = std::atoi(entry->d_name);
    int actual = 0;
    socklen_t size = sizeof(actual);
    if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &actual, &size) == 0 && actual == domain && !is_deaf(fd)) {
      found.push_back(fd);
    }
  }
  closedir(folder);
  return found;
}

std::vector<int> new_sockets(int domain, const std::vector<int>& before) {
  std::vector<int> found = sockets_of(domain);
  std::erase_if(found, [&](int fd) { return std::find(before.begin(), before.end(), fd) != before.end(); });
  return found;
}

}  // namespace dp::dpdk
