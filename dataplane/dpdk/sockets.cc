#include "dataplane/dpdk/sockets.h"

#include <algorithm>
#include <cstdlib>

#include <dirent.h>
#include <sys/socket.h>

namespace dp::dpdk {

std::vector<int> sockets_of(int domain) {
  std::vector<int> found;
  DIR* folder = opendir("/proc/self/fd");
  if (folder == nullptr) return found;
  while (const dirent* entry = readdir(folder)) {
    if (entry->d_name[0] == '.') continue;
    const int fd = std::atoi(entry->d_name);
    int actual = 0;
    socklen_t size = sizeof(actual);
    if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &actual, &size) == 0 && actual == domain) found.push_back(fd);
  }
  closedir(folder);
  return found;
}

int new_socket(int domain, const std::vector<int>& before) {
  for (const int fd : sockets_of(domain)) {
    if (std::find(before.begin(), before.end(), fd) == before.end()) return fd;
  }
  return -1;
}

}  // namespace dp::dpdk
