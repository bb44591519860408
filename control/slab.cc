#include "control/slab.h"

#include <cstdlib>
#include <new>
#include <type_traits>
#include <utility>

#include <sys/mman.h>

#include "dataplane/worker/prepare.h"

namespace control {

// Bearers still out when the slab goes die with its memory.
static_assert(std::is_trivially_destructible_v<dp::Bearer>);

BearerSlab::~BearerSlab() {
  for (std::byte* slab : slabs_) std::free(slab);
}

dp::Bearer& BearerSlab::make(const dp::BearerSettings& settings) {
  if (free_.empty()) grow();
  void* where = free_.back();
  free_.pop_back();
  dp::Air* const air = make_air(settings);
  return *dp::prepare_bearer(where, settings, air, made_);
}

dp::Air* BearerSlab::make_air(const dp::BearerSettings& settings) {
  auto air = dp::prepare_air(settings, made_++);
  dp::Air* const made = air.get();
  if (made != nullptr) airs_.emplace(made, std::move(air));
  return made;
}

void BearerSlab::release(dp::Bearer& bearer) {
  release_air(bearer.air);
  bearer.~Bearer();
  free_.push_back(&bearer);
}

void BearerSlab::grow() {
  auto* slab = static_cast<std::byte*>(std::aligned_alloc(kSlabBytes, kSlabBytes));
  if (slab == nullptr) throw std::bad_alloc();
  ::madvise(slab, kSlabBytes, MADV_HUGEPAGE);  // a wish; without it the bearers work as well
  slabs_.push_back(slab);
  free_.reserve(slabs_.size() * kPerSlab);
  for (std::size_t i = kPerSlab; i-- > 0;) free_.push_back(slab + i * sizeof(dp::Bearer));
}

}  // namespace control
