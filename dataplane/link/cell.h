// A downlink that shares the slots of a cell with other bearers: SDUs leave one after the other, each over as
// many slots as it takes, at the rate of each slot; several may end in one. An SDU is delivered when its last
// slot ends.
#pragma once
#include <cstdint>

#include "dataplane/base/expect.h"
#include "dataplane/link/cell_config.h"
#include "dataplane/link/link.h"
#include "dataplane/sched/cell.h"

namespace dp {

// Until it is attached to a cell nothing leaves. The first SDU is in transmission as soon as it is there,
// slots or not.
class CellLink : public CellSpec {
 public:
  static constexpr bool kWakesOnArrival = false;
  static constexpr bool kTakesChains = true;

  CellLink(const Config&, std::uint64_t rate) noexcept : rate_(rate) {}
  // Requires: it is attached to none.
  void attach(Cell& cell, Cell::Member& member) noexcept {
    DP_EXPECT(member_ == nullptr);
    DP_EXPECT(&member.cell() == &cell);
    member_ = &member;
    cell.set_limit(member, rate_);
  }

  template <class Deliver>
  Time serve(Time t, RlcBuffer& buffer, Context& context, Deliver&& deliver) noexcept {
    if (member_ == nullptr) return kNever;
    std::uint64_t carried = member_->collect(t);
    if (left_ == 0) begin(t, buffer, context);
    while (left_ != 0 && carried >= left_) {
      carried -= left_;
      deliver(buffer.finish(t, context));
      begin(t, buffer, context);
    }
    if (left_ == 0) {
      cell().rest(*member_);
    } else {
      left_ -= carried;
      cell().wake(*member_, t, context);
    }
    return member_->due();
  }

  // From the next slot on.
  Time set_rate(std::uint64_t rate, const RlcBuffer&, Time) noexcept {
    rate_ = rate;
    if (member_ == nullptr) return kNever;
    cell().set_limit(*member_, rate);
    return member_->due();
  }
  void postpone(Duration pause) noexcept {
    if (member_ != nullptr) cell().postpone(*member_, pause);
  }
  void recall(Context& context) noexcept {
    if (member_ != nullptr) cell().leave(*member_, context);
  }
  void reset() noexcept { left_ = 0; }

 private:
  Cell& cell() noexcept { return member_->cell(); }
  void begin(Time t, RlcBuffer& buffer, Context& context) noexcept {
    const Sdu* sdu = buffer.start(t, context);
    left_ = sdu == nullptr ? 0 : std::uint64_t{sdu->ip_len} * 8 * Cell::kUnitsPerBit;
  }

  Cell::Member* member_ = nullptr;
  std::uint64_t rate_;
  std::uint64_t left_ = 0;  // units of the SDU in transmission; 0: none
};

}  // namespace dp
