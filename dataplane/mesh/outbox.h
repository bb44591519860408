// Entries of one worker for another that are not in the ring between them yet: a FIFO whose memory is
// allocated at construction.
// Tests: tests/unit/worker/mesh_test.cc
#pragma once
#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "dataplane/base/expect.h"
#include "dataplane/mesh/handed.h"

namespace dp {

class Outbox {
 public:
  explicit Outbox(std::size_t capacity) : entries_(capacity) {}

  bool empty() const noexcept { return size_ == 0; }
  // Requires: it is not full.
  void push(const Handed& entry) noexcept {
    DP_EXPECT_HOT(size_ < entries_.size());
    entries_[(first_ + size_++) % entries_.size()] = entry;
  }
  // Copies the first entries, as far as `out` has space; returns their number. They stay.
  std::size_t copy(std::span<Handed> out) const noexcept {
    const std::size_t count = std::min(out.size(), size_);
    for (std::size_t i = 0; i < count; ++i) out[i] = entries_[(first_ + i) % entries_.size()];
    return count;
  }
  // Requires: `count` entries are here.
  void drop(std::size_t count) noexcept {
    DP_EXPECT_HOT(count <= size_);
    first_ = (first_ + count) % entries_.size();
    size_ -= count;
  }

 private:
  std::vector<Handed> entries_;
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace dp
