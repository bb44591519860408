// Bearers: listed ones, with the dedicated ones of their UEs, and prefixes that are learnt.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "config/json.h"
#include "config/model.h"
#include "config/notation/table.h"

namespace config {

inline constexpr std::uint32_t kMaxBearers = 1'000'000;

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

}  // namespace config
