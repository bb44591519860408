#include "control/rpc/bearer_params.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "config/json.h"
#include "config/notation/words.h"
#include "control/bearers/dedicated.h"

namespace control::rpc {

dp::ClassId class_named(const std::string& name, const std::string& path,
                        const std::vector<config::Class>& classes) {
  const auto at =
      std::find_if(classes.begin(), classes.end(), [&](const config::Class& c) { return c.name == name; });
  if (at != classes.end()) return static_cast<dp::ClassId>(at - classes.begin());
  std::vector<std::string_view> names;
  for (const config::Class& c : classes) names.push_back(c.name);
  throw Fault(kInvalidParams,
              fmt::format("{}: no class \"{}\"{}; classes are {}", path, config::shorten(name),
                          config::did_you_mean(name, names), config::one_of(names)));
}

void refuse(const std::vector<config::Problem>& problems) {
  Json all = Json::array();
  for (const config::Problem& problem : problems) all.push_back(config::to_string(problem));
  throw Fault(kInvalidParams, all.front().get<std::string>(), Json{{"problems", all}});
}

// An address inside a /64 that has a bearer belongs to that one.
std::string around(const BearerRegistry& registry, const dp::UeAddress& ue) {
  const dp::UeAddress wide = dp::wider(ue);
  if (ue.dedicated != dp::Dedicated::no) return {};
  if (ue.kind != dp::UeKind::ipv6_128 || registry.find(wide) == nullptr) return {};
  return "; " + registry.text_of(wide) + " around it has one: name that";
}

SharedSettings SettingsReader::read(const Json& legs, const std::string& where, const SharedSettings& start) {
  if (made_ && start == start_ && legs == legs_) return made_;
  const auto settings = config::read_settings(legs, where, *start, profiles_, &traces_);
  if (!settings) refuse(settings.problems);
  legs_ = legs;
  start_ = start;
  made_ = *settings == *start ? start : SharedSettings(*settings);
  return made_;
}

const Record& need_bearer(const BearerRegistry& registry, const dp::UeAddress& ue, const std::string& path) {
  const Record* record = registry.find(ue);
  if (record != nullptr) return *record;
  throw Fault(kNoSuchBearer,
              (path.empty() ? "" : path + ": ") + no_bearer(registry, ue) + around(registry, ue));
}

CellRecord& cell_named(CellRecords& cells, const std::string& name, const std::string& path) {
  if (CellRecord* cell = cells.find(name)) return *cell;
  if (cells.all().empty()) {
    throw Fault(kInvalidParams,
                fmt::format("{}: no cell \"{}\"; there is none", path, config::shorten(name)));
  }
  std::vector<std::string_view> names;
  for (const auto& [known, cell] : cells.all()) names.push_back(known);
  throw Fault(kInvalidParams, fmt::format("{}: no cell \"{}\"{}; cells are {}", path, config::shorten(name),
                                          config::did_you_mean(name, names), config::one_of(names)));
}

void count_changes(LatestView& view, const Applied& applied, std::chrono::steady_clock::time_point asked) {
  for (const auto answered : applied.changed_at) view.changes.seconds.add(answered - asked);
  view.changes.lost_frames.add(applied.lost);
}

}  // namespace control::rpc
