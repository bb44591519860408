// Memory of bearers and of their parts: objects that are many and alike in slabs of 2 MiB on which the kernel
// may put huge pages, with a free list, and the rest one by one. Owns every bearer and part it made, also
// those that a worker holds. Requires: it outlives the workers.
#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dataplane/base/expect.h"
#include "dataplane/base/rng.h"
#include "dataplane/bearer/part/list.h"
#include "dataplane/bearer/parts.h"
#include "dataplane/bearer/settings.h"
#include "dataplane/worker/prepare.h"

namespace control {

// Memory for things of one size, a slab at a time; returned memory is used again, a slab is kept.
class Slabs {
 public:
  static constexpr std::size_t kSlabBytes = std::size_t{2} << 20;

  // Each thing takes `each` bytes. Requires: a multiple of its alignment, and no more than a slab.
  explicit Slabs(std::size_t each);
  ~Slabs();
  Slabs(const Slabs&) = delete;
  Slabs& operator=(const Slabs&) = delete;

  void* take();
  // Requires: take() gave it.
  void give(void* where);
  std::size_t taken() const { return slabs_.size() * (kSlabBytes / each_) - free_.size(); }
  std::size_t bytes() const { return slabs_.size() * kSlabBytes; }

 private:
  void grow();

  const std::size_t each_;
  std::vector<std::byte*> slabs_;
  std::vector<void*> free_;
};

// Owns the parts of one kind that were made and not freed.
template <class Part>
class PartStore {
 public:
  using Handle = typename Part::Handle;

  Handle make(const dp::BearerSettings& settings, std::size_t slot, const dp::PartSeeds& seeds) {
    typename Part::Owned made = Part::make(settings, slot, seeds);
    const Handle part = made.get();
    parts_.emplace(address(part), std::move(made));
    return part;
  }
  // Requires: make() gave it.
  void free(Handle part) {
    DP_EXPECT(parts_.contains(address(part)));
    parts_.erase(address(part));
  }
  std::size_t size() const { return parts_.size(); }
  // Bytes of slabs: these parts have none.
  std::size_t bytes() const { return 0; }

 private:
  static const void* address(const void* part) { return part; }
  static const void* address(dp::Queues queues) {
    return queues.sfp() != nullptr ? static_cast<const void*>(queues.sfp()) : queues.flows();
  }

  std::unordered_map<const void*, typename Part::Owned> parts_;
};

template <class Part>
requires(Part::kInSlabs) class PartStore<Part> {
 public:
  using Handle = typename Part::Handle;
  using Object = std::remove_pointer_t<Handle>;
  static_assert(std::is_trivially_destructible_v<Object>, "it dies with its slab");

  Handle make(const dp::BearerSettings& settings, std::size_t slot, const dp::PartSeeds& seeds) {
    return Part::make_at(slabs_.take(), settings, slot, seeds);
  }
  void free(Handle part) { slabs_.give(part); }
  std::size_t size() const { return slabs_.taken(); }
  std::size_t bytes() const { return slabs_.bytes(); }

 private:
  Slabs slabs_{sizeof(Object)};
};

class BearerSlab {
 public:
  BearerSlab();
  ~BearerSlab();
  BearerSlab(const BearerSlab&) = delete;
  BearerSlab& operator=(const BearerSlab&) = delete;

  dp::Bearer& make(const dp::BearerSettings& settings);
  // Its parts go with it. Requires: the slab made it, and it has come home from its worker.
  void release(dp::Bearer& bearer);

  // Makes the parts that a bearer needs for a change and does not have; empty if it needs none.
  dp::BearerParts make_change(const dp::BearerSettings& was, const dp::BearerSettings& settings);
  // Frees parts that are in use no more.
  void release(const dp::BearerParts& parts);

  std::size_t live() const { return bearers_.taken(); }
  // Parts made and not released.
  std::size_t parts() const;
  std::size_t bytes() const;

 private:
  dp::BearerParts make_parts(const dp::BearerSettings& settings, const dp::PartsNeeded& needed);

  Slabs bearers_;
  dp::PartList::Tuple<PartStore> stores_;
  // Seeds that a sender cannot know, so that it cannot predict which flows share a queue, or what AQMs draw.
  dp::Rng salts_;
  std::uint64_t made_ = 0;  // bearers and changes, each with chances of its own
};

}  // namespace control
