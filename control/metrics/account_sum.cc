#include "control/metrics/account_sum.h"

namespace control {

dp::FrameAccount sum_accounts(dp::Runtime& runtime) {
  dp::FrameAccount sum;
  const auto add = [](dp::FrameTotals& to, const dp::FrameTotals& from) {
    to.frames += from.frames;
    to.bytes += from.bytes;
  };
  for (std::size_t w = 0; w < runtime.workers(); ++w) {
    const dp::FrameAccount a = runtime.shared(w).snapshot.read().account;
    for (std::size_t side = 0; side < 2; ++side) {
      add(sum.received[side], a.received[side]);
      add(sum.sent[side], a.sent[side]);
      for (std::size_t r = 0; r < dp::kDropReasons; ++r) add(sum.dropped[side][r], a.dropped[side][r]);
      for (std::size_t r = 0; r < dp::kPassReasons; ++r) add(sum.passed[side][r], a.passed[side][r]);
      for (std::size_t c = 0; c < dp::kCreations; ++c) add(sum.created[side][c], a.created[side][c]);
    }
    sum.given += a.given;
    sum.taken += a.taken;
    sum.buffered += a.buffered;
    sum.held += a.held;
    sum.retained += a.retained;
    sum.egress += a.egress;
    sum.mbufs_held += a.mbufs_held;
  }
  return sum;
}

}  // namespace control
