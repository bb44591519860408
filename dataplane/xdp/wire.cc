#include "dataplane/xdp/wire.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fcntl.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <sys/mman.h>
#include <time.h>

#include "dataplane/base/expect.h"
#include "dataplane/xdp/interface.h"
#include "dataplane/xdp/object.h"
#include "dataplane/xdp/program.h"

namespace dp::xdp {
namespace {

constexpr std::size_t kBeatsBytes = WIRE_WORKERS * sizeof(WireHeartbeat);
static_assert(WIRE_FATES == kWireFateNames.size() && WIRE_TO_WORKER == 0 && WIRE_BYPASSED == 1 &&
              WIRE_SHORTCUT == 3);
static_assert(WIRE_SHORTCUTS == kShortcutNames.size() && WIRE_NOTHING == 0 && WIRE_STRANGERS == 2);
static_assert(WIRE_MODES == kWireWayNames.size() && WIRE_NORMAL == 0 && WIRE_BYPASS == 1);
static_assert(sizeof(WireHeartbeat) == sizeof(wire_heartbeat) &&
              offsetof(WireHeartbeat, beat) == offsetof(wire_heartbeat, beat) &&
              offsetof(WireHeartbeat, at_risk) == offsetof(wire_heartbeat, at_risk));

std::uint64_t monotonic_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

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
  if (program_id_ == 0) {
    for (const unsigned interface : {here, across}) {
      const std::uint32_t program = interface == 0 ? 0 : program_on(interface);
      if (program == 0 || program_id_ != 0) continue;
      if (auto taken = take_over(program); !taken) return taken.error();
    }
    if (program_id_ != 0) inherit_risk();
  }
  if (program_id_ == 0) {
    if (auto loaded = load(); !loaded) return loaded;
  }
  {
    const std::lock_guard lock(changing_);
    if (!std::exchange(owns_, true)) settings_.shortcut = WIRE_NOTHING;
    for (const Side each : kSides) settings_.interface[index(each)] = index_of(interfaces_[index(each)]);
    if (auto written = write_settings(); !written) return written;
  }
  return put_on(side);
}

// The settings and the way across stand before a frame can come. Requires of this and the next: nobody else
// changes them.
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

// False: it is not ours, or of another layout.
Result<bool> Wire::take_over(std::uint32_t program) {
  Descriptor fd(bpf_prog_get_fd_by_id(program));
  if (!fd) {
    if (!forbids(errno)) return false;
    return failure("the XDP program " + std::to_string(program) + " cannot be looked at", errno);
  }
  if (name_of(program) != kWireProgram) return false;
  auto found = maps_of(fd);
  Maps maps{
      take(found, "rncd_settings", sizeof(wire_settings)), take(found, "rncd_order", sizeof(std::uint32_t)),
      take(found, "rncd_beats", sizeof(wire_heartbeat)),   take(found, "rncd_sockets", sizeof(std::uint32_t)),
      take(found, "rncd_ports", sizeof(std::uint32_t)),    take(found, "rncd_counts", sizeof(wire_counts)),
      take(found, "rncd_state", sizeof(wire_state)),       take(found, "rncd_ues4", sizeof(std::uint8_t)),
      take(found, "rncd_ues6", sizeof(std::uint8_t))};
  for (const Descriptor* map : {&maps.settings, &maps.order, &maps.beats, &maps.sockets, &maps.ports,
                                &maps.counts, &maps.state, &maps.ues4, &maps.ues6}) {
    if (!*map) return false;
  }
  wire_settings settings{};
  const std::uint32_t zero = 0;
  if (bpf_map_lookup_elem(maps.settings.get(), &zero, &settings) != 0 || settings.layout != RNCD_WIRE_LAYOUT)
    return false;
  maps_ = std::move(maps);
  program_ = std::move(fd);
  program_id_ = program;
  settings_ = settings;
  kept_ = true;
  if (auto settled = settle(); !settled) return settled.error();
  return true;
}

Status Wire::load() {
  const auto object = wire_object();
  LIBBPF_OPTS(bpf_object_open_opts, options, .object_name = kWireProgram);
  bpf_object* const opened = bpf_object__open_mem(object.data(), object.size(), &options);
  if (opened == nullptr) return failure("the wire's XDP program cannot be read", errno);
  const int rc = bpf_object__load(opened);
  if (rc != 0) {
    bpf_object__close(opened);
    return failure("the kernel does not take the wire's XDP program (it needs Linux 5.17 or later, with BTF)",
                   rc);
  }
  const auto keep = [](int fd) { return Descriptor(fd < 0 ? -1 : ::fcntl(fd, F_DUPFD_CLOEXEC, 0)); };
  const auto map = [&](const char* name) { return keep(bpf_object__find_map_fd_by_name(opened, name)); };
  program_ = keep(bpf_program__fd(bpf_object__find_program_by_name(opened, kWireProgram)));
  maps_ = {map("rncd_settings"), map("rncd_order"), map("rncd_beats"), map("rncd_sockets"), map("rncd_ports"),
           map("rncd_counts"),   map("rncd_state"), map("rncd_ues4"),  map("rncd_ues6")};
  bpf_object__close(opened);
  program_id_ = id_of(program_);
  if (program_id_ == 0) return failure("the wire's XDP program", errno);
  settings_ = {};
  return settle();
}

// What is made of the program's maps.
Status Wire::settle() {
  void* const memory = ::mmap(nullptr, kBeatsBytes, PROT_READ | PROT_WRITE, MAP_SHARED, maps_.beats.get(), 0);
  if (memory == MAP_FAILED) return failure("the heartbeats of the wire's XDP program", errno);
  beats_ = static_cast<WireHeartbeat*>(memory);
  shortcut_ = std::make_unique<KernelShortcut>(std::move(maps_.ues4), std::move(maps_.ues6),
                                               [this](Shortcut which) { return take_shortcut(which); });
  return ok();
}

// Of workers that are gone: no rncd lives here when another attaches. Told once, so that the start after
// this one does not hear of it again.
void Wire::inherit_risk() {
  for (unsigned worker = 0; worker < WIRE_WORKERS; ++worker) {
    inherited_risk_ += std::exchange(beats_[worker].at_risk, 0);
  }
}

// In the place of what was found there a moment ago, and of nothing that came since.
Status Wire::put_on(Side side) {
  const std::string& name = interfaces_[index(side)];
  const unsigned interface = settings_.interface[index(side)];
  if (interface == 0) return Error{"there is no interface '" + name + "' in this network namespace", 4};
  const std::uint32_t found = program_on(interface);
  if (found == program_id_) return take_every_frame(side);
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
  const int rc = bpf_xdp_attach(static_cast<int>(interface), program_.get(), flags, &options);
  if (rc == 0) return take_every_frame(side);
  return failure("the wire's XDP program cannot be put on the interface " + name, rc);
}

// By the flag that a user would set, since nothing that a process asks for outlives it.
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
  DP_EXPECT(program_id_ != 0 && workers > 0 && workers <= WIRE_WORKERS);
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
  DP_EXPECT(program_id_ != 0 && queue < WIRE_QUEUES && worker < WIRE_WORKERS);
  const std::lock_guard lock(changing_);
  settings_.worker[index(side)][queue] = static_cast<unsigned char>(worker);
  return write_settings();
}

Status Wire::give(Side side, unsigned queue, int socket) {
  DP_EXPECT(program_id_ != 0 && queue < WIRE_QUEUES);
  const std::uint32_t key = socket_key(side, queue);
  const int rc = bpf_map_update_elem(maps_.sockets.get(), &key, &socket, BPF_ANY);
  if (rc == 0) return ok();
  return failure("queue " + std::to_string(queue) + " of " + interfaces_[index(side)] +
                     " cannot be handed to its socket",
                 rc);
}

void Wire::take_back(Side side, unsigned queue) {
  if (program_id_ == 0) return;
  const std::uint32_t key = socket_key(side, queue);
  bpf_map_delete_elem(maps_.sockets.get(), &key);
}

Status Wire::order(WireWay way) {
  DP_EXPECT(program_id_ != 0);
  const std::uint32_t zero = 0, mode = static_cast<std::uint32_t>(way);
  const int rc = bpf_map_update_elem(maps_.order.get(), &zero, &mode, BPF_ANY);
  return rc == 0 ? ok() : failure("the order to the wire's XDP program", rc);
}

WireShortcut* Wire::shortcut() const {
  DP_EXPECT(owns_);
  return has_both() ? shortcut_.get() : nullptr;
}

Status Wire::take_shortcut(Shortcut which) {
  const std::lock_guard lock(changing_);
  settings_.shortcut = static_cast<unsigned>(which);
  return put_settings();
}

Result<WireReport> Wire::report() const {
  WireReport report;
  report.program = program_id_;
  report.at_risk_before = inherited_risk_;
  wire_settings settings{};
  std::uint32_t zero = 0, order = 0;
  if (const int rc = bpf_map_lookup_elem(maps_.settings.get(), &zero, &settings); rc != 0)
    return failure("the settings of the wire's XDP program", rc);
  if (const int rc = bpf_map_lookup_elem(maps_.order.get(), &zero, &order); rc != 0)
    return failure("the order to the wire's XDP program", rc);
  report.config.on_failure = settings.closed != 0 ? OnFailure::closed : OnFailure::open;
  report.config.failure_scope = settings.together != 0 ? FailureScope::wire : FailureScope::worker;
  report.config.stale_after = Duration{static_cast<std::int64_t>(settings.stale_ns)};
  report.config.shortcut = static_cast<Shortcut>(std::min<unsigned>(settings.shortcut, WIRE_SHORTCUTS - 1));
  report.ordered = static_cast<WireWay>(std::min<std::uint32_t>(order, WIRE_MODES - 1));
  const std::uint64_t now = monotonic_ns();
  bool all_live = true;
  for (unsigned worker = 0; worker < std::clamp(settings.workers, 1u, unsigned{WIRE_WORKERS}); ++worker) {
    const std::uint64_t beat = std::atomic_ref(beats_[worker].beat).load(std::memory_order_relaxed);
    const Duration age{static_cast<std::int64_t>(now - std::min(now, beat))};
    // Who has closed its sockets beats no more.
    const bool lives = beat != 0 && age < report.config.stale_after;
    all_live = all_live && lives;
    if (beat != 0) report.heartbeat = std::max(report.heartbeat.value_or(Duration{}), age);
    if (!lives) report.at_risk += std::atomic_ref(beats_[worker].at_risk).load(std::memory_order_relaxed);
  }
  const WireWay without = settings.closed != 0 ? WireWay::disconnect : WireWay::bypass;
  for (const Side side : kSides) {
    WireReport::Port& port = report.ports[index(side)];
    port.interface = settings.interface[index(side)];
    port.way = report.ordered != WireWay::normal ? report.ordered : all_live ? WireWay::normal : without;
    if (auto read = report_port(side, now, port); !read) return read.error();
  }
  return report;
}

Status Wire::report_port(Side side, std::uint64_t now, WireReport::Port& port) const {
  const auto key = static_cast<std::uint32_t>(index(side));
  std::vector<wire_counts> counts(static_cast<std::size_t>(std::max(1, libbpf_num_possible_cpus())));
  if (const int rc = bpf_map_lookup_elem(maps_.counts.get(), &key, counts.data()); rc != 0)
    return failure("the counts of the wire's XDP program", rc);
  for (const wire_counts& cpu : counts) {
    for (std::size_t fate = 0; fate < WIRE_FATES; ++fate) {
      port.counts[fate].frames += cpu.frames[fate];
      port.counts[fate].bytes += cpu.bytes[fate];
    }
  }
  for (std::uint32_t worker = 0; worker < WIRE_WORKERS; ++worker) {
    const std::uint32_t place = key * WIRE_WORKERS + worker;
    wire_state state{};
    if (const int rc = bpf_map_lookup_elem(maps_.state.get(), &place, &state); rc != 0)
      return failure("the state of the wire's XDP program", rc);
    port.failovers += state.failovers;
    if (state.since == 0) continue;
    const Duration ago{static_cast<std::int64_t>(now - std::min<std::uint64_t>(now, state.since))};
    port.changed = std::min(port.changed.value_or(ago), ago);
  }
  return ok();
}

Result<std::unique_ptr<Wire>> Wire::find(std::array<std::string, 2> interfaces) {
  auto wire = std::make_unique<Wire>(std::move(interfaces), WireConfig{});
  for (const std::string& name : wire->interfaces_) {
    const unsigned interface = index_of(name);
    if (interface == 0) return Error{"there is no interface '" + name + "' in this network namespace", 4};
    const std::uint32_t program = program_on(interface);
    if (program == 0 || wire->program_id_ != 0) continue;
    if (auto taken = wire->take_over(program); !taken) return taken.error();
  }
  if (wire->program_id_ != 0) return wire;
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
    const auto same = [&](const auto& wire) { return wire->program_id_ == program; };
    if (program == 0 || std::any_of(found.begin(), found.end(), same)) continue;
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

// Of the interfaces that its settings name by their index.
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
    if (interface == 0 || program_on(interface) != program_id_) continue;
    if (auto taken = take_wire_off(name); !taken) return taken;
    if ((settings_.promiscuous & (1u << index(side))) != 0) set_promiscuous(name, false);
  }
  return ok();
}

}  // namespace dp::xdp
