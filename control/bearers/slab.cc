#include "control/bearers/slab.h"

#include <new>
#include <random>
#include <tuple>
#include <type_traits>

#include <sys/mman.h>

#include "dataplane/base/expect.h"

namespace control {

// Bearers still out when the slab goes die with its memory.
static_assert(std::is_trivially_destructible_v<dp::Bearer>);

namespace {

// Reads the seed from the system once: a system call for each bearer takes longer than all the rest of a
// change.
std::uint64_t seed_of_chance() {
  std::random_device chance;
  return std::uint64_t{chance()} << 32 | chance();
}

}  // namespace

Slabs::Slabs(std::size_t each) : each_(each) { DP_EXPECT(each > 0 && each <= kSlabBytes); }

Slabs::~Slabs() {
  for (std::byte* slab : slabs_) ::operator delete (slab, std::align_val_t{kSlabBytes});
}

void* Slabs::take() {
  if (free_.empty()) grow();
  DP_EXPECT(!free_.empty());
  void* where = free_.back();
  free_.pop_back();
  return where;
}

void Slabs::give(void* where) {
  DP_EXPECT(taken() > 0);
  free_.push_back(where);
}

void Slabs::grow() {
  auto* slab = static_cast<std::byte*>(::operator new (kSlabBytes, std::align_val_t{kSlabBytes}));
  ::madvise(slab, kSlabBytes, MADV_HUGEPAGE);  // a wish; without it everything works as well
  slabs_.push_back(slab);
  const std::size_t places = kSlabBytes / each_;
  free_.reserve(slabs_.size() * places);
  for (std::size_t i = places; i-- > 0;) free_.push_back(slab + i * each_);
}

BearerSlab::BearerSlab() : bearers_(sizeof(dp::Bearer)), salts_(seed_of_chance()) {}
BearerSlab::~BearerSlab() = default;

dp::Bearer& BearerSlab::make(const dp::BearerSettings& settings) {
  const dp::BearerParts parts = make_parts(settings, dp::parts_needed(settings));
  return *dp::prepare_bearer(bearers_.take(), settings, parts);
}

dp::BearerParts BearerSlab::make_change(const dp::BearerSettings& was, const dp::BearerSettings& settings) {
  return make_parts(settings, dp::parts_needed(was, settings));
}

dp::BearerParts BearerSlab::make_parts(const dp::BearerSettings& settings, const dp::PartsNeeded& needed) {
  const dp::PartSeeds seeds = dp::part_seeds(made_++, salts_.next());
  dp::BearerParts parts;
  dp::PartList::for_each([&]<class P>(dp::TypeTag<P>, std::size_t slot) {
    if (!needed.of<P>(slot)) return;
    parts.of<typename P::Kind>(slot) = std::get<PartStore<P>>(stores_).make(settings, slot, seeds);
  });
  return parts;
}

void BearerSlab::release(const dp::BearerParts& parts) {
  dp::for_each_part(parts, [&]<class P>(dp::TypeTag<P>, std::size_t, auto part) {
    std::get<PartStore<P>>(stores_).free(part);
  });
}

std::size_t BearerSlab::parts() const {
  return std::apply([](const auto&... stores) { return (stores.size() + ...); }, stores_);
}

std::size_t BearerSlab::bytes() const {
  return std::apply([&](const auto&... stores) { return (bearers_.bytes() + ... + stores.bytes()); },
                    stores_);
}

void BearerSlab::release(dp::Bearer& bearer) {
  release(bearer.parts());
  bearers_.give(&bearer);
}

}  // namespace control
