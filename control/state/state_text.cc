#include "control/state/state_text.h"

#include <algorithm>
#include <map>
#include <stdexcept>

#include <fmt/core.h>

#include "control/state/bearer_settings.h"

namespace control {
namespace {

std::string head_now(const DataPlane& plane, std::uint64_t disk) {
  return head_line(plane.config(), plane.reloader().file(), disk);
}

// The running bearer without its own settings.
SavedBearer to_saved(const dp::UeAddress& ue, const Record& record, const DataPlane& plane) {
  const Claim* const claim = plane.registry().claims().find(ue);
  return {ue,
          plane.config().classes[record.settings->cls].name,
          record.cell == nullptr ? std::string() : record.cell->name,
          {},
          record.origin,
          {},
          record.downlink_teid,
          {},
          claim == nullptr ? std::nullopt : std::optional(*claim)};
}

}  // namespace

// The configured cells of listed UEs that share slots, and the configured downlink TEIDs of bearers by TEID.
struct ListedState {
  std::map<dp::UeAddress, std::string> cells;
  std::map<dp::UeAddress, std::uint32_t> downlink_teids;

  explicit ListedState(const config::Config& config) {
    for (const config::Bearer& bearer : config.bearers) {
      if (bearer.cell != config::kNoCell) cells.emplace(bearer.ue, config.cells[bearer.cell].name);
      if (bearer.ue.dedicated == dp::Dedicated::by_teid)
        downlink_teids.emplace(bearer.ue, bearer.downlink_teid);
    }
  }
  void add_to(SavedBearer& saved) const {
    const auto cell = cells.find(saved.ue);
    if (cell != cells.end() && cell->second != saved.cell) saved.listed_cell = cell->second;
    const auto teid = downlink_teids.find(saved.ue);
    if (teid != downlink_teids.end() && teid->second != saved.downlink_teid)
      saved.listed_downlink_teid = teid->second;
  }
};

// Converts saved bearers to wishes.
class SavedWishes {
 public:
  explicit SavedWishes(DataPlane& plane)
      : plane_(plane), own_(plane.config().profiles, plane.config().control.traces) {}

  // Throws a std::runtime_error with the reason if the bearer cannot be restored.
  Want of(const SavedBearer& saved) {
    const std::vector<config::Class>& classes = plane_.config().classes;
    const auto cls = std::ranges::find(classes, saved.cls, &config::Class::name);
    if (cls == classes.end()) throw std::runtime_error("there is no class " + saved.cls);
    const auto id = static_cast<dp::ClassId>(cls - classes.begin());
    const auto settings = own_.upon(plane_.bearers().settings_of(id), saved.legs);
    if (!settings) throw std::runtime_error(config::to_string(settings.problems.front()));
    Want want{saved.ue, *settings, saved.origin, cell_of(saved), saved.downlink_teid, saved.claim};
    if (!fits(*want.settings, want.cell)) {
      throw std::runtime_error(fmt::format("its downlink {} the slots of a cell, and it {} in one",
                                           want.cell == nullptr ? "shares" : "does not share",
                                           want.cell == nullptr ? "was not" : "was"));
    }
    return want;
  }

 private:
  CellRecord* cell_of(const SavedBearer& saved) {
    if (saved.cell.empty()) return nullptr;
    CellRecord* cell = plane_.cells().records().find(saved.cell);
    if (cell == nullptr) throw std::runtime_error("there is no cell " + saved.cell);
    return cell;
  }

  DataPlane& plane_;
  OwnSettings own_;
};

Slices write_state(const DataPlane& plane, std::uint64_t disk, std::string& text) {
  const std::string head = head_now(plane, disk);
  const ListedState listed(plane.config());
  OwnSettings own(plane.config().profiles, plane.config().control.traces);
  text = head;
  std::size_t bearers = 0;
  // Bearers come and go between two slices, so the walk resumes in the registry by address.
  for (auto at = plane.registry().all().begin(); at != plane.registry().all().end();) {
    const dp::UeAddress ue = at->first;
    const Record& record = at->second;
    SavedBearer saved = to_saved(ue, record, plane);
    listed.add_to(saved);
    saved.legs = own.beside(plane.bearers().settings_of(record.settings->cls), record.settings);
    text += bearer_line(saved, plane.config().networks);
    ++bearers;
    co_await Slices::Pause{};
    at = plane.registry().after(ue);
  }
  text += end_line(bearers);
  if (head_now(plane, disk) != head) text.clear();
}

Slices wish_again(const std::vector<SavedBearer>& saved, DataPlane& plane, Wish& wish,
                  Unrestored& unrestored) {
  SavedWishes wishes(plane);
  for (const SavedBearer& bearer : saved) {
    try {
      wish.set.push_back(wishes.of(bearer));
    } catch (const std::runtime_error& e) {
      if (unrestored.bearers++ == 0) unrestored.first = plane.registry().text_of(bearer.ue) + ": " + e.what();
    }
    co_await Slices::Pause{};
  }
}

}  // namespace control
