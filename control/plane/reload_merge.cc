#include "control/plane/reload_merge.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "dataplane/bearer/class_counters.h"

namespace control {
namespace {

// Merges the classes: running ones in their places with the file's settings, then the file's new ones.
// Returns the new id of each class of the file.
std::vector<dp::ClassId> merge_classes(std::vector<config::Class>& running,
                                       const std::vector<config::Class>& file,
                                       std::vector<std::string>& refused) {
  const auto named = [](const std::string& name) {
    return [&name](const config::Class& c) { return c.name == name; };
  };
  for (const config::Class& cls : running) {
    if (std::none_of(file.begin(), file.end(), named(cls.name))) {
      refused.push_back("class " + cls.name + " cannot be removed while rncd runs; it stays until a restart");
    }
  }
  std::vector<dp::ClassId> ids;
  for (const config::Class& cls : file) {
    auto at = std::find_if(running.begin(), running.end(), named(cls.name));
    if (at == running.end()) {
      at = running.insert(at, cls);
    } else {
      *at = cls;
    }
    ids.push_back(static_cast<dp::ClassId>(at - running.begin()));
  }
  return ids;
}

const config::Cell* named(const std::vector<config::Cell>& cells, const std::string& name) {
  const auto at = std::ranges::find(cells, name, &config::Cell::name);
  return at == cells.end() ? nullptr : &*at;
}

// The settings of a running cell: those set over the socket stay until the file differs from its former
// contents.
dp::CellSettings settings_of(const config::Cell& runs, const config::Cell* before, const config::Cell& wanted,
                             std::vector<std::string>& refused) {
  dp::CellSettings settings =
      before != nullptr && before->settings == wanted.settings ? runs.settings : wanted.settings;
  if (settings.members != runs.settings.members) {
    refused.push_back(
        fmt::format("cells.{}.members cannot change while rncd runs; it stays {} until a restart", runs.name,
                    runs.settings.members));
  }
  settings.members = runs.settings.members;
  return settings;
}

// Merges the cells: running ones in their places, then the file's new ones. Returns the new id of each cell
// of the file.
std::vector<config::CellId> merge_cells(const config::Config& running, const config::Config& file_before,
                                        const config::Config& file, Reload& reload) {
  std::vector<config::Cell> cells = running.cells;
  for (const config::Cell& cell : file_before.cells) {
    const bool gone = named(file.cells, cell.name) == nullptr && named(cells, cell.name) != nullptr;
    if (gone) reload.cells_gone.push_back(cell.name);
  }
  std::vector<config::CellId> ids;
  for (const config::Cell& cell : file.cells) {
    const auto at = std::ranges::find(cells, cell.name, &config::Cell::name);
    ids.push_back(static_cast<config::CellId>(at - cells.begin()));
    if (at == cells.end()) {
      cells.push_back(cell);
    } else {
      at->settings = settings_of(*at, named(file_before.cells, cell.name), cell, reload.refused);
    }
  }
  reload.config.cells = std::move(cells);
  return ids;
}

// Merges the networks: running ones in their places, with the VLANs that the file gives them, then the file's
// new ones. Returns the new id of each network of the file.
std::vector<dp::NetworkId> merge_networks(config::Networks& running, const config::Networks& file,
                                          std::vector<std::string>& refused) {
  for (config::Network& network : running) {
    if (std::ranges::find(file, network.name, &config::Network::name) != file.end()) continue;
    refused.push_back("network " + network.name +
                      " cannot be removed while rncd runs; it stays, without VLANs, until a restart");
    network.vlans.clear();
  }
  std::vector<dp::NetworkId> ids;
  for (const config::Network& network : file) {
    auto at = std::ranges::find(running, network.name, &config::Network::name);
    if (at == running.end()) at = running.insert(at, network);
    at->vlans = network.vlans;
    ids.push_back(static_cast<dp::NetworkId>(at - running.begin() + 1));
  }
  return ids;
}

// Maps the file's numbers to the running ones.
struct Numbers {
  std::vector<dp::ClassId> classes;
  std::vector<config::CellId> cells;
  std::vector<dp::NetworkId> networks;

  // Renumbers a bearer or a rule, which is in that network.
  void renumber(auto& listed, dp::NetworkId& network) const {
    listed.cls = classes[listed.cls];
    if (listed.cell != config::kNoCell) listed.cell = cells[listed.cell];
    if (network != dp::kNoNetwork) network = networks[network - 1u];
  }
};

}  // namespace

bool merge_lists(const config::Config& running, const config::Config& file_before, const config::Config& file,
                 Reload& reload) {
  Numbers numbers;
  std::vector<config::Class> classes = running.classes;
  numbers.classes = merge_classes(classes, file.classes, reload.refused);
  if (classes.size() > dp::kMaxClasses) {
    reload.refused.push_back(fmt::format(
        "classes and bearers: with those that run there would be {} classes, at most {} fit; restart rncd",
        classes.size(), dp::kMaxClasses));
    return false;
  }
  config::Networks networks = running.networks;
  numbers.networks = merge_networks(networks, file.networks, reload.refused);
  if (networks.size() > dp::kMaxNetworks) {
    reload.refused.push_back(fmt::format(
        "networks and bearers: with those that run there would be {} networks, at most {} fit; restart rncd",
        networks.size(), dp::kMaxNetworks));
    return false;
  }
  reload.config.networks = std::move(networks);
  reload.config.dataplane.gtp_u = file.dataplane.gtp_u;  // has names of networks
  reload.config.profiles = file.profiles;
  reload.config.classes = std::move(classes);
  reload.config.bearers = file.bearers;
  reload.config.learn = file.learn;
  numbers.cells = merge_cells(running, file_before, file, reload);
  for (config::Bearer& bearer : reload.config.bearers) numbers.renumber(bearer, bearer.ue.network);
  for (config::Learn& learn : reload.config.learn) numbers.renumber(learn, learn.network);
  return true;
}

}  // namespace control
