// The XDP program of the wire (wire.bpf.c), compiled: an ELF file in memory.
#pragma once
#include <span>

namespace dp::xdp {

std::span<const unsigned char> wire_object();

}  // namespace dp::xdp
