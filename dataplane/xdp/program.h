// XDP programs and their maps as the kernel knows them, and the error messages when the kernel refuses one.
// Tests: tests/system/test_wire.py
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/base/result.h"
#include "dataplane/xdp/descriptor.h"

namespace dp::xdp {

// The name of the wire's program.
inline constexpr const char* kWireProgram = "rncd_wire";

// True if an errno, or a negative one, stands for a missing permission.
bool forbids(int code);
Error failure(const std::string& what, int code);

// The program attached to an interface, by its id; 0: none.
std::uint32_t program_on(unsigned interface);
// Empty if there is no program of that id, or it must not be read.
std::string name_of(std::uint32_t program);
// Returns 0 on an error, which is in errno.
std::uint32_t id_of(const Descriptor& program);
// A second descriptor for one that libbpf owns; empty: an error, in errno.
Descriptor copy_of(int fd);

// True for a program that this or another rncd has attached to an interface.
bool is_wire_program(std::uint32_t program);
// True for the program that libxdp attaches to an interface for a forwarder that brings none of its own.
bool is_socket_program(std::uint32_t program);
// Takes a wire's program off an interface that a port of another kind is to have; without such a program
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
// Empty if there is no map of that name and shape.
Descriptor take(std::vector<NamedMap>& maps, std::string_view name, std::uint32_t value_size);

}  // namespace dp::xdp
