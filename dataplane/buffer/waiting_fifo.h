// How much of a leg waits, wherever it does, and the FIFO in which it does unless control has lent the leg
// queues (buffer/waiting.h). Owned by the leg's buffer; the fast path needs no more.
#pragma once
#include <cstdint>

#include "dataplane/base/expect.h"
#include "dataplane/packet/sdu_list.h"

namespace dp {

class WaitingFifo {
 public:
  bool empty() const noexcept { return sdus_ == 0; }
  std::uint32_t sdus() const noexcept { return sdus_; }
  std::uint32_t bytes() const noexcept { return bytes_; }

  void push(Sdu& sdu) noexcept {
    chain_.push(sdu);
    count(sdu);
  }
  // Null when there is none.
  Sdu* first() const noexcept { return chain_.front(); }
  // Requires: there is one.
  Sdu& take() noexcept { return gone(chain_.pop()); }
  template <class F>
  void for_each(F&& f) const noexcept {
    chain_.for_each(f);
  }

  // One comes to queues beside the leg, or leaves them.
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
