// Cells: sectors whose slots bearers share. A bearer names its cell.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/model.h"
#include "config/notation/table.h"

namespace config {

// The default cell. Its short flows have priority in three of four slots, so that users cannot starve the
// others by always starting new flows. (In scenarios of the papers they have it in all slots.)
dp::CellSettings fresh_cell();

struct CellsKind {
  std::string type() const { return "map"; }
  std::string values() const { return "name of the cell to its settings"; }
  void load(Reader& reader, const Node& node, std::vector<Cell>& into) const;
  Json print(const std::vector<Cell>& cells) const;
  void list(std::vector<HelpRow>& out, const std::string& path, const std::vector<Cell>&) const;
};

// Keys of the map replace those of `settings`.
void load_cell_settings(Reader& reader, const Node& node, dp::CellSettings& settings);
Json print_cell_settings(const dp::CellSettings& settings);

// "a cell that is defined under `cells`; did you mean ...": completes "found X, expected".
std::string known_cells(std::string_view found, const std::vector<Cell>& cells);

// The cell of the list entry `node`, which is of class `cls`: kNoCell if its link is none, or after a
// reported error. `cell`: the entry's key of that name.
CellId load_cell_of(Reader& reader, const Node& node, const std::optional<Node>& cell, const Config& config,
                    dp::ClassId cls);

}  // namespace config
