#include "control/plane/reload.h"

#include <algorithm>
#include <set>

#include <fmt/core.h>

#include "config/schema.h"
#include "dataplane/bearer/class_counters.h"

namespace control {
namespace {

void refuse_frozen(const config::Config& running, const config::Config& wanted,
                   std::vector<std::string>& refused) {
  for (const std::string& key : config::frozen_differences(running, wanted)) {
    refused.push_back(key + " cannot change while rncd runs; restart it for the new value");
  }
}

// Running classes in their places with the file's settings, then the file's new ones. Answers where each
// class of the file went.
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

// What bearers of each class are made of, before and after.
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

// Bearers may be learnt between two slices, so the walk takes up the registry by address.
Slices wish_for(const config::Config& before, const config::Config& after, const BearerRegistry& registry,
                Wish& wish) {
  const std::vector<ClassChange> classes = changes_of(before, after);
  std::set<dp::UeAddress> in_file;
  for (const config::Bearer& bearer : after.bearers) {
    const ClassChange& cls = classes[bearer.cls];
    in_file.insert(bearer.ue);
    const Record* record = registry.find(bearer.ue);
    const bool keeps = record != nullptr && record->settings->cls == bearer.cls && !cls.changed();
    wish.set.push_back({bearer.ue, keeps ? record->settings : cls.after, Origin::file});
    co_await Slices::Pause{};
  }
  for (auto at = registry.all().begin(); at != registry.all().end();) {
    const dp::UeAddress ue = at->first;
    const Record& record = at->second;
    const ClassChange& cls = classes[record.settings->cls];
    const bool follows = cls.changed() && record.settings == cls.before;
    if (!in_file.contains(ue)) {
      if (record.origin == Origin::file) {
        wish.remove.push_back(ue);
      } else if (follows) {
        wish.set.push_back({ue, cls.after, record.origin});
      }
    }
    co_await Slices::Pause{};
    at = registry.after(ue);
  }
}

}  // namespace

Slices plan_reload(const config::Config& running, const config::Config& file_before,
                   const config::Config& file, const BearerRegistry& registry, Reload& reload) {
  reload.config = running;
  refuse_frozen(running, file, reload.refused);
  if (file.dataplane.mode != file_before.dataplane.mode) reload.mode = file.dataplane.mode;
  reload.config.dataplane.unknown = file.dataplane.unknown;
  reload.config.metrics.per_bearer_top = file.metrics.per_bearer_top;
  reload.config.log = file.log;
  reload.config.control.traces = file.control.traces;

  std::vector<config::Class> classes = running.classes;
  const std::vector<dp::ClassId> ids = merge_classes(classes, file.classes, reload.refused);
  if (classes.size() > dp::kMaxClasses) {
    reload.refused.push_back(fmt::format(
        "classes and bearers: with those that run there would be {} classes, at most {} fit; restart rncd",
        classes.size(), dp::kMaxClasses));
    co_return;
  }
  reload.config.profiles = file.profiles;
  reload.config.classes = std::move(classes);
  reload.config.bearers = file.bearers;
  reload.config.learn = file.learn;
  for (config::Bearer& bearer : reload.config.bearers) bearer.cls = ids[bearer.cls];
  for (config::Learn& learn : reload.config.learn) learn.cls = ids[learn.cls];
  Slices wishing = wish_for(running, reload.config, registry, reload.wish);
  co_await wishing;
}

}  // namespace control
