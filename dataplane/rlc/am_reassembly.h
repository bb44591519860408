// Reassembly of RLC AM: turns the PDUs of one direction, given in sequence, into SDUs in the memory that the
// host supplies. Owned by the receiver.
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

  // The next PDU. `first_sdu` numbers the SDU that its first octet of data belongs to.
  void take(const AmdPdu& pdu, std::uint32_t first_sdu) noexcept;
  // The same of one whose data is a piece of one SDU (AmdPiece).
  void take(Bytes piece, std::uint32_t sdu) noexcept {
    skip_lis_ = 0;
    append(sdu, piece);
  }
  // Where the next pieces of the SDU that has begun go; empty when none has, or it is dropped. Whoever writes
  // them there says how many octets came.
  std::span<std::byte> room() const noexcept {
    return open_ ? memory_.subspan(length_) : std::span<std::byte>{};
  }
  void came(std::size_t octets) noexcept {
    DP_EXPECT_HOT(octets <= room().size() && skip_lis_ == 0);  // what is skipped stands before an SDU begins
    length_ += octets;
  }
  // What comes next is no continuation, and of the next PDU the segments up to LI number `lis` are dropped.
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
  bool open_ = false;  // an SDU has begun and not ended
  std::uint8_t skip_lis_ = 0;
};

}  // namespace dp
