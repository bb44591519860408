// Cells: sectors whose slots bearers share. Which bearers do is said with each bearer, by the cell's name.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/model.h"
#include "config/notation/table.h"

namespace config {

// What a cell is before its first key. Above a true scheduler nobody may starve the others by always being
// new: short flows go first in three of four slots. (In a scenario of the papers they do in all.)
dp::CellSettings fresh_cell();

struct CellsKind {
  std::string type() const { return "map"; }
  std::string values() const { return "name of the cell to its settings"; }
  void load(Reader& reader, const Node& node, std::vector<Cell>& into) const;
  Json print(const std::vector<Cell>& cells) const;
  void list(std::vector<HelpRow>& out, const std::string& path, const std::vector<Cell>&) const;
};

// What the map gives replaces what `settings` say.
void load_cell_settings(Reader& reader, const Node& node, dp::CellSettings& settings);
Json print_cell_settings(const dp::CellSettings& settings);

// "a cell that is defined under `cells`; did you mean ...": completes "found X, expected".
std::string known_cells(std::string_view found, const std::vector<Cell>& cells);

// The cell of the list's entry `node` that is of the class: kNoCell where its link is none, or where
// something is wrong, which it tells. `cell`: the entry's key of that name.
CellId load_cell_of(Reader& reader, const Node& node, const std::optional<Node>& cell, const Config& config,
                    dp::ClassId cls);

}  // namespace config
