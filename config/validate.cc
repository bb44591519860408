#include "config/validate.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include <fmt/core.h>

#include "config/dedicated.h"
#include "config/gtp_u.h"
#include "config/notation/syntax.h"

namespace config {
namespace {

// The place of a key, or of the map that lacks it.
Place place_of(Node node, std::initializer_list<std::string_view> path) {
  for (const auto key : path) {
    const auto next = node.find(key);
    if (!next) break;
    node = *next;
  }
  return node.place();
}

void check_ports(const Config& config, const Node& root, Reader& reader) {
  const auto& [core, radio] = config.dataplane.devices;
  const auto claimed = claimed_by(core);
  if (claimed.empty() || claimed != claimed_by(radio)) return;
  const Reader::Scope scope(reader, "dataplane.ports.radio.device");
  reader.fail(place_of(root, {"dataplane", "ports", "radio", "device"}),
              "found the " + claimed + " on both ports, expected another one; rncd joins two");
}

void check_cpus(const Config& config, const Node& root, Reader& reader) {
  auto cpus = config.dataplane.cpus;
  std::ranges::sort(cpus);
  const auto twice = std::ranges::adjacent_find(cpus);
  const Reader::Scope scope(reader, "dataplane.cpus");
  const auto fail = [&](const std::string& why) { reader.fail(place_of(root, {"dataplane", "cpus"}), why); };
  if (twice != cpus.end()) fail(fmt::format("found CPU {} twice; keep one", *twice));
  const auto workers = config.dataplane.workers;
  if (workers && cpus.size() > *workers + std::size_t{1}) {
    fail(fmt::format("found {} CPUs for workers: {}, expected at most {}: the main one and one a worker",
                     cpus.size(), *workers, *workers + 1));
  }
}

void check_bearers(const Config& config, const Node& root, Reader& reader) {
  const auto room = config.dataplane.max_bearers;
  if (!room || config.bearers.size() <= *room) return;
  const Reader::Scope scope(reader, "dataplane.max_bearers");
  reader.fail(place_of(root, {"dataplane", "max_bearers"}),
              fmt::format("found {}, but `bearers` lists {}; expected at least as many, or auto", *room,
                          config.bearers.size()));
}

// Rejects cells with fewer places than listed bearers: a listed bearer would never get in, while a UE to be
// learnt merely stays without one.
void check_cells(const Config& config, const Node& root, Reader& reader) {
  std::vector<std::uint32_t> listed(config.cells.size());
  for (const Bearer& bearer : config.bearers) {
    if (bearer.cell != kNoCell) ++listed[bearer.cell];
  }
  for (std::size_t i = 0; i < listed.size(); ++i) {
    const auto& [name, settings] = config.cells[i];
    if (listed[i] <= settings.members) continue;
    const Reader::Scope scope(reader, "cells." + name + ".members");
    reader.fail(place_of(root, {"cells", name, "members"}),
                fmt::format("found {}, but `bearers` lists {} in this cell; expected at least as many",
                            settings.members, listed[i]));
  }
}

// Rejects a short-cut for frames of unknown UEs beside `unknown: drop`, since the kernel would pass them.
void check_shortcut(const Config& config, const Node& root, Reader& reader) {
  const Dataplane& d = config.dataplane;
  if (d.wire.shortcut != dp::Shortcut::strangers || d.unknown != dp::Unknown::drop) return;
  const Reader::Scope scope(reader, "dataplane.wire.shortcut");
  reader.fail(
      place_of(root, {"dataplane", "wire", "shortcut"}),
      "found strangers beside `unknown: drop`, expected none or unparsed: what takes the short-cut is "
      "not dropped; write `shortcut: unparsed`, or `unknown: pass`");
}

void check_sockets(const Config& config, const Node& root, Reader& reader) {
  if (config.control.read_only != config.control.socket) return;
  const Reader::Scope scope(reader, "control.read_only");
  reader.fail(place_of(root, {"control", "read_only"}),
              "found the path of control.socket, expected another one; the two are not the same socket");
}

}  // namespace

void validate(const Config& config, const Node& root, Reader& reader) {
  check_ports(config, root, reader);
  check_cpus(config, root, reader);
  check_bearers(config, root, reader);
  check_cells(config, root, reader);
  check_gtp_u(config, root, reader);
  check_dedicated(config, root, reader);
  check_shortcut(config, root, reader);
  check_sockets(config, root, reader);
}

}  // namespace config
