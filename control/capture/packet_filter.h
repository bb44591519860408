// A filter of captured frames: a program of the classic Berkeley packet filter, as libpcap and `tcpdump -dd`
// make them from an expression. Its jumps lead forward only, so it ends, whatever the frame.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "dataplane/base/result.h"
#include "dataplane/packet/bytes.h"

namespace control {

class PacketFilter {
 public:
  // The work that one frame may cost.
  static constexpr std::size_t kMostInstructions = 512;

  struct Instruction {
    std::uint16_t code;
    std::uint8_t if_true, if_false;  // instructions to skip
    std::uint32_t operand;
  };

  PacketFilter() = default;  // takes all frames
  // An error if it is no such program.
  static dp::Result<PacketFilter> of(std::vector<Instruction> program);

  // `length`: of the frame, of which `bytes` are the first. A program that looks behind these takes none.
  bool takes(dp::Bytes bytes, std::uint32_t length) const;

 private:
  std::vector<Instruction> program_;
};

}  // namespace control
