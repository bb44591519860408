// Memory of bearers, and of who judges their SDUs: slabs of 2 MiB on which the kernel may put huge pages,
// with a free list; and the rest of their parts: the airs of those with `am` links, the flow queues of their
// AQMs, their ACK stages, what they have in a cell, what they cross over `um`, what splits their connections.
// Owns every bearer and part it made, also those that a worker holds. Requires: it outlives the workers.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "dataplane/base/rng.h"
#include "dataplane/bearer/parts.h"
#include "dataplane/bearer/settings.h"

namespace dp {
struct Bearer;
struct OwnedParts;
struct PartsNeeded;
}  // namespace dp

namespace control {

// Memory for things of one size, a slab at a time; what is given back is used again, a slab is kept.
class Slabs {
 public:
  static constexpr std::size_t kSlabBytes = std::size_t{2} << 20;

  // Each thing takes so many bytes. Requires: a multiple of its alignment, and no more than a slab.
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

class BearerSlab {
 public:
  BearerSlab();
  ~BearerSlab();
  BearerSlab(const BearerSlab&) = delete;
  BearerSlab& operator=(const BearerSlab&) = delete;

  dp::Bearer& make(const dp::BearerSettings& settings);
  // Its parts go with it. Requires: the slab made it, and it has come home from its worker.
  void release(dp::Bearer& bearer);

  // For a bearer that is to change, what it cannot go on with; nulls where it needs nothing.
  dp::BearerParts make_change(const dp::BearerSettings& was, const dp::BearerSettings& settings);
  // Parts that are in use no more; null is none.
  void release(const dp::BearerParts& parts);

  std::size_t live() const { return bearers_.taken(); }
  // Made and not released.
  std::size_t parts() const {
    return judges_.taken() + airs_.size() + flows_.size() + sfps_.size() + acks_.size() + members_.size() +
           ums_.size() + proxies_.size();
  }
  std::size_t bytes() const { return bearers_.bytes() + judges_.bytes(); }

 private:
  dp::BearerParts make_parts(const dp::BearerSettings& settings, dp::PartsNeeded needed);
  dp::BearerParts keep(dp::OwnedParts parts);

  Slabs bearers_, judges_;
  std::unordered_map<const dp::Air*, std::unique_ptr<dp::Air>> airs_;
  std::unordered_map<const dp::FlowQueues*, std::unique_ptr<dp::FlowQueues>> flows_;
  std::unordered_map<const dp::SfpQueues*, std::unique_ptr<dp::SfpQueues>> sfps_;
  std::unordered_map<const dp::AckChain*, std::unique_ptr<dp::AckChain>> acks_;
  std::unordered_map<const dp::CellMember*, std::unique_ptr<dp::CellMember>> members_;
  std::unordered_map<const dp::UmAir*, std::unique_ptr<dp::UmAir>> ums_;
  std::unordered_map<const dp::SplitProxy*, std::unique_ptr<dp::SplitProxy>> proxies_;
  // So that nobody who sends knows which flows share a queue, or what AQMs draw.
  dp::Rng salts_;
  std::uint64_t made_ = 0;  // bearers and changes, each with chances of its own
};

}  // namespace control
