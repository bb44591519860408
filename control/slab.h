// Memory of bearers: slabs of 2 MiB on which the kernel may put huge pages, with a free list. Owns every
// bearer it made, also those that a worker holds; so it must outlive the workers.
#pragma once
#include <cstddef>
#include <memory>
#include <vector>

#include "dataplane/bearer/bearer.h"

namespace control {

class BearerSlab {
 public:
  static constexpr std::size_t kSlabBytes = std::size_t{2} << 20;
  static constexpr std::size_t kPerSlab = kSlabBytes / sizeof(dp::Bearer);

  BearerSlab() = default;
  ~BearerSlab();
  BearerSlab(const BearerSlab&) = delete;
  BearerSlab& operator=(const BearerSlab&) = delete;

  dp::Bearer& make(const dp::BearerSettings& settings);
  // The bearer has come home from its worker.
  void release(dp::Bearer& bearer);

  std::size_t live() const { return slabs_.size() * kPerSlab - free_.size(); }
  std::size_t bytes() const { return slabs_.size() * kSlabBytes; }

 private:
  void grow();

  std::vector<std::byte*> slabs_;
  std::vector<void*> free_;
};

}  // namespace control
