// The changes that another configuration would make, key by key and bearer by bearer, in a bounded form.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "config/model.h"

namespace config {

struct Difference {
  static constexpr std::size_t kMostKeys = 200, kMostBearers = 20;

  struct Key {
    std::string path;
    nlohmann::json was, now;  // null: absent
  };
  // The number of changes, and the first of them as text.
  struct Many {
    std::size_t added = 0, removed = 0, changed = 0;
    std::vector<std::string> first{};
  };

  std::vector<Key> keys{};
  std::size_t more_keys = 0;
  std::vector<std::string> frozen{};  // paths of keys that cannot change while rncd runs
  Many bearers{}, rules{};
};

Difference difference(const Config& running, const Config& wanted);

}  // namespace config
