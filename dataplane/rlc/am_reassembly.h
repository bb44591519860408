// Reassembly of RLC AM: reassembles the PDUs of one direction, in sequence, into SDUs in the host's memory.
// Owned by the receiver.
// Tests: tests/unit/rlc/am_receiver_test.cc
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "dataplane/base/expect.h"
#include "dataplane/rlc/am_host.h"
#include "dataplane/rlc/am_pdu.h"

namespace dp {

class AmReassembly {
 public:
  explicit AmReassembly(AmHost& host) : host_(host) {}

  // Takes the next PDU. `first_sdu` is the number of the SDU of its first octet of data.
  void take(const AmdPdu& pdu, std::uint32_t first_sdu) noexcept;
  // Takes the next PDU, whose data is a piece of one SDU (AmdPiece).
  void take(Bytes piece, std::uint32_t sdu) noexcept {
    skip_lis_ = 0;
    append(sdu, piece);
  }
  // Memory for the next pieces of the current SDU; empty if there is none, or it is dropped. The caller
  // writes the octets there and reports their number.
  std::span<std::byte> space() const noexcept {
    return open_ ? memory_.subspan(length_) : std::span<std::byte>{};
  }
  void came(std::size_t octets) noexcept {
    DP_EXPECT_HOT(octets <= space().size() && skip_lis_ == 0);  // skipped segments precede an SDU's start
    length_ += octets;
  }
  // The next PDU is no continuation, and its segments up to LI number `lis` are dropped.
  void cut(unsigned lis) noexcept;

 private:
  void append(std::uint32_t ordinal, Bytes segment) noexcept {
    if (!open_) begin(ordinal);
    if (memory_.size() - length_ < segment.size()) outgrow();
    if (memory_.empty()) return;
    copy_octets(memory_.data() + length_, segment.data(), segment.size());
    length_ += segment.size();
  }
  void begin(std::uint32_t ordinal) noexcept;
  void outgrow() noexcept;
  void end(std::size_t padding) noexcept;

  AmHost& host_;
  std::span<std::byte> memory_;  // empty: the SDU's bytes are dropped
  std::size_t length_ = 0;
  std::uint32_t ordinal_ = 0;
  bool open_ = false;  // an SDU is incomplete
  std::uint8_t skip_lis_ = 0;
};

}  // namespace dp
