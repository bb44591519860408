#include "control/plane/reload.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "config/notation/words.h"
#include "config/schema.h"
#include "control/bearers/bearer_pool.h"
#include "control/bearers/cell_records.h"
#include "control/plane/reload_merge.h"

namespace control {
namespace {

void refuse_frozen(const config::Config& running, const config::Config& wanted,
                   std::vector<std::string>& refused) {
  for (const std::string& key : config::frozen_differences(running, wanted)) {
    refused.push_back(key + " cannot change while rncd runs; restart it for the new value");
  }
}

// The cells of UEs that share slots by the configuration, without UEs that are in no cell.
std::map<dp::UeAddress, config::CellId> listed_cells(const std::vector<config::Bearer>& bearers) {
  std::map<dp::UeAddress, config::CellId> out;
  for (const config::Bearer& bearer : bearers) {
    if (bearer.cell != config::kNoCell) out.emplace(bearer.ue, bearer.cell);
  }
  return out;
}

// The downlink TEIDs of bearers that have one by the configuration.
std::map<dp::UeAddress, std::uint32_t> listed_downlinks(const std::vector<config::Bearer>& bearers) {
  std::map<dp::UeAddress, std::uint32_t> out;
  for (const config::Bearer& bearer : bearers) {
    if (bearer.downlink_teid != 0) out.emplace(bearer.ue, bearer.downlink_teid);
  }
  return out;
}

// The cell that each UE is admitted to after the reload. The ids of former cells are those of the cells
// after.
class CellAdmission {
 public:
  CellAdmission(const config::Config& before, const config::Config& after, std::vector<CellRecord*> cells)
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

// Makes the wish of a reload: each bearer that the file lists, and each other bearer that runs.
class WishMaker {
 public:
  WishMaker(const config::Config& before, const BearerRegistry& registry, std::vector<CellRecord*> cells,
            Reload& reload)
      : registry_(registry),
        reload_(reload),
        admission_(before, reload.config, std::move(cells)),
        downlinks_(listed_downlinks(before.bearers)),
        classes_(changes_of(before, reload.config)) {}

  void add_listed(const config::Bearer& bearer) {
    const ClassChange& cls = classes_[bearer.cls];
    listed_.insert(bearer.ue);
    const Record* record = registry_.find(bearer.ue);
    const bool keeps = record != nullptr && record->settings->cls == bearer.cls && !cls.changed();
    const SharedSettings settings = keeps ? record->settings : cls.after;
    CellRecord* const cell = admission_.of_listed(bearer, *settings, record);
    reload_.wish.set.push_back({bearer.ue, settings, Origin::file, cell, downlink_of(bearer)});
  }
  // Requires: add_listed() has all that the file lists.
  void add_other(const dp::UeAddress& ue, const Record& record) {
    if (listed_.contains(ue)) return;
    if (record.origin == Origin::file) return reload_.wish.remove.push_back(ue);
    const ClassChange& cls = classes_[record.settings->cls];
    const bool follows = cls.changed() && record.settings == cls.before;
    const SharedSettings settings = follows ? cls.after : record.settings;
    CellRecord* const cell = admission_.of_other(ue, *settings, record);
    if (!fits(*settings, cell)) {
      if (without_cell_++ == 0) first_without_cell_ = ue;
    } else if (follows || cell != record.cell) {
      reload_.wish.set.push_back({ue, settings, record.origin, cell});
    }
  }
  void refuse_those_without_cell() {
    if (without_cell_ == 0) return;
    reload_.refused.push_back(fmt::format(
        "{} of classes whose link is now `cell` cannot follow, since nothing says in which cell they are: {} "
        "first; name one with bearer.set",
        config::counted(without_cell_, "bearer"), registry_.text_of(first_without_cell_)));
  }

 private:
  // The downlink TEID of a bearer that the file lists; none if it may stay as it runs.
  std::optional<std::uint32_t> downlink_of(const config::Bearer& bearer) const {
    const auto at = downlinks_.find(bearer.ue);
    const std::uint32_t before = at == downlinks_.end() ? 0 : at->second;
    const bool stays = registry_.find(bearer.ue) != nullptr && before == bearer.downlink_teid;
    return stays ? std::nullopt : std::optional(bearer.downlink_teid);
  }

  const BearerRegistry& registry_;
  Reload& reload_;
  const CellAdmission admission_;
  const std::map<dp::UeAddress, std::uint32_t> downlinks_;
  const std::vector<ClassChange> classes_;
  std::set<dp::UeAddress> listed_;
  std::size_t without_cell_ = 0;
  dp::UeAddress first_without_cell_{};
};

// Bearers may be learnt between two slices, so the walk resumes in the registry by address.
Slices wish_for(const config::Config& before, const BearerRegistry& registry, std::vector<CellRecord*> cells,
                Reload& reload) {
  WishMaker maker(before, registry, std::move(cells), reload);
  for (const config::Bearer& bearer : reload.config.bearers) {
    maker.add_listed(bearer);
    co_await Slices::Pause{};
  }
  for (auto at = registry.all().begin(); at != registry.all().end();) {
    const dp::UeAddress ue = at->first;
    maker.add_other(ue, at->second);
    co_await Slices::Pause{};
    at = registry.after(ue);
  }
  maker.refuse_those_without_cell();
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
