#include "dataplane/dpdk/port_af_xdp_descriptors.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <string_view>

#include <bpf/bpf.h>
#include <dirent.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace dp::dpdk {
namespace {

bool is_xdp_socket(int fd) {
  int domain = 0;
  socklen_t size = sizeof(domain);
  return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && domain == AF_XDP;
}

bool is_map(int folder, const char* name) {
  std::array<char, 64> target{};
  const ssize_t length = readlinkat(folder, name, target.data(), target.size());
  return length > 0 &&
         std::string_view(target.data(), static_cast<std::size_t>(length)) == "anon_inode:bpf-map";
}

}  // namespace

std::vector<XdpDescriptor> xdp_descriptors() {
  std::vector<XdpDescriptor> found;
  DIR* const folder = opendir("/proc/self/fd");
  if (folder == nullptr) return found;
  while (const dirent* entry = readdir(folder)) {
    if (entry->d_name[0] == '.') continue;
    const int fd = std::atoi(entry->d_name);
    if (struct stat socket{}; is_xdp_socket(fd) && fstat(fd, &socket) == 0) {
      found.push_back({fd, socket.st_ino});
    } else if (is_map(dirfd(folder), entry->d_name)) {
      bpf_map_info map{};
      std::uint32_t size = sizeof(map);
      if (bpf_obj_get_info_by_fd(fd, &map, &size) == 0) found.push_back({fd, map.id});
    }
  }
  closedir(folder);
  return found;
}

std::vector<XdpDescriptor> without(const std::vector<XdpDescriptor>& all,
                                   const std::vector<XdpDescriptor>& others) {
  std::vector<XdpDescriptor> left;
  std::copy_if(all.begin(), all.end(), std::back_inserter(left), [&](const XdpDescriptor& one) {
    return std::find(others.begin(), others.end(), one) == others.end();
  });
  return left;
}

}  // namespace dp::dpdk
