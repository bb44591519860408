// The commands about the wire's XDP program. They need no rncd: they speak to the kernel.
#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>

#include "dataplane/xdp/interface.h"
#include "dataplane/xdp/wire.h"
#include "tools/ctl/commands.h"
#include "tools/ctl/views.h"

namespace ctl {
namespace {

using dp::xdp::Wire;

struct WireOptions {
  std::array<std::string, 2> interfaces;
  std::string on_failure = "open";
  std::string way;
  bool force = false;
};

[[noreturn]] void refuse(const std::string& why) { throw Refused(why, nullptr); }

template <class T>
T need(dp::Result<T> result) {
  if (!result) refuse(result.error().message);
  return std::move(*result);
}

double seconds(dp::Duration d) { return std::chrono::duration<double>(d).count(); }
Json seconds(const std::optional<dp::Duration>& d) { return d ? Json(seconds(*d)) : Json(nullptr); }

Json port_json(const dp::WireReport::Port& port, const std::string& interface) {
  Json frames = Json::object(), bytes = Json::object();
  for (std::size_t way = 0; way < dp::kWireFateNames.size(); ++way) {
    frames[std::string(dp::kWireFateNames[way])] = port.counts[way].frames;
    bytes[std::string(dp::kWireFateNames[way])] = port.counts[way].bytes;
  }
  return {{"interface", interface},      {"program", port.program},
          {"state", dp::name(port.way)}, {"changed_seconds", seconds(port.changed)},
          {"failovers", port.failovers}, {"restored_vlan_tags", port.restored_tags},
          {"frames", std::move(frames)}, {"bytes", std::move(bytes)}};
}

Json wire_json(const Wire& wire) {
  const dp::WireReport report = need(wire.report());
  Json ports = Json::object();
  for (const dp::Side side : dp::kSides) {
    const std::string& interface = wire.interfaces()[dp::index(side)];
    if (!interface.empty())
      ports[std::string(dp::name(side))] = port_json(report.ports[dp::index(side)], interface);
  }
  return {{"ordered", dp::name(report.ordered)},
          {"heartbeat_seconds", seconds(report.heartbeat)},
          {"at_risk_bytes", report.at_risk},
          {"on_failure", dp::name(report.config.on_failure)},
          {"failure_scope", dp::name(report.config.failure_scope)},
          {"stale_after_seconds", seconds(report.config.stale_after)},
          {"shortcut", dp::name(report.config.shortcut)},
          {"ports", std::move(ports)}};
}

Json show(Caller&) {
  Json wires = Json::array();
  for (const std::unique_ptr<Wire>& wire : need(Wire::find_all())) wires.push_back(wire_json(*wire));
  return {{"items", std::move(wires)}, {"next", nullptr}};
}

// True once a heart beats: workers beat each 5 ms, and on a busy machine now and then. A recent beat alone
// may be the last of a process that has ended.
bool has_rncd(const Wire& wire) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::seconds kPatience{1};
  const auto until = Clock::now() + kPatience;
  std::optional<Clock::time_point> latest;  // the first beat that was seen was no later
  for (;;) {
    // The age is of a moment between these two.
    const Clock::time_point asked = Clock::now();
    const dp::WireReport report = need(wire.report());
    const Clock::time_point answered = Clock::now();
    if (!report.heartbeat) return false;
    if (latest && asked - *report.heartbeat > *latest) return true;
    if (!latest) latest = answered - *report.heartbeat;
    if (answered >= until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

// An rncd's own configuration sets the behaviour on failure.
void refuse_beside_rncd(const std::array<std::string, 2>& interfaces) {
  const auto wire = Wire::find(interfaces);
  if (!wire || !has_rncd(**wire)) return;
  refuse("found the wire of an rncd that runs on " + interfaces[0] + " and " + interfaces[1] +
         "; it has installed it already: `dataplane.wire` in its configuration says what happens on failure");
}

void refuse_unfit(const std::string& interface) {
  if (dp::xdp::index_of(interface) == 0)
    refuse("found no interface '" + interface + "' in this network namespace; `ip link` lists them");
  if (!dp::xdp::carries_ethernet(interface)) {
    refuse("found " + interface +
           ", whose frames have no Ethernet header (a loopback or a tunnel), expected an Ethernet interface");
  }
}

// It would take an end from that wire, whose other end would then lead nowhere.
void refuse_end_of_other(const std::array<std::string, 2>& interfaces) {
  const auto is_end = [&](const std::string& name) {
    return std::ranges::any_of(interfaces, [&](const std::string& one) {
      return dp::xdp::index_of(one) == dp::xdp::index_of(name);
    });
  };
  for (const std::unique_ptr<Wire>& wire : need(Wire::find_all())) {
    const auto& [core, radio] = wire->interfaces();
    if (core.empty() || radio.empty() || is_end(core) == is_end(radio)) continue;
    refuse("found " + (is_end(core) ? core : radio) + " in the wire of " + core + " and " + radio +
           ", expected interfaces of no other wire; take that apart first: rncctl wire remove " + core + " " +
           radio);
  }
}

// For good: the program stays when rncctl ends.
Json install(const WireOptions& o) {
  for (const std::string& interface : o.interfaces) refuse_unfit(interface);
  if (dp::xdp::index_of(o.interfaces[0]) == dp::xdp::index_of(o.interfaces[1]))
    refuse("found " + o.interfaces[0] +
           " at both ends, expected two interfaces: a wire joins one to another");
  refuse_end_of_other(o.interfaces);
  refuse_beside_rncd(o.interfaces);
  dp::WireConfig config;
  config.on_failure = o.on_failure == "closed" ? dp::OnFailure::closed : dp::OnFailure::open;
  Wire wire(o.interfaces, config);
  for (const dp::Side side : dp::kSides) need(wire.attach(side));
  wire.keep();
  return {{"items", Json::array({wire_json(wire)})}, {"next", nullptr}};
}

std::unique_ptr<Wire> the_wire(const std::array<std::string, 2>& interfaces) {
  if (!interfaces[0].empty()) return need(Wire::find(interfaces));
  auto all = need(Wire::find_all());
  if (all.size() == 1) return std::move(all.front());
  refuse("found " + std::to_string(all.size()) +
         " wires in this network namespace, expected one; name the two interfaces of the wire");
}

Json order(const WireOptions& o) {
  const auto wire = the_wire(o.interfaces);
  const auto at = std::find(dp::kWireWayNames.begin(), dp::kWireWayNames.end(), o.way);
  need(wire->order(static_cast<dp::WireWay>(at - dp::kWireWayNames.begin())));
  return {{"items", Json::array({wire_json(*wire)})}, {"next", nullptr}};
}

Json remove(const WireOptions& o) {
  const auto wire = need(Wire::find(o.interfaces));
  if (!o.force && has_rncd(*wire)) {
    refuse("found an rncd that runs on " + o.interfaces[0] + " and " + o.interfaces[1] +
           ": removing the program cuts the wire, and all frames are lost until rncd has put it on again; "
           "stop rncd first, or say --force");
  }
  Json gone = wire_json(*wire);
  need(wire->remove());
  return {{"removed", std::move(gone)}};
}

void add_interfaces(CLI::App& command, const std::shared_ptr<WireOptions>& o) {
  command.add_option("CORE", o->interfaces[0], "the interface towards the core")->required();
  command.add_option("RADIO", o->interfaces[1], "the interface towards the UEs")->required();
}

}  // namespace

void add_wire_commands(CLI::App& app, Command& chosen) {
  auto* wire =
      app.add_subcommand("wire",
                         "the XDP program that joins the interfaces when rncd does not; needs no rncd, but "
                         "root, in the interfaces' network namespace")
          ->require_subcommand(1);
  wire->add_subcommand("show", "the wires of this network namespace: state, heartbeat, frames by their way")
      ->callback([&chosen] {
        chosen = {show, views::wires};
      });
  auto o = std::make_shared<WireOptions>();
  auto* put =
      wire->add_subcommand("install", "join two interfaces in the kernel; an rncd that starts takes it over");
  add_interfaces(*put, o);
  put->add_option("--on-failure", o->on_failure,
                  "open: frames cross when no worker takes them; closed: they do not")
      ->check(CLI::IsMember({"open", "closed"}))
      ->capture_default_str();
  put->callback([=, &chosen] { chosen = {[o](Caller&) { return install(*o); }, views::wires}; });
  auto* mode = wire->add_subcommand(
      "mode",
      "normal: to the workers while they live; bypass: across in the kernel; disconnect: nowhere. It stays "
      "until another is ordered, also through restarts of rncd");
  mode->add_option("MODE", o->way)->required()->check(CLI::IsMember({"normal", "bypass", "disconnect"}));
  auto* core = mode->add_option("CORE", o->interfaces[0],
                                "the interface towards the core; where there are several wires");
  auto* radio = mode->add_option("RADIO", o->interfaces[1], "the interface towards the UEs");
  core->needs(radio);
  mode->callback([=, &chosen] { chosen = {[o](Caller&) { return order(*o); }, views::wires}; });
  auto* take =
      wire->add_subcommand("remove", "take the program off both; without an rncd they are joined no more");
  add_interfaces(*take, o);
  take->add_flag("--force", o->force, "also under an rncd that runs, whose wire is cut by it");
  take->callback([=, &chosen] { chosen = {[o](Caller&) { return remove(*o); }, views::wire_removed}; });
}

}  // namespace ctl
