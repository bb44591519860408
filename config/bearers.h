// Classes, and the bearers made of them: listed ones, prefixes that are learnt, requests on the socket.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "config/json.h"
#include "config/model.h"
#include "config/notation/table.h"

namespace config {

inline constexpr std::uint32_t kMaxBearers = 1'000'000;

struct ClassesKind {
  std::string type() const { return "map"; }
  std::string values() const { return "name of the class to its legs"; }
  void load(Reader& reader, const Node& node, std::vector<Class>& into) const;
  Json print(const std::vector<Class>& classes) const;
  void list(std::vector<HelpRow>& out, const std::string& path, const std::vector<Class>&) const;
};

// One list in the file has both bearers and learnt prefixes. Requires: classes, cells and networks are
// loaded.
struct BearersKind {
  bool named_cells = true;  // a bearer with the link `cell` names its cell; if false there is one unnamed
                            // cell

  std::string type() const { return "list"; }
  std::string values() const { return "list of UEs and prefixes"; }
  void load(Reader& reader, const Node& node, Config& into) const;
  Json print(const Config& config) const;
  void list(std::vector<HelpRow>& out, const std::string& path, const Config&) const;
};

std::optional<dp::UeAddress> load_ue(Reader& reader, const Node& node);
void load_legs(Reader& reader, const Node& node, dp::BearerSettings& settings);

}  // namespace config
