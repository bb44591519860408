#include "control/plane/slab.h"

#include <cstdlib>
#include <new>
#include <random>
#include <type_traits>
#include <utility>

#include <sys/mman.h>

#include "dataplane/base/expect.h"
#include "dataplane/worker/prepare.h"

namespace control {

// Bearers still out when the slab goes die with its memory.
static_assert(std::is_trivially_destructible_v<dp::Bearer>);

const std::size_t BearerSlab::kPerSlab = kSlabBytes / sizeof(dp::Bearer);

namespace {

// Of the system, once: asking it for each bearer takes longer than all the rest of a change.
std::uint64_t seed_of_chance() {
  std::random_device chance;
  return std::uint64_t{chance()} << 32 | chance();
}

}  // namespace

BearerSlab::BearerSlab() : salts_(seed_of_chance()) {}

BearerSlab::~BearerSlab() {
  for (std::byte* slab : slabs_) std::free(slab);
}

dp::Bearer& BearerSlab::make(const dp::BearerSettings& settings) {
  if (free_.empty()) grow();
  DP_EXPECT(!free_.empty());
  void* where = free_.back();
  free_.pop_back();
  const dp::BearerParts parts = keep(dp::prepare_parts(settings, made_++, salts_.next()));
  return *dp::prepare_bearer(where, settings, parts, made_);
}

dp::BearerParts BearerSlab::make_change(const dp::BearerSettings& was, const dp::BearerSettings& settings) {
  return keep(dp::prepare_change(was, settings, made_++, salts_.next()));
}

dp::BearerParts BearerSlab::keep(dp::OwnedParts parts) {
  const dp::BearerParts kept = parts.get();
  if (parts.air != nullptr) airs_.emplace(kept.air, std::move(parts.air));
  if (parts.acks != nullptr) acks_.emplace(kept.acks, std::move(parts.acks));
  for (auto& flows : parts.flows) {
    const dp::FlowQueues* const key = flows.get();
    if (key != nullptr) flows_.emplace(key, std::move(flows));
  }
  return kept;
}

void BearerSlab::release(const dp::BearerParts& parts) {
  DP_EXPECT(parts.air == nullptr || airs_.contains(parts.air));
  DP_EXPECT(parts.acks == nullptr || acks_.contains(parts.acks));
  airs_.erase(parts.air);
  acks_.erase(parts.acks);
  for (const dp::FlowQueues* flows : parts.flows) flows_.erase(flows);
}

void BearerSlab::release(dp::Bearer& bearer) {
  DP_EXPECT(live() > 0);
  release(bearer.parts());
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
