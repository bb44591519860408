#include "dataplane/xdp/wire_program.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>

#include "dataplane/xdp/object.h"
#include "dataplane/xdp/program.h"
#include "dataplane/xdp/vlan_tags.h"
#include "dataplane/xdp/wire_layout.h"

namespace dp::xdp {
namespace {

// BPF_F_XDP_DEV_BOUND_ONLY (Linux 6.3): the program belongs to one interface, whose driver runs it.
constexpr std::uint32_t kBoundToDevice = 1u << 6;

struct MapEntry {
  const char* name;
  Descriptor WireMaps::*map;
  std::uint32_t value_size;
};
constexpr const char* kSettings = "rncd_settings";
constexpr std::array<MapEntry, 11> kMaps{{{kSettings, &WireMaps::settings, sizeof(wire_settings)},
                                          {"rncd_order", &WireMaps::order, sizeof(std::uint32_t)},
                                          {"rncd_beats", &WireMaps::beats, sizeof(wire_heartbeat)},
                                          {"rncd_sockets", &WireMaps::sockets, sizeof(std::uint32_t)},
                                          {"rncd_ports", &WireMaps::ports, sizeof(std::uint32_t)},
                                          {"rncd_counts", &WireMaps::counts, sizeof(wire_counts)},
                                          {"rncd_state", &WireMaps::state, sizeof(wire_state)},
                                          {"rncd_ues4", &WireMaps::ues4, sizeof(std::uint8_t)},
                                          {"rncd_ues6", &WireMaps::ues6, sizeof(std::uint8_t)},
                                          {"rncd_peers4", &WireMaps::peers4, sizeof(std::uint8_t)},
                                          {"rncd_peers6", &WireMaps::peers6, sizeof(std::uint8_t)}}};

// An opened ELF file; closed with its owner.
class Object {
 public:
  explicit Object(bool reads_tags) {
    const auto bytes = wire_object(reads_tags);
    LIBBPF_OPTS(bpf_object_open_opts, options, .object_name = kWireProgram);
    object_ = bpf_object__open_mem(bytes.data(), bytes.size(), &options);
  }
  ~Object() { bpf_object__close(object_); }
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  bpf_object* get() const { return object_; }
  bpf_program* program() const { return bpf_object__find_program_by_name(object_, kWireProgram); }
  bpf_map* map(const char* name) const { return bpf_object__find_map_by_name(object_, name); }

 private:
  bpf_object* object_ = nullptr;
};

Error unread() { return failure("the wire's XDP program cannot be read", errno); }
Error untaken(int code) {
  return failure("the kernel does not take the wire's XDP program (it needs Linux 5.17 or later, with BTF)",
                 code);
}

}  // namespace

Result<WireMaps> make_wire_maps() {
  const Object object(false);
  if (object.get() == nullptr) return unread();
  bpf_program__set_autoload(object.program(), false);
  if (const int rc = bpf_object__load(object.get()); rc != 0) return untaken(rc);
  WireMaps made;
  for (const MapEntry& entry : kMaps) {
    made.*entry.map = copy_of(bpf_map__fd(object.map(entry.name)));
    if (!(made.*entry.map)) return failure("the maps of the wire's XDP program", errno);
  }
  return made;
}

Result<std::optional<WireMaps>> wire_maps_of(std::uint32_t program) {
  const Descriptor fd(bpf_prog_get_fd_by_id(program));
  if (!fd) {
    if (!forbids(errno)) return std::optional<WireMaps>();
    return failure("the XDP program " + std::to_string(program) + " cannot be looked at", errno);
  }
  if (name_of(program) != kWireProgram) return std::optional<WireMaps>();
  auto found = maps_of(fd);
  std::optional<WireMaps> maps(std::in_place);
  for (const MapEntry& entry : kMaps) {
    (*maps).*entry.map = take(found, entry.name, entry.value_size);
    if (!((*maps).*entry.map)) return std::optional<WireMaps>();
  }
  wire_settings settings{};
  const std::uint32_t zero = 0;
  if (bpf_map_lookup_elem(maps->settings.get(), &zero, &settings) != 0 || settings.layout != RNCD_WIRE_LAYOUT)
    maps.reset();
  return maps;
}

std::uint32_t wire_id_of(const WireMaps& maps) {
  bpf_map_info info{};
  std::uint32_t size = sizeof(info);
  return bpf_obj_get_info_by_fd(maps.settings.get(), &info, &size) == 0 ? info.id : 0;
}

std::uint32_t wire_id_of(std::uint32_t program) {
  if (!is_wire_program(program)) return 0;
  const auto maps = maps_of(Descriptor(bpf_prog_get_fd_by_id(program)));
  const auto it =
      std::find_if(maps.begin(), maps.end(), [](const NamedMap& map) { return map.name == kSettings; });
  return it == maps.end() ? 0 : it->id;
}

Result<Descriptor> load_wire_program(const WireMaps& maps, unsigned interface) {
  const bool reads_tags = gives_vlan_tags(interface);
  const Object object(reads_tags);
  if (object.get() == nullptr) return unread();
  for (const MapEntry& entry : kMaps) {
    if (const int rc = bpf_map__reuse_fd(object.map(entry.name), (maps.*entry.map).get()); rc != 0)
      return failure("the maps of the wire's XDP program", rc);
  }
  if (reads_tags) {
    bpf_program__set_ifindex(object.program(), interface);
    bpf_program__set_flags(object.program(), kBoundToDevice);
  }
  if (const int rc = bpf_object__load(object.get()); rc != 0) return untaken(rc);
  Descriptor program = copy_of(bpf_program__fd(object.program()));
  if (!program) return failure("the wire's XDP program", errno);
  return program;
}

}  // namespace dp::xdp
