// The compiled XDP program of the wire (wire.bpf.c) and its maps: created, found on an interface, loaded for
// one. The programs of a wire's two interfaces share the maps, and the maps tell wires apart.
// Tests: tests/system/test_wire.py
#pragma once
#include <cstdint>
#include <optional>

#include "dataplane/base/result.h"
#include "dataplane/xdp/descriptor.h"

namespace dp::xdp {

struct WireMaps {
  Descriptor settings, order, beats, sockets, ports, counts, state, ues4, ues6, peers4, peers6;
};

Result<WireMaps> make_wire_maps();

// The maps of a program; none if it is not the wire's, or has another layout (wire_layout.h). Fails if it
// must not be read.
Result<std::optional<WireMaps>> wire_maps_of(std::uint32_t program);

// The kernel's number of the map of a wire's settings, which tells it from other wires; 0: an error, in
// errno.
std::uint32_t wire_id_of(const WireMaps& maps);
// The number by the id of a program; 0: the program is no wire's.
std::uint32_t wire_id_of(std::uint32_t program);

// Loads the program for an interface. If the driver lets it read VLAN tags (vlan_tags.h), it is bound to that
// interface alone.
Result<Descriptor> load_wire_program(const WireMaps& maps, unsigned interface);

}  // namespace dp::xdp
