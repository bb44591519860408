// One piece of virtual memory for all frames, present before the first packet. It comes from EAL's huge pages
// if EAL has them; else it is the process's own, for which the kernel may use transparent huge pages, as it
// does not for EAL's.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "dataplane/base/result.h"

struct rte_memzone;

namespace dp::dpdk {

class FrameMemory {
 public:
  FrameMemory() = default;
  ~FrameMemory();
  FrameMemory(const FrameMemory&) = delete;
  FrameMemory& operator=(const FrameMemory&) = delete;

  // Reserves at least `bytes`; an error names the memory that was found. `name` is the name of EAL's memory
  // zone. Requires: EAL has started; once.
  Status reserve(const std::string& name, std::uint64_t bytes, int numa_node);

  char* data() const { return data_; }
  std::size_t size() const { return size_; }
  // The address by which devices access it.
  std::uint64_t iova() const { return iova_; }

 private:
  Status reserve_own(std::uint64_t bytes);

  char* data_ = nullptr;
  std::size_t size_ = 0;
  std::uint64_t iova_ = 0;
  const rte_memzone* zone_ = nullptr;
  void* mapping_ = nullptr;
  std::size_t mapped_ = 0;
};

}  // namespace dp::dpdk
