#include "dataplane/dpdk/huge_pages.h"

#include <cstdio>
#include <cstdlib>
#include <string>

#include <dirent.h>

namespace dp::dpdk {
namespace {

const std::string kFolder = "/sys/kernel/mm/hugepages/";

std::uint64_t read_number(const std::string& path) {
  unsigned long long number = 0;
  FILE* file = std::fopen(path.c_str(), "r");
  if (file == nullptr) return 0;
  if (std::fscanf(file, "%llu", &number) != 1) number = 0;
  std::fclose(file);
  return number;
}

}  // namespace

std::uint64_t free_huge_page_bytes() {
  std::uint64_t bytes = 0;
  DIR* folder = opendir(kFolder.c_str());
  if (folder == nullptr) return 0;
  while (const dirent* entry = readdir(folder)) {
    const std::string name = entry->d_name;  // hugepages-2048kB
    if (!name.starts_with("hugepages-")) continue;
    const std::uint64_t kib = std::strtoull(name.c_str() + 10, nullptr, 10);
    bytes += kib * 1024 * read_number(kFolder + name + "/free_hugepages");
  }
  closedir(folder);
  return bytes;
}

Status check_huge_pages(std::uint64_t bytes) {
  const std::uint64_t found = free_huge_page_bytes();
  if (found >= bytes) return ok();
  const std::uint64_t total = read_number("/proc/sys/vm/nr_hugepages");
  const std::uint64_t more = (bytes - found + (2 << 20) - 1) / (2 << 20);
  return Error{"huge pages: found " + mib(found) + " free, need " + mib(bytes) + "; mend it with 'echo " +
                   std::to_string(total + more) +
                   " > /proc/sys/vm/nr_hugepages', or set dataplane.huge_pages: false",
               4};
}

}  // namespace dp::dpdk
