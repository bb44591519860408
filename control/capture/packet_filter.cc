#include "control/capture/packet_filter.h"

#include <utility>

#include <fmt/core.h>
#include <pcap/bpf.h>

namespace control {
namespace {

const bpf_insn* as_libpcap_has_it(const std::vector<PacketFilter::Instruction>& program) {
  static_assert(sizeof(PacketFilter::Instruction) == sizeof(bpf_insn));
  return reinterpret_cast<const bpf_insn*>(program.data());
}

// libpcap takes jumps back, by an operand that wraps: such a program need not end.
bool jumps_forward(const std::vector<PacketFilter::Instruction>& program) {
  for (std::size_t i = 0; i < program.size(); ++i) {
    const bool is_jump = program[i].code == (BPF_JMP | BPF_JA);
    if (is_jump && program[i].operand >= program.size() - i - 1) return false;
  }
  return true;
}

}  // namespace

dp::Result<PacketFilter> PacketFilter::of(std::vector<Instruction> program) {
  if (program.empty() || program.size() > kMostInstructions) {
    return dp::Error{fmt::format("found {} instructions, expected 1 to {}; write a shorter expression",
                                 program.size(), kMostInstructions)};
  }
  const bool valid = bpf_validate(as_libpcap_has_it(program), static_cast<int>(program.size())) != 0;
  if (!valid || !jumps_forward(program)) {
    return dp::Error{
        "found no valid program, expected one of the classic packet filter as `tcpdump -dd` prints it"};
  }
  PacketFilter filter;
  filter.program_ = std::move(program);
  return filter;
}

bool PacketFilter::takes(dp::Bytes bytes, std::uint32_t length) const {
  if (program_.empty()) return true;
  const auto* const data = reinterpret_cast<const u_char*>(bytes.data());
  return bpf_filter(as_libpcap_has_it(program_), data, length, static_cast<u_int>(bytes.size())) != 0;
}

}  // namespace control
