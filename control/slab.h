// Memory of bearers: slabs of 2 MiB on which the kernel may put huge pages, with a free list; and the airs of
// those with `am` links. Owns every bearer and air it made, also those that a worker holds; so it must
// outlive the workers.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
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
  // The bearer has come home from its worker; its air goes with it.
  void release(dp::Bearer& bearer);

  // For a bearer that is to change to these settings; null when they need none.
  dp::Air* make_air(const dp::BearerSettings& settings);
  // An air that is in use no more; null is none.
  void release_air(dp::Air* air) { airs_.erase(air); }

  std::size_t live() const { return slabs_.size() * kPerSlab - free_.size(); }
  std::size_t bytes() const { return slabs_.size() * kSlabBytes; }

 private:
  void grow();

  std::vector<std::byte*> slabs_;
  std::vector<void*> free_;
  std::unordered_map<const dp::Air*, std::unique_ptr<dp::Air>> airs_;
  std::uint64_t made_ = 0;  // bearers and airs, each with chances of its own
};

}  // namespace control
