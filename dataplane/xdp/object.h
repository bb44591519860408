// The XDP program of the wire (wire.bpf.c), compiled: an ELF file in memory.
// Tests: tests/system/test_wire.py
#pragma once
#include <span>

namespace dp::xdp {

// reads_tags: the program that puts VLAN tags back, which Linux 6.8 and later accept.
std::span<const unsigned char> wire_object(bool reads_tags);

}  // namespace dp::xdp
