#include "control/plane/reload.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "config/schema.h"
#include "control/plane/cells.h"
#include "control/plane/stock.h"
#include "dataplane/bearer/class_counters.h"

namespace control {
namespace {

void refuse_frozen(const config::Config& running, const config::Config& wanted,
                   std::vector<std::string>& refused) {
  for (const std::string& key : config::frozen_differences(running, wanted)) {
    refused.push_back(key + " cannot change while rncd runs; restart it for the new value");
  }
}

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

// Merges classes, networks and cells as they shall run, and the file's bearers and rules with their numbers.
// False if there would be more of them than fit: then none of it is taken.
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

// The cells of UEs that share slots by the configuration, without UEs that are in no cell.
std::map<dp::UeAddress, config::CellId> listed_cells(const std::vector<config::Bearer>& bearers) {
  std::map<dp::UeAddress, config::CellId> out;
  for (const config::Bearer& bearer : bearers) {
    if (bearer.cell != config::kNoCell) out.emplace(bearer.ue, bearer.cell);
  }
  return out;
}

// The cell of each UE after the reload. The ids of former cells are those of the cells after.
class Seating {
 public:
  Seating(const config::Config& before, const config::Config& after, std::vector<CellRecord*> cells)
      : before_(before), after_(after), cells_(std::move(cells)), listed_(listed_cells(before.bearers)) {}

  // The cell of a bearer that the file lists. `record`: it runs with settings that stay; null: with none of
  // them.
  CellRecord* of_listed(const config::Bearer& bearer, const dp::BearerSettings& settings,
                        const Record* record) const {
    if (!dp::uses_cell(settings)) return nullptr;
    const auto at = listed_.find(bearer.ue);
    const bool as_before = at != listed_.end() && at->second == bearer.cell;
    const bool stays = record != nullptr && record->cell != nullptr;
    return stays && (as_before || bearer.cell == config::kNoCell) ? record->cell : at_id(bearer.cell);
  }
  // The cell of any other bearer. Null: it shares no slots, or its cell is not known.
  CellRecord* of_other(const dp::UeAddress& ue, const dp::BearerSettings& settings,
                       const Record& record) const {
    if (!dp::uses_cell(settings)) return nullptr;
    if (record.origin != Origin::learnt) return record.cell;
    const config::CellId was = rule_cell(before_.learn, ue), now = rule_cell(after_.learn, ue);
    const bool led = record.cell == nullptr || record.cell == at_id(was);
    return led && now != config::kNoCell ? at_id(now) : record.cell;
  }

 private:
  CellRecord* at_id(config::CellId id) const { return id < cells_.size() ? cells_[id] : nullptr; }

  const config::Config& before_;
  const config::Config& after_;
  std::vector<CellRecord*> cells_;
  std::map<dp::UeAddress, config::CellId> listed_;
};

// The settings that bearers of a class are made with, before and after.
struct ClassChange {
  SharedSettings before;  // none: a new class
  SharedSettings after;
  bool changed() const { return before != after; }
};

std::vector<ClassChange> changes_of(const config::Config& before, const config::Config& after) {
  std::vector<ClassChange> all;
  for (std::size_t c = 0; c < after.classes.size(); ++c) {
    const auto id = static_cast<dp::ClassId>(c);
    ClassChange& change = all.emplace_back();
    if (c < before.classes.size()) change.before = config::settings_of(before.classes, id);
    change.after = config::settings_of(after.classes, id);
  }
  return all;
}

// Bearers may be learnt between two slices, so the walk resumes in the registry by address.
Slices wish_for(const config::Config& before, const BearerRegistry& registry, std::vector<CellRecord*> cells,
                Reload& reload) {
  const config::Config& after = reload.config;
  const Seating seating(before, after, std::move(cells));
  Wish& wish = reload.wish;
  const std::vector<ClassChange> classes = changes_of(before, after);
  std::set<dp::UeAddress> in_file;
  for (const config::Bearer& bearer : after.bearers) {
    const ClassChange& cls = classes[bearer.cls];
    in_file.insert(bearer.ue);
    const Record* record = registry.find(bearer.ue);
    const bool keeps = record != nullptr && record->settings->cls == bearer.cls && !cls.changed();
    const SharedSettings settings = keeps ? record->settings : cls.after;
    wish.set.push_back({bearer.ue, settings, Origin::file, seating.of_listed(bearer, *settings, record)});
    co_await Slices::Pause{};
  }
  std::size_t unseated = 0;
  dp::UeAddress first{};
  for (auto at = registry.all().begin(); at != registry.all().end();) {
    const dp::UeAddress ue = at->first;
    const Record& record = at->second;
    const ClassChange& cls = classes[record.settings->cls];
    const bool follows = cls.changed() && record.settings == cls.before;
    const SharedSettings settings = follows ? cls.after : record.settings;
    CellRecord* const cell = seating.of_other(ue, *settings, record);
    if (in_file.contains(ue)) {
      // It was wished for above.
    } else if (record.origin == Origin::file) {
      wish.remove.push_back(ue);
    } else if (!fits(*settings, cell)) {
      if (unseated++ == 0) first = ue;
    } else if (follows || cell != record.cell) {
      wish.set.push_back({ue, settings, record.origin, cell});
    }
    co_await Slices::Pause{};
    at = registry.after(ue);
  }
  if (unseated == 0) co_return;
  reload.refused.push_back(fmt::format(
      "{} of classes whose link is now `cell` cannot follow, since nothing says in which cell they are: {} "
      "first; name one with bearer.set",
      unseated == 1 ? "1 bearer" : fmt::format("{} bearers", unseated), registry.text_of(first)));
}

}  // namespace

config::CellId rule_cell(const std::vector<config::Learn>& rules, const dp::UeAddress& ue) {
  const auto at = std::ranges::find_if(rules, [&](const config::Learn& l) { return covers(l, ue); });
  return at == rules.end() ? config::kNoCell : at->cell;
}

Slices plan_reload(const config::Config& running, const config::Config& file_before,
                   const config::Config& file, const BearerRegistry& registry, const MakeCells& make_cells,
                   Reload& reload) {
  reload.config = running;
  refuse_frozen(running, file, reload.refused);
  if (file.dataplane.mode != file_before.dataplane.mode) reload.mode = file.dataplane.mode;
  reload.config.dataplane.unknown = file.dataplane.unknown;
  reload.config.dataplane.rebalance = file.dataplane.rebalance;
  reload.config.dataplane.wire.shortcut = file.dataplane.wire.shortcut;
  reload.config.dataplane.link_propagation = file.dataplane.link_propagation;
  reload.config.modes = file.modes;
  reload.config.metrics.per_bearer_top = file.metrics.per_bearer_top;
  reload.config.log = file.log;
  reload.config.control.traces = file.control.traces;

  if (!merge_lists(running, file_before, file, reload)) co_return;
  Slices wishing = wish_for(running, registry, make_cells(reload.config.cells), reload);
  co_await wishing;
}

}  // namespace control
