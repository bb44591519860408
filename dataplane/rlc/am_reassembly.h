// Reassembly of RLC AM: turns the PDUs of one direction, given in sequence, into SDUs in the memory that the
// host supplies. Owned by the receiver.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "dataplane/rlc/am_host.h"
#include "dataplane/rlc/am_pdu.h"

namespace dp {

class AmReassembly {
 public:
  explicit AmReassembly(AmHost& host) : host_(host) {}

  // The next PDU. `first_sdu` numbers the SDU that its first octet of data belongs to.
  void take(const AmdPdu& pdu, std::uint32_t first_sdu) noexcept;
  // What comes next is no continuation, and of the next PDU the segments up to LI number `lis` are dropped.
  void cut(unsigned lis) noexcept;

 private:
  void append(std::uint32_t ordinal, Bytes segment) noexcept;
  void end(std::size_t padding) noexcept;

  AmHost& host_;
  std::span<std::byte> memory_;  // empty: the SDU's bytes are dropped
  std::size_t length_ = 0;
  std::uint32_t ordinal_ = 0;
  bool open_ = false;  // an SDU has begun and not ended
  std::uint8_t skip_lis_ = 0;
};

}  // namespace dp
