// A downlink that shares the slots of a cell with other bearers: SDUs leave one after the other, each over as
// many slots as it takes, at the rate of each slot; several may end in one. An SDU is delivered when its last
// slot ends.
// Tests: tests/contract/link_contract_test.cc
#pragma once
#include <algorithm>
#include <cstdint>

#include "dataplane/base/expect.h"
#include "dataplane/link/cell_config.h"
#include "dataplane/link/link.h"
#include "dataplane/sched/cell.h"

namespace dp {

// Without a slot in a cell nothing leaves. The first SDU is in transmission as soon as it is there, with or
// without air slots. The link's own timer is never armed: the cell calls it when one of its air slots ends.
class CellLink : public CellSpec {
 public:
  static constexpr bool kWakesOnArrival = false;
  static constexpr bool kTakesChains = true;

  explicit CellLink(const Config&) noexcept {}
  // Requires: `member` is not null.
  void attach(CellMember* member, std::uint64_t rate) noexcept {
    DP_EXPECT(member != nullptr);
    member_ = member;
    member_->set_limit(rate);
  }
  CellMember* member() const noexcept { return member_; }

  template <class Deliver>
  Time serve(Time t, RlcBuffer& buffer, Context& context, Deliver&& deliver) noexcept {
    if (member_ == nullptr || !member_->entered()) return kNever;
    std::uint64_t carried = cell().collect(*member_);
    ServedRate& served = member_->served();
    if (carried != 0) served.count(static_cast<double>(carried) / kCellUnitsPerBit, t);
    if (left_ == 0) begin(t, buffer, context);
    while (left_ != 0 && carried >= left_) {
      carried -= left_;
      deliver(buffer.finish(t, context));
      begin(t, buffer, context);
    }
    if (left_ == 0) {
      served.end();
      cell().rest(*member_);
    } else {
      left_ -= carried;
      served.begin(t);
      cell().wake(*member_, buffer.head_is_short(), t, context);
    }
    show_rate(buffer);
    return kNever;
  }
  // Sets the buffer's rate to that at which air slots serve it.
  void show_rate(RlcBuffer& buffer) const noexcept {
    if (member_ == nullptr) return;
    buffer.set_rate(std::max(kLeastRate, std::min(member_->served().rate(), member_->limit())));
  }

  // Applies from the next air slot on.
  Time set_rate(std::uint64_t, const RlcBuffer& buffer, Time) noexcept {
    if (member_ != nullptr) member_->set_limit(buffer.rate());
    return kNever;
  }
  void resume(const RlcBuffer&, Time) noexcept {}
  // Notifies the cell.
  void postpone(Duration pause) noexcept {
    if (member_ != nullptr) member_->served().postpone(pause);
  }
  void recall(Context& context) noexcept {
    if (member_ != nullptr) member_->served().end();
    if (member_ != nullptr && member_->entered()) cell().void_slot(*member_, context);
  }
  void reset() noexcept { left_ = 0; }

 private:
  // In bit/s; keeps divisions by the buffer's rate valid.
  static constexpr std::uint64_t kLeastRate = 1'000;

  Cell& cell() noexcept { return *member_->cell(); }
  void begin(Time t, RlcBuffer& buffer, Context& context) noexcept {
    const Sdu* sdu = buffer.start(t, context);
    left_ = sdu == nullptr ? 0 : std::uint64_t{sdu->ip_len} * 8 * kCellUnitsPerBit;
  }

  CellMember* member_ = nullptr;
  std::uint64_t left_ = 0;  // the rest of the SDU in transmission, in 1 / kCellUnitsPerBit bit; 0: none
};

}  // namespace dp
