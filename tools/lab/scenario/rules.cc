#include "tools/lab/scenario/rules.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "config/notation/units.h"
#include "tools/lab/scenario/draft.h"

namespace lab {
namespace {

using config::Node;
using config::Place;
using config::Reader;

// The place of a key, or of the map that lacks it.
Place place_of(const Node& map, std::string_view key) {
  const auto value = map.find(key);
  return value ? value->place() : map.place();
}

std::string duration_text(dp::Duration d) {
  return config::format_quantity(dp::Unit::duration, static_cast<std::uint64_t>(d.count()));
}

// One item of a list, with its place for messages.
struct Item {
  Reader& reader;
  Node node;

  template <class... Args>
  void fail(std::string_view key, fmt::format_string<Args...> message, Args&&... args) const {
    const Reader::Scope scope(reader, key);
    reader.fail(place_of(node, key), fmt::format(message, std::forward<Args>(args)...));
  }
};

void check_times(const Scenario& s, const Node& root, Reader& reader) {
  const Item top{reader, root};
  if (s.duration > dp::Duration{0} && s.measure_from >= s.duration) {
    top.fail("measure_from", "found {}, expected less than the duration, {}; nothing would be measured",
             duration_text(s.measure_from), duration_text(s.duration));
  }
}

void check_mss(const Flow& flow, bool ipv6, const Item& item) {
  const std::uint32_t headers = ipv6 ? 60 : 40;
  if (flow.tcp.mss + headers > kMaxPacket) {
    const Reader::Scope scope(item.reader, "tcp");
    Item{item.reader, *item.node.find("tcp")}.fail(
        "mss", "found {}, expected at most {}; the lab's packets have up to {} bytes", flow.tcp.mss,
        kMaxPacket - headers, kMaxPacket);
  }
}

void check_window(const Flow& flow, const Item& item) {
  const std::uint64_t most = std::uint64_t{65'535} << flow.sink.window_scale;
  if (flow.sink.window <= 65'535) return;
  if (flow.sink.window > most) {
    const Reader::Scope scope(item.reader, "sink");
    Item{item.reader, *item.node.find("sink")}.fail(
        "window",
        "found {}, expected at most {}, which a window_scale of {} can tell; give a larger window_scale",
        flow.sink.window, most, flow.sink.window_scale);
  } else if (!flow.tcp.window_scaling) {
    const Reader::Scope scope(item.reader, "tcp");
    Item{item.reader, *item.node.find("tcp")}.fail(
        "window_scaling", "found no, but the sink's window is above 65535 bytes; write yes");
  }
}

// True if a packet and its ACK take no time at all, so that simulated time would stand still.
bool instant(const Scenario& s, const Flow& flow) {
  const auto free = [&](std::optional<std::size_t> wire) {
    return !wire || (wire != kNowhere && !s.wires[*wire].rate && !s.wires[*wire].trace &&
                     s.wires[*wire].delay == dp::Duration{0});
  };
  const Server& server = s.servers[flow.server];
  const dp::ClassId cls = s.bearers[flow.bearer].cls;
  const Radio radio = cls < s.radio.size() ? s.radio[cls] : Radio{};
  if (!free(server.wire) || !free(server.back) || !free(radio.wire) || !free(radio.back)) return false;
  const auto free_leg = [](const dp::LegSettings& leg) {
    return std::holds_alternative<dp::WireSpec::Config>(leg.link);
  };
  const config::Class& made = s.classes[cls];
  if (free_leg(made.downlink) && free_leg(made.uplink)) return true;
  return std::ranges::any_of(s.changes, [&](const Change& c) {
    return c.bearer == flow.bearer && free_leg(c.settings.downlink) && free_leg(c.settings.uplink);
  });
}

void check_flow(const Scenario& s, const Flow& flow, const Item& item) {
  if (flow.start >= s.duration && s.duration > dp::Duration{0}) {
    item.fail("start", "found {}, expected less than the duration, {}; it would never begin",
              duration_text(flow.start), duration_text(s.duration));
  }
  check_window(flow, item);
  if (flow.server == kNowhere) return;
  const bool ipv6 = s.servers[flow.server].address.ipv6;
  check_mss(flow, ipv6, item);
  if (flow.bearer == kNowhere || s.bearers[flow.bearer].cls >= s.classes.size()) return;
  if (ipv6 != (s.bearers[flow.bearer].ue.kind != dp::UeKind::ipv4)) {
    item.fail("ue", "found {}, expected an {} UE, as the address of the server `{}` is one",
              to_string(s.bearers[flow.bearer].ue), ipv6 ? "IPv6" : "IPv4", s.servers[flow.server].name);
  } else if (s.servers[flow.server].wire < s.wires.size() && s.servers[flow.server].back < s.wires.size() &&
             instant(s, flow)) {
    item.fail("server",
              "found a way without rate and without delay in both directions, on which time would stand "
              "still; give its wire or the class's legs a rate, or the wire a delay");
  }
}

void check_flows(const Scenario& s, const Node& root, Reader& reader) {
  const auto list = root.find("flows");
  if (!list) return;
  const Reader::Scope scope(reader, "flows");
  if (s.flows.empty() && (list->size() == 0 && list->kind() != config::NodeKind::map && !list->is_scalar())) {
    reader.expected(*list, "at least one such as {server: NAME, ue: 10.45.0.2}; nothing would be sent");
  }
  for (std::size_t i = 0; i < s.flows.size(); ++i) {
    const Reader::Scope item(reader, i);
    check_flow(s, s.flows[i], {reader, list->item(i)});
  }
}

void check_changes(const Scenario& s, const Node& root, Reader& reader) {
  const auto list = root.find("changes");
  if (!list || list->kind() != config::NodeKind::list || s.duration == dp::Duration{0}) return;
  const Reader::Scope scope(reader, "changes");
  for (std::size_t i = 0; i < list->size(); ++i) {
    const auto at = list->item(i).find("at");
    const auto time = at ? config::parse_quantity(dp::Unit::duration, at->text()) : dp::Error{};
    if (!time || *time < static_cast<std::uint64_t>(s.duration.count())) continue;
    const Reader::Scope item(reader, i);
    Item{reader, list->item(i)}.fail("at",
                                     "found {}, expected less than the duration, {}; it would never happen",
                                     at->text(), duration_text(s.duration));
  }
}

void check_slots(const Scenario& s, const Node& root, Reader& reader) {
  const auto cell = root.find("cell");
  if (!cell || s.cell.slots_allowed()) return;
  const Reader::Scope scope(reader, "cell");
  reader.fail(cell->place(), "found " + std::to_string(s.cell.slots) +
                                 " slots a second, expected a divisor of " +
                                 std::to_string(dp::kCellUnitsPerBit) + ": 500, 600, 1000, 2000 and others");
}

// Bearers join their cell before the run.
void check_cells(const Scenario& s, const Node& root, Reader& reader) {
  const auto list = root.find("changes");
  if (!list || list->kind() != config::NodeKind::list) return;
  const auto in_cell = [](const dp::LegSettings& leg) {
    return std::holds_alternative<dp::CellSpec::Config>(leg.link);
  };
  for (const Change& c : s.changes) {
    if (s.bearers[c.bearer].cls >= s.classes.size()) continue;
    if (in_cell(c.settings.downlink) == in_cell(s.classes[s.bearers[c.bearer].cls].downlink)) continue;
    const Reader::Scope scope(reader, "changes");
    reader.fail(list->place(),
                "found a change of the bearer of " + to_string(s.bearers[c.bearer].ue) +
                    " from or to the link `cell`, expected none: who is in the cell stays there; "
                    "give it a class of its own");
  }
}

// Rejects radios that need reports, which a simulation lacks.
void check_radios(const Scenario& s, const Node& root, Reader& reader) {
  const auto reported = [](const dp::LegSettings& leg) {
    const auto* cell = std::get_if<dp::CellSpec::Config>(&leg.link);
    return cell != nullptr && dp::RadioList::kNames[static_cast<std::size_t>(cell->radio)] == "reported";
  };
  const auto refuse = [&](const Node& place, const std::string& whose) {
    reader.fail(place.place(),
                "found the radio `reported` for " + whose +
                    ", expected hdr, constant or trace: nobody reports rates to a cell of rnclab");
  };
  if (const auto list = root.find("classes")) {
    const Reader::Scope scope(reader, "classes");
    for (const config::Class& c : s.classes) {
      if (reported(c.downlink)) refuse(*list, "the class `" + c.name + "`");
    }
  }
  if (const auto list = root.find("changes")) {
    const Reader::Scope scope(reader, "changes");
    for (const Change& c : s.changes) {
      if (reported(c.settings.downlink)) refuse(*list, "the UE " + to_string(s.bearers[c.bearer].ue));
    }
  }
}

bool of_host(const dp::IpAddress& address) {
  return dp::can_be_ue(address.ipv6 ? dp::ue_ipv6_128(address.hi, address.lo)
                                    : dp::ue_ipv4(static_cast<std::uint32_t>(address.lo)));
}

bool same(const dp::IpAddress& a, const dp::IpAddress& b) { return a.hi == b.hi && a.lo == b.lo; }

std::string text_of(const dp::IpAddress& address) {
  return dp::address_text(address.ipv6, address.hi, address.lo);
}

// Tunnels have two ends, of one version of IP.
void check_tunnels(const Scenario& s, const Node& root, Reader& reader) {
  const auto changes = root.find("changes");
  if (!s.gtp_u) {
    if (s.handovers.empty() || !changes) return;
    const Reader::Scope scope(reader, "changes");
    return reader.fail(changes->place(),
                       "found a `handover`, expected none without tunnels; write `gtp_u: {}` as well");
  }
  const dp::IpAddress &core = s.gtp_u->core, &radio = s.gtp_u->radio;
  const Reader::Scope scope(reader, "gtp_u");
  const auto place = place_of(*root.find("gtp_u"), "radio");
  if (core.ipv6 != radio.ipv6) {
    return reader.fail(place,
                       "found one IPv4 and one IPv6 address, expected `core` and `radio` of one version");
  }
  const dp::IpAddress next = station(*s.gtp_u, 1);
  if (!of_host(core) || !of_host(radio) || !of_host(next)) {
    return reader.fail(place, "found " + text_of(core) + ", " + text_of(radio) + " and " + text_of(next) +
                                  ", which is for the next base station, expected addresses of hosts");
  }
  if (same(core, radio) || same(core, next)) {
    reader.fail(place, "found " + text_of(core) + " twice, as `core` and as a base station (" +
                           text_of(radio) + " and " + text_of(next) + "); the tunnels' ends are three hosts");
  }
}

}  // namespace

void check_rules(const Scenario& s, const Node& root, Reader& reader) {
  if (root.kind() != config::NodeKind::map) return;
  check_times(s, root, reader);
  check_flows(s, root, reader);
  check_changes(s, root, reader);
  check_slots(s, root, reader);
  check_cells(s, root, reader);
  check_radios(s, root, reader);
  check_tunnels(s, root, reader);
}

}  // namespace lab
