#include "dataplane/dpdk/frame_memory.h"

#include <cerrno>
#include <cstring>

#include <rte_eal.h>
#include <rte_mempool.h>
#include <rte_memzone.h>

#include <sys/mman.h>

#include "dataplane/base/expect.h"
#include "dataplane/dpdk/huge_pages.h"

namespace dp::dpdk {
namespace {

std::size_t round_up(std::size_t bytes) { return (bytes + kHugePage - 1) / kHugePage * kHugePage; }

}  // namespace

FrameMemory::~FrameMemory() {
  if (zone_ != nullptr) rte_memzone_free(zone_);
  if (mapping_ != nullptr) munmap(mapping_, mapped_);
}

Status FrameMemory::reserve(const std::string& name, std::uint64_t bytes, int numa_node) {
  DP_EXPECT(data_ == nullptr);
  if (rte_eal_has_hugepages() == 0) return reserve_own(bytes);
  zone_ = rte_memzone_reserve_aligned(name.c_str(), bytes, numa_node, 0, RTE_MEMPOOL_ALIGN);
  if (zone_ == nullptr) {
    return Error{"memory for frames: " + mib(bytes) + " on NUMA node " + std::to_string(numa_node) +
                     " are needed, found " + mib(free_huge_page_bytes()) +
                     " in free huge pages; raise /proc/sys/vm/nr_hugepages or lower dataplane.memory",
                 4};
  }
  data_ = static_cast<char*>(zone_->addr);
  size_ = zone_->len;
  iova_ = zone_->iova;
  return ok();
}

// One call brings the memory in, instead of a page fault per page; a kernel before 5.14 has no such call, and
// then the first write brings each page in. A child of this process does not need it.
Status FrameMemory::reserve_own(std::uint64_t bytes) {
  mapped_ = round_up(bytes) + kHugePage;
  void* const mapping =
      mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) {
    return Error{"memory for frames: " + mib(bytes) + " are needed, found: " + std::strerror(errno) +
                     "; lower dataplane.memory",
                 4};
  }
  mapping_ = mapping;
  data_ = static_cast<char*>(mapping) +
          (round_up(reinterpret_cast<std::uintptr_t>(mapping)) - reinterpret_cast<std::uintptr_t>(mapping));
  size_ = round_up(bytes);
  iova_ = reinterpret_cast<std::uintptr_t>(data_);
  madvise(data_, size_, MADV_HUGEPAGE);
  madvise(data_, size_, MADV_DONTFORK);
  if (madvise(data_, size_, MADV_POPULATE_WRITE) == 0 || errno == EINVAL) return ok();
  return Error{"memory for frames: the kernel does not give " + mib(bytes) + ": " + std::strerror(errno) +
                   "; lower dataplane.memory",
               4};
}

}  // namespace dp::dpdk
