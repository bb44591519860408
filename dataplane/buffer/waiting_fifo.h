// The count of a leg's waiting SDUs, in any queue, and the FIFO in which they wait unless control has lent
// the leg queues (buffer/waiting.h). Owned by the leg's buffer; sufficient for the fast path.
// Tests: tests/unit/aqm/flow_queues_test.cc
#pragma once
#include <cstdint>

#include "dataplane/base/expect.h"
#include "dataplane/base/time.h"
#include "dataplane/packet/sdu_list.h"

namespace dp {

class CodelState;

// Waiting SDUs that can be displaced to make room for an arrival.
struct Yield {
  std::uint32_t sdus = 0;
  std::uint32_t bytes = 0;
};

class WaitingFifo {
 public:
  bool empty() const noexcept { return sdus_ == 0; }
  std::uint32_t sdus() const noexcept { return sdus_; }
  std::uint32_t bytes() const noexcept { return bytes_; }

  void push(Sdu& sdu) noexcept {
    chain_.push(sdu);
    count(sdu);
  }
  // Null if there is none.
  Sdu* first() const noexcept { return chain_.front(); }
  // Requires: there is one.
  Sdu& take() noexcept { return gone(chain_.pop()); }
  template <class F>
  void for_each(F&& f) const noexcept {
    chain_.for_each(f);
  }

  // The rest of the functions of class Waiting, for a leg without queues beside it.
  static constexpr bool kDisplaces = false;
  void classify(Sdu&, Time) noexcept {}
  Yield yields_to(const Sdu&) const noexcept { return {}; }
  CodelState* codel() const noexcept { return nullptr; }
  Sdu& discard() noexcept { return take(); }
  Sdu* head_to_drop() const noexcept { return first(); }
  Sdu& drop_head() noexcept { return take(); }

  // Counts an SDU that enters queues beside the leg, or leaves them.
  void count(const Sdu& sdu) noexcept {
    ++sdus_;
    bytes_ += sdu.ip_len;
  }
  Sdu& gone(Sdu& sdu) noexcept {
    DP_EXPECT_HOT(sdus_ > 0 && bytes_ >= sdu.ip_len);
    --sdus_;
    bytes_ -= sdu.ip_len;
    return sdu;
  }

 private:
  SduChain chain_;
  std::uint32_t sdus_ = 0;
  std::uint32_t bytes_ = 0;
};

}  // namespace dp
