#include "config/cells.h"

#include <algorithm>

#include <fmt/core.h>

#include "config/choice.h"
#include "config/notation/kinds.h"
#include "config/notation/syntax.h"

namespace config {
namespace {

constexpr auto kSettingsRows =
    dp::joined(dp::FieldTable{Row{"scheduler", &dp::CellSettings::scheduler, Choice<dp::SchedulerList>{},
                                  "whose each slot is", false, "pf", "001 section 6.2"}},
               field_rows<dp::CellSettings>());

bool divides(std::uint32_t slots) { return slots != 0 && dp::kCellUnitsPerBit % slots == 0; }

// "600 or 750" for 700: the nearest values that the row allows.
std::string near(std::uint32_t slots) {
  constexpr auto kField =
      dp::CellSettings::kFields.apply([](const auto& first, const auto&...) { return first; });
  static_assert(kField.name == "slots");
  std::uint32_t below = slots, above = slots;
  while (!divides(below)) --below;
  while (!divides(above)) ++above;
  if (above > kField.max) return std::to_string(below);
  return below < kField.min ? std::to_string(above) : fmt::format("{} or {}", below, above);
}

}  // namespace

dp::CellSettings fresh_cell() {
  dp::CellSettings settings;
  settings.short_share = 0.75;
  return settings;
}

void load_cell_settings(Reader& reader, const Node& node, dp::CellSettings& settings) {
  load_keys(reader, node, settings, kSettingsRows);
  if (divides(settings.slots)) return;
  const auto slots = node.find("slots");
  const Reader::Scope scope(reader, "slots");
  reader.fail(slots ? slots->place() : node.place(),
              fmt::format("found {}, expected a divisor of {}, such as {}", settings.slots,
                          dp::kCellUnitsPerBit, near(settings.slots)));
}

Json print_cell_settings(const dp::CellSettings& settings) { return print_keys(settings, kSettingsRows); }

void CellsKind::load(Reader& reader, const Node& node, std::vector<Cell>& into) const {
  if (!reader.expect_map(node, {})) return;
  if (node.size() > kMaxCells) {
    return reader.fail(node.place(),
                       fmt::format("found {} cells, expected at most {}", node.size(), kMaxCells));
  }
  for (std::size_t i = 0; i < node.size() && !reader.full(); ++i) {
    const Node key = node.key(i);
    if (!is_class_name(key.text())) reader.expected(key, "a cell's name: " + std::string(kNameForm));
    const Reader::Scope scope(reader, key.text());
    Cell& cell = into.emplace_back(Cell{std::string(key.text()), fresh_cell()});
    load_cell_settings(reader, node.value(i), cell.settings);
  }
}

Json CellsKind::print(const std::vector<Cell>& cells) const {
  Json out = Json::object();
  for (const Cell& cell : cells) out[cell.name] = print_cell_settings(cell.settings);
  return out;
}

void CellsKind::list(std::vector<HelpRow>& out, const std::string& path, const std::vector<Cell>&) const {
  list_keys(out, path + ".NAME", fresh_cell(), kSettingsRows);
}

std::string known_cells(std::string_view found, const std::vector<Cell>& cells) {
  if (cells.empty()) return "a cell that is defined under `cells`; there is none";
  std::vector<std::string_view> names;
  for (const Cell& cell : cells) names.push_back(cell.name);
  const auto hint = did_you_mean(found, names);
  return "a cell that is defined under `cells`" + (hint.empty() ? ": " + one_of(names) : hint);
}

CellId load_cell_of(Reader& reader, const Node& node, const std::optional<Node>& cell, const Config& config,
                    dp::ClassId cls) {
  DP_EXPECT(cls < config.classes.size());
  const Class& of = config.classes[cls];
  const bool shares = std::holds_alternative<dp::CellSpec::Config>(of.downlink.link);
  if (!cell) {
    if (!shares) return kNoCell;
    reader.missing_key(
        node.place(), "cell",
        fmt::format("; the link of its `class`, {}, is `cell`: write in which, `cell: NAME`", of.name));
    return kNoCell;
  }
  const Reader::Scope scope(reader, "cell");
  if (!is_text(*cell, reader.strict())) {
    reader.expected(*cell, "the name of a cell");
    return kNoCell;
  }
  const auto at = std::ranges::find(config.cells, cell->text(), &Cell::name);
  if (at == config.cells.end()) {
    reader.expected(*cell, known_cells(cell->text(), config.cells));
    return kNoCell;
  }
  if (shares) return static_cast<CellId>(at - config.cells.begin());
  reader.fail(cell->place(),
              fmt::format("found `cell`, but the downlink's link of its `class`, {}, is `{}`; remove it, or "
                          "take a class whose link is `cell`",
                          of.name, dp::LinkList::kNames[of.downlink.link.index()]));
  return kNoCell;
}

}  // namespace config
