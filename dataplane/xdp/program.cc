#include "dataplane/xdp/program.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fcntl.h>
#include <linux/if_link.h>

#include "dataplane/xdp/interface.h"

namespace dp::xdp {
namespace {

std::string reason(int code) { return std::strerror(code < 0 ? -code : code); }

std::optional<bpf_prog_info> info_of(const Descriptor& program) {
  bpf_prog_info info{};
  std::uint32_t size = sizeof(info);
  if (!program || bpf_obj_get_info_by_fd(program.get(), &info, &size) != 0) return std::nullopt;
  return info;
}

}  // namespace

bool forbids(int code) { return code == EPERM || code == -EPERM || code == EACCES || code == -EACCES; }

Error failure(const std::string& what, int code) {
  if (forbids(code)) {
    return {what + ": " + reason(code) +
                "; run as root, or with CAP_NET_ADMIN, CAP_NET_RAW, CAP_BPF and CAP_SYS_ADMIN",
            5};
  }
  return {what + ": " + reason(code), 4};
}

std::string name_of(std::uint32_t program) {
  const auto info = info_of(Descriptor(bpf_prog_get_fd_by_id(program)));
  return info ? std::string(info->name, ::strnlen(info->name, sizeof(info->name))) : std::string{};
}

std::uint32_t id_of(const Descriptor& program) {
  const auto info = info_of(program);
  return info ? info->id : 0;
}

Descriptor copy_of(int fd) { return Descriptor(fd < 0 ? -1 : ::fcntl(fd, F_DUPFD_CLOEXEC, 0)); }

std::uint32_t program_on(unsigned interface) {
  std::uint32_t program = 0;
  return bpf_xdp_query_id(static_cast<int>(interface), 0, &program) == 0 ? program : 0;
}

bool is_wire_program(std::uint32_t program) { return program != 0 && name_of(program) == kWireProgram; }

bool is_socket_program(std::uint32_t program) {
  return program != 0 && name_of(program).starts_with("xsk_def_prog");
}

Status take_wire_off(const std::string& interface) {
  const unsigned number = index_of(interface);
  const std::uint32_t found = number == 0 ? 0 : program_on(number);
  if (!is_wire_program(found)) return ok();
  const Descriptor program(bpf_prog_get_fd_by_id(found));
  LIBBPF_OPTS(bpf_xdp_attach_opts, options, .old_prog_fd = program.get());
  const int rc = bpf_xdp_detach(static_cast<int>(number), 0, &options);
  return rc == 0 ? ok() : failure("the wire's XDP program cannot be taken off " + interface, rc);
}

std::vector<NamedMap> maps_of(const Descriptor& program) {
  std::array<std::uint32_t, 32> ids{};
  bpf_prog_info info{};
  info.nr_map_ids = ids.size();
  info.map_ids = reinterpret_cast<std::uintptr_t>(ids.data());
  std::uint32_t size = sizeof(info);
  std::vector<NamedMap> found;
  if (bpf_obj_get_info_by_fd(program.get(), &info, &size) != 0) return found;
  for (std::uint32_t i = 0; i < std::min<std::uint32_t>(info.nr_map_ids, ids.size()); ++i) {
    NamedMap map{{}, ids[i], 0, Descriptor(bpf_map_get_fd_by_id(ids[i]))};
    bpf_map_info about{};
    size = sizeof(about);
    if (!map.map || bpf_obj_get_info_by_fd(map.map.get(), &about, &size) != 0) continue;
    map.name.assign(about.name, ::strnlen(about.name, sizeof(about.name)));
    map.value_size = about.value_size;
    found.push_back(std::move(map));
  }
  return found;
}

Descriptor take(std::vector<NamedMap>& maps, std::string_view name, std::uint32_t value_size) {
  const auto it =
      std::find_if(maps.begin(), maps.end(), [&](const NamedMap& map) { return map.name == name; });
  return it == maps.end() || it->value_size != value_size ? Descriptor{} : std::move(it->map);
}

}  // namespace dp::xdp
