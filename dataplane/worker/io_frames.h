// The worker's Io as a source of frames (FrameSource): sizes and offsets of the Sdu follow what it does to
// the bytes. Refers to the Io, which outlives it.
// Tests: tests/contract/kept_contract_test.cc
#pragma once
#include <cstdint>

#include "dataplane/base/expect.h"
#include "dataplane/packet/context.h"
#include "dataplane/worker/io.h"

namespace dp {

template <PacketIo Io>
class IoFrames final : public FrameSource {
 public:
  explicit IoFrames(Io& io) : io_(io) {}
  Sdu* allocate(std::uint32_t bytes) noexcept override { return io_.allocate(bytes); }
  bool keep(Sdu& sdu) noexcept override { return io_.keep(sdu); }
  bool sole(const Sdu& sdu) const noexcept override { return io_.sole(sdu); }
  void let_go(Sdu& sdu) noexcept override { io_.let_go(sdu); }
  void shorten(Sdu& sdu, std::uint32_t bytes) noexcept override {
    DP_EXPECT(sdu.segments == 1 && bytes <= sdu.head_len);
    io_.shorten(sdu, bytes);
    sdu.frame_len = sdu.head_len = bytes;
  }
  void cut_front(Sdu& sdu, std::uint32_t bytes) noexcept override {
    DP_EXPECT(bytes <= sdu.l3_offset);
    io_.cut_front(sdu, bytes);
    sdu.data += bytes;
    sdu.frame_len -= bytes;
    sdu.head_len -= bytes;
    sdu.l3_offset = static_cast<std::uint8_t>(sdu.l3_offset - bytes);
    if (sdu.l4_offset != 0) sdu.l4_offset = static_cast<std::uint16_t>(sdu.l4_offset - bytes);
  }
  Sdu* copy(const Sdu& sdu) noexcept override { return io_.copy(sdu); }

 private:
  Io& io_;
};

}  // namespace dp
