// The cost of AckedIo's ports by themselves: each frame from one leaves by the other at once. Plain: no rte_
// names.
#pragma once
#include "dataplane/packet/burst.h"
#include "tools/bench/dpdk/acked_io.h"
#include "tools/bench/dpdk/subject.h"

namespace dp::yardstick {

class AckedPorts final : public Subject {
 public:
  explicit AckedPorts(const Traffic& traffic) : io_(traffic, false) { io_.open(true); }

  std::size_t step() noexcept override {
    const std::uint64_t before = io_.counted();
    for (const Side side : kSides) {
      Burst burst;
      io_.receive(side, burst, Time{});
      io_.transmit(opposite(side), burst.sdus());
    }
    return io_.counted() - before;
  }

  Tally tally() const noexcept override { return {.received = io_.received(), .sent = io_.sent()}; }

 private:
  AckedIo io_;
};

}  // namespace dp::yardstick
