#include "config/difference.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "config/dedicated.h"
#include "config/networks.h"
#include "config/print.h"
#include "config/schema.h"

namespace config {
namespace {

using Value = nlohmann::json;

// Compares maps key by key, other values as a whole.
void compare(const Value& was, const Value& now, const std::string& path, Difference& out) {
  if (was == now) return;
  if (was.is_object() && now.is_object()) {
    Value keys = was;
    keys.update(now);
    for (const auto& [key, value] : keys.items()) {
      compare(was.value(key, Value()), now.value(key, Value()), path.empty() ? key : path + "." + key, out);
    }
  } else if (out.keys.size() < Difference::kMostKeys) {
    out.keys.push_back({path, was, now});
  } else {
    ++out.more_keys;
  }
}

// Leaves out bearers and rules: there may be a million. Each member of the configuration is named, so that
// none is forgotten.
Value without_lists(const Config& config) {
  const auto& [dataplane, modes, profiles, classes, cells, networks, bearers, rules, control, metrics, log] =
      config;
  Value json = to_json(Config{.dataplane = dataplane,
                              .modes = modes,
                              .profiles = profiles,
                              .classes = classes,
                              .cells = cells,
                              .networks = networks,
                              .bearers = {},
                              .learn = {},
                              .control = control,
                              .metrics = metrics,
                              .log = log});
  json.erase("bearers");
  return json;
}

// Names classes, cells and networks, since their ids may differ between two configurations.
std::string words_of(const Bearer& bearer, const Config& config) {
  return "class " + config.classes[bearer.cls].name +
         (bearer.cell == kNoCell ? "" : ", cell " + config.cells[bearer.cell].name) +
         (bearer.downlink_teid == 0 ? "" : ", downlink TEID " + teid_text(bearer.downlink_teid));
}
std::string words_of(const Learn& rule, const Config& config) {
  return fmt::format("class {}{}, learn {}, limit {}, idle {} s", config.classes[rule.cls].name,
                     rule.cell == kNoCell ? "" : ", cell " + config.cells[rule.cell].name,
                     dp::name(rule.from), rule.limit, std::chrono::duration<double>(rule.idle).count());
}

auto key_of(const Bearer& bearer, const Config& config) {
  dp::UeAddress ue = bearer.ue;
  ue.network = dp::kNoNetwork;
  return std::pair(ue, name_of(bearer.ue.network, config.networks));
}
auto key_of(const Learn& rule, const Config& config) {
  return std::pair(rule.prefix, name_of(rule.network, config.networks));
}

std::string title_of(const Bearer& bearer, const Config& config) {
  return text_of(bearer.ue, config.networks);
}
std::string title_of(const Learn& rule, const Config& config) {
  return text_of(rule.prefix, rule.network, config.networks);
}

// Sorted by UE or prefix.
template <class T>
std::vector<const T*> sorted(const std::vector<T>& list, const Config& config) {
  std::vector<const T*> out;
  out.reserve(list.size());
  for (const T& one : list) out.push_back(&one);
  std::ranges::sort(out, {}, [&config](const T* one) { return key_of(*one, config); });
  return out;
}

template <class T>
Difference::Many compare(const std::vector<T>& was, const Config& running, const std::vector<T>& now,
                         const Config& wanted) {
  Difference::Many out;
  const auto tell = [&out](const std::string& title, const std::string& words) {
    if (out.first.size() < Difference::kMostBearers) out.first.push_back(title + " " + words);
  };
  const auto before = sorted(was, running), after = sorted(now, wanted);
  auto a = before.begin(), b = after.begin();
  while (a != before.end() || b != after.end()) {
    const bool gone = b == after.end() || (a != before.end() && key_of(**a, running) < key_of(**b, wanted));
    const bool come = a == before.end() || (b != after.end() && key_of(**b, wanted) < key_of(**a, running));
    if (gone) {
      ++out.removed;
      tell(title_of(**a++, running), "removed");
    } else if (come) {
      ++out.added;
      tell(title_of(**b, wanted), "new, " + words_of(**b, wanted));
      ++b;
    } else {
      const std::string from = words_of(**a++, running), to = words_of(**b, wanted);
      if (from != to) {
        ++out.changed;
        tell(title_of(**b, wanted), from + " to " + to);
      }
      ++b;
    }
  }
  return out;
}

}  // namespace

Difference difference(const Config& running, const Config& wanted) {
  Difference out;
  compare(without_lists(running), without_lists(wanted), "", out);
  out.frozen = frozen_differences(running, wanted);
  out.bearers = compare(running.bearers, running, wanted.bearers, wanted);
  out.rules = compare(running.learn, running, wanted.learn, wanted);
  return out;
}

}  // namespace config
