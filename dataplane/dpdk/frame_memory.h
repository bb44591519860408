// One piece of virtual memory for all frames, in place before the first packet. Of EAL's huge pages where it
// has them; else the process's own, for which the kernel may take transparent huge pages, as it does not for
// EAL's.
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

  // At least so many bytes; an error says what was found. `name` is EAL's for them. Requires: EAL has
  // started; once.
  Status reserve(const std::string& name, std::uint64_t bytes, int numa_node);

  char* data() const { return data_; }
  std::size_t size() const { return size_; }
  // Where devices find it.
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
