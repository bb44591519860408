#include "dataplane/xdp/wire.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <sys/mman.h>

#include "dataplane/base/expect.h"
#include "dataplane/xdp/interface.h"
#include "dataplane/xdp/program.h"

namespace dp::xdp {
namespace {

constexpr std::size_t kBeatsBytes = WIRE_WORKERS * sizeof(WireHeartbeat);
static_assert(sizeof(WireHeartbeat) == sizeof(wire_heartbeat) &&
              offsetof(WireHeartbeat, beat) == offsetof(wire_heartbeat, beat) &&
              offsetof(WireHeartbeat, at_risk) == offsetof(wire_heartbeat, at_risk));

std::uint32_t socket_key(Side side, unsigned queue) {
  return static_cast<std::uint32_t>(index(side)) * WIRE_QUEUES + queue;
}

}  // namespace

Wire::Wire(std::array<std::string, 2> interfaces, const WireConfig& config)
    : interfaces_(std::move(interfaces)), config_(config) {
  DP_EXPECT(!interfaces_[0].empty() || !interfaces_[1].empty());
}

Wire::~Wire() {
  let_go();
  if (beats_ != nullptr) ::munmap(beats_, kBeatsBytes);
}

void Wire::let_go() {
  if (owns_ && (!has_both() || !kept_)) (void)remove();
}

Status Wire::attach(Side side) {
  DP_EXPECT(!interfaces_[index(side)].empty());
  const unsigned here = index_of(interfaces_[index(side)]);
  const unsigned across = index_of(interfaces_[index(opposite(side))]);
  if (!is_there()) {
    for (const unsigned interface : {here, across}) {
      const std::uint32_t program = interface == 0 ? 0 : program_on(interface);
      if (program == 0 || is_there()) continue;
      if (auto taken = take_over(program); !taken) return taken.error();
    }
    if (is_there()) inherit_risk();
  }
  if (!is_there()) {
    auto maps = make_wire_maps();
    if (!maps) return maps.error();
    if (auto settled = settle(std::move(*maps)); !settled) return settled;
  }
  {
    const std::lock_guard lock(changing_);
    if (!std::exchange(owns_, true)) settings_.shortcut = WIRE_NOTHING;
    for (const Side each : kSides) settings_.interface[index(each)] = index_of(interfaces_[index(each)]);
    if (auto written = write_settings(); !written) return written;
  }
  return put_on(side);
}

// The settings and the map of interfaces are written before a frame can come. write_settings() and the next
// function require: nobody else changes them.
Status Wire::write_settings() {
  settings_.layout = RNCD_WIRE_LAYOUT;
  settings_.closed = config_.on_failure == OnFailure::closed ? 1 : 0;
  settings_.together = config_.failure_scope == FailureScope::wire ? 1 : 0;
  settings_.stale_ns = static_cast<unsigned long long>(config_.stale_after.count());
  if (auto put = put_settings(); !put) return put;
  for (const Side side : kSides) {
    const auto key = static_cast<std::uint32_t>(index(side));
    const std::uint32_t interface = settings_.interface[index(side)];
    if (interface == 0) continue;
    if (const int rc = bpf_map_update_elem(maps_.ports.get(), &key, &interface, BPF_ANY); rc != 0) {
      return failure("the wire's XDP program cannot send to " + interfaces_[index(side)] +
                         " (a driver without ndo_xdp_xmit?)",
                     rc);
    }
  }
  return ok();
}

Status Wire::put_settings() {
  const std::uint32_t zero = 0;
  const int rc = bpf_map_update_elem(maps_.settings.get(), &zero, &settings_, BPF_ANY);
  return rc == 0 ? ok() : failure("the settings of the wire's XDP program", rc);
}

// False: the program is not ours, or has another layout.
Result<bool> Wire::take_over(std::uint32_t program) {
  auto maps = wire_maps_of(program);
  if (!maps) return maps.error();
  if (!*maps) return false;
  if (auto settled = settle(std::move(**maps)); !settled) return settled.error();
  kept_ = true;
  return true;
}

// Takes the maps, and reads their contents.
Status Wire::settle(WireMaps maps) {
  const std::uint32_t zero = 0, id = wire_id_of(maps);
  if (id == 0) return failure("the settings of the wire's XDP program", errno);
  if (const int rc = bpf_map_lookup_elem(maps.settings.get(), &zero, &settings_); rc != 0)
    return failure("the settings of the wire's XDP program", rc);
  void* const memory = ::mmap(nullptr, kBeatsBytes, PROT_READ | PROT_WRITE, MAP_SHARED, maps.beats.get(), 0);
  if (memory == MAP_FAILED) return failure("the heartbeats of the wire's XDP program", errno);
  beats_ = static_cast<WireHeartbeat*>(memory);
  Descriptor ues4 = copy_of(maps.ues4.get()), ues6 = copy_of(maps.ues6.get());
  Descriptor peers4 = copy_of(maps.peers4.get()), peers6 = copy_of(maps.peers6.get());
  if (!ues4 || !ues6 || !peers4 || !peers6) return failure("the tries of the wire's XDP program", errno);
  peers_.emplace(std::move(peers4), std::move(peers6), "the tunnel endpoints of the wire's XDP program");
  shortcut_ = std::make_unique<KernelShortcut>(
      PrefixTries(std::move(ues4), std::move(ues6), "the UEs of the wire's XDP program"),
      [this](Shortcut which) { return take_shortcut(which); });
  maps_ = std::move(maps);
  id_ = id;
  return ok();
}

// Reads the octets at risk of workers that are gone: no rncd runs here when another attaches. They are
// reported once, so that the start after this one does not report them again.
void Wire::inherit_risk() {
  for (unsigned worker = 0; worker < WIRE_WORKERS; ++worker) {
    inherited_risk_ += std::exchange(beats_[worker].at_risk, 0);
  }
}

// Keeps the program that is there if it has the maps of this wire.
Status Wire::put_on(Side side) {
  const std::string& name = interfaces_[index(side)];
  const unsigned interface = settings_.interface[index(side)];
  if (interface == 0) return Error{"there is no interface '" + name + "' in this network namespace", 4};
  const std::uint32_t found = program_on(interface);
  if (found == 0 || wire_id_of(found) != id_) {
    if (auto put = load_on(side, found); !put) return put;
  } else if (found != ids_[index(side)]) {
    programs_[index(side)] = Descriptor(bpf_prog_get_fd_by_id(found));
    ids_[index(side)] = found;
  }
  return take_every_frame(side);
}

// Replaces the program that was found a moment ago, and none that came since.
Status Wire::load_on(Side side, std::uint32_t found) {
  const std::string& name = interfaces_[index(side)];
  const unsigned interface = settings_.interface[index(side)];
  LIBBPF_OPTS(bpf_xdp_attach_opts, options);
  std::uint32_t flags = XDP_FLAGS_UPDATE_IF_NOEXIST;
  const Descriptor old(found == 0 ? -1 : bpf_prog_get_fd_by_id(found));
  if (found != 0) {
    if (!is_wire_program(found) && !is_socket_program(found)) {
      return Error{
          "the interface " + name + " carries the XDP program " + std::to_string(found) +
              " of someone else, who may live by it; stop the process that has it open ('bpftool prog show "
              "id " +
              std::to_string(found) + "' tells which), or name another interface",
          4};
    }
    options.old_prog_fd = old.get();
    flags = XDP_FLAGS_REPLACE;
  }
  auto program = load_wire_program(maps_, interface);
  if (!program) return program.error();
  const int rc = bpf_xdp_attach(static_cast<int>(interface), program->get(), flags, &options);
  if (rc != 0) return failure("the wire's XDP program cannot be put on the interface " + name, rc);
  ids_[index(side)] = id_of(*program);
  programs_[index(side)] = std::move(*program);
  return ok();
}

// Sets the flag that a user would set, since a request of a process does not outlive it.
Status Wire::take_every_frame(Side side) {
  const unsigned bit = 1u << index(side);
  if (!has_both() || is_promiscuous(interfaces_[index(side)])) return ok();
  if (const int why = set_promiscuous(interfaces_[index(side)], true); why != 0)
    return failure("the interface " + interfaces_[index(side)] + " does not take every frame", why);
  const std::lock_guard lock(changing_);
  settings_.promiscuous |= bit;
  return write_settings();
}

Status Wire::expect(unsigned workers, bool apart) {
  DP_EXPECT(is_there() && workers > 0 && workers <= WIRE_WORKERS);
  const std::lock_guard lock(changing_);
  settings_.workers = workers;
  if (!apart) config_.failure_scope = FailureScope::wire;
  return write_settings();
}

WireHeartbeat* Wire::heartbeat(unsigned worker) {
  DP_EXPECT(worker < WIRE_WORKERS);
  return beats_ == nullptr ? nullptr : &beats_[worker];
}

Status Wire::assign(Side side, unsigned queue, unsigned worker) {
  DP_EXPECT(is_there() && queue < WIRE_QUEUES && worker < WIRE_WORKERS);
  const std::lock_guard lock(changing_);
  settings_.worker[index(side)][queue] = static_cast<unsigned char>(worker);
  return write_settings();
}

Status Wire::give(Side side, unsigned queue, int socket) {
  DP_EXPECT(is_there() && queue < WIRE_QUEUES);
  const std::uint32_t key = socket_key(side, queue);
  const int rc = bpf_map_update_elem(maps_.sockets.get(), &key, &socket, BPF_ANY);
  if (rc == 0) return ok();
  return failure("queue " + std::to_string(queue) + " of " + interfaces_[index(side)] +
                     " cannot be handed to its socket",
                 rc);
}

void Wire::take_back(Side side, unsigned queue) {
  if (!is_there()) return;
  const std::uint32_t key = socket_key(side, queue);
  bpf_map_delete_elem(maps_.sockets.get(), &key);
}

Status Wire::order(WireWay way) {
  DP_EXPECT(is_there());
  const std::uint32_t zero = 0, mode = static_cast<std::uint32_t>(way);
  const int rc = bpf_map_update_elem(maps_.order.get(), &zero, &mode, BPF_ANY);
  return rc == 0 ? ok() : failure("the order to the wire's XDP program", rc);
}

Result<std::unique_ptr<Wire>> Wire::find(std::array<std::string, 2> interfaces) {
  auto wire = std::make_unique<Wire>(std::move(interfaces), WireConfig{});
  for (const std::string& name : wire->interfaces_) {
    const unsigned interface = index_of(name);
    if (interface == 0) return Error{"there is no interface '" + name + "' in this network namespace", 4};
    const std::uint32_t program = program_on(interface);
    if (program == 0 || wire->is_there()) continue;
    if (auto taken = wire->take_over(program); !taken) return taken.error();
  }
  if (wire->is_there()) return wire;
  return Error{"neither " + wire->interfaces_[0] + " nor " + wire->interfaces_[1] +
                   " has the XDP program of an rncd's wire",
               4};
}

Result<std::vector<std::unique_ptr<Wire>>> Wire::find_all() {
  std::vector<std::unique_ptr<Wire>> found;
  struct if_nameindex* const all = ::if_nameindex();
  std::optional<Error> why;
  for (auto* one = all; one != nullptr && one->if_index != 0 && !why; ++one) {
    const std::uint32_t program = program_on(one->if_index);
    const std::uint32_t id = program == 0 ? 0 : wire_id_of(program);
    const auto same = [&](const auto& wire) { return wire->id_ == id; };
    if (id == 0 || std::any_of(found.begin(), found.end(), same)) continue;
    auto wire = std::make_unique<Wire>(std::array<std::string, 2>{one->if_name, ""}, WireConfig{});
    if (auto taken = wire->take_over(program); !taken) {
      why = taken.error();
    } else if (*taken) {
      wire->read_names();
      found.push_back(std::move(wire));
    }
  }
  if (all != nullptr) ::if_freenameindex(all);
  if (why) return *why;
  return found;
}

// Looks up the names of the interfaces that the settings give by index.
void Wire::read_names() {
  for (const Side side : kSides) {
    std::array<char, IF_NAMESIZE> name{};
    const unsigned interface = settings_.interface[index(side)];
    interfaces_[index(side)] =
        interface != 0 && ::if_indextoname(interface, name.data()) != nullptr ? name.data() : "";
  }
}

Status Wire::remove() {
  for (const Side side : kSides) {
    const std::string& name = interfaces_[index(side)];
    const unsigned interface = index_of(name);
    const std::uint32_t program = interface == 0 ? 0 : program_on(interface);
    if (program == 0 || wire_id_of(program) != id_) continue;
    if (auto taken = take_wire_off(name); !taken) return taken;
    if ((settings_.promiscuous & (1u << index(side))) != 0) set_promiscuous(name, false);
  }
  return ok();
}

}  // namespace dp::xdp
