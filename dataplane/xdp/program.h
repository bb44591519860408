// XDP programs and their maps as the kernel knows them, and what is said when it refuses.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/base/result.h"
#include "dataplane/xdp/descriptor.h"

namespace dp::xdp {

// The name of the wire's.
inline constexpr const char* kWireProgram = "rncd_wire";

// Of an errno, or a negative one. forbids: a permission is missing.
bool forbids(int code);
Error failure(const std::string& what, int code);

// The program attached to an interface, by its id; 0: none.
std::uint32_t program_on(unsigned interface);
// Empty when there is none of that id, or it may not be looked at.
std::string name_of(std::uint32_t program);
// 0: an error, in errno.
std::uint32_t id_of(const Descriptor& program);
// A second descriptor for what libbpf owns; empty: an error, in errno.
Descriptor copy_of(int fd);

// True for a program that this or another rncd has put on an interface.
bool is_wire_program(std::uint32_t program);
// True for what libxdp puts on an interface for a forwarder that brings none of its own.
bool is_socket_program(std::uint32_t program);
// Takes a wire's program off an interface that a port of another kind is to have; where there is none,
// nothing happens.
Status take_wire_off(const std::string& interface);

// The maps of a program, by name.
struct NamedMap {
  std::string name;
  std::uint32_t id = 0;
  std::uint32_t value_size = 0;
  Descriptor map;
};

std::vector<NamedMap> maps_of(const Descriptor& program);
// Empty when there is none of that name and shape.
Descriptor take(std::vector<NamedMap>& maps, std::string_view name, std::uint32_t value_size);

}  // namespace dp::xdp
