// The key `proxy` of a class or bearer: the split proxy of its TCP connections, or none.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "config/notation/table.h"
#include "dataplane/split/split_config.h"

namespace config {

struct ProxyKind {
  using Proxy = std::optional<dp::SplitConfig>;

  std::string type() const { return "name or map"; }
  std::string values() const;
  // A map starts from the defaults, whatever the value was.
  void load(Reader& reader, const Node& node, Proxy& into) const;
  Json print(const Proxy& proxy) const;
  void list(std::vector<HelpRow>& out, const std::string& path, const Proxy&) const;
};

}  // namespace config
