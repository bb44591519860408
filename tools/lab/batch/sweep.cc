#include "tools/lab/batch/sweep.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "config/notation/kinds.h"
#include "config/notation/syntax.h"
#include "config/notation/table.h"
#include "dataplane/aqm/registry.h"
#include "tools/lab/batch/kinds.h"
#include "tools/lab/batch/sweep_grid.h"
#include "tools/lab/batch/sweep_pictures.h"

namespace lab {
namespace {

using config::Node;
using config::NodeKind;
using config::Reader;
using config::Row;

// An AQM `all` becomes one choice for each AQM, under its name.
void add_choice(std::vector<Choice>& into, const Choice& choice) {
  const auto is_all = [](const auto& s) { return s.first.ends_with(".aqm") && s.second == "all"; };
  const auto all = std::ranges::find_if(choice.settings, is_all);
  if (all == choice.settings.end()) return into.push_back(choice);
  for (const std::string_view name : dp::AqmList::kNames) {
    Choice& one = into.emplace_back(choice);
    one.name = name;
    one.settings[static_cast<std::size_t>(all - choice.settings.begin())].second = name;
  }
}

struct ChoicesKind {
  std::string type() const { return "map"; }
  std::string values() const { return "name to settings: {short: {KEY: VALUE}}"; }
  void load(Reader& reader, const Node& node, std::vector<Choice>& into) const {
    if (!reader.expect_map(node, {})) return;
    for (std::size_t i = 0; i < node.size(); ++i) {
      const Reader::Scope scope(reader, node.key(i).text());
      Choice choice{std::string(node.key(i).text()), {}};
      SettingsKind{}.load(reader, node.value(i), choice.settings);
      add_choice(into, choice);
    }
  }
};

struct GridKind {
  std::string type() const { return "map"; }
  std::string values() const {
    return "key of the scenario to a list of values, or a label to a map of names to settings";
  }
  void load(Reader& reader, const Node& node, std::vector<Axis>& into) const {
    if (!reader.expect_map(node, {})) return;
    for (std::size_t i = 0; i < node.size(); ++i) {
      const Reader::Scope scope(reader, node.key(i).text());
      load_axis(reader, node.value(i), into.emplace_back(Axis{std::string(node.key(i).text()), false, {}}));
    }
  }

 private:
  static void load_axis(Reader& reader, const Node& node, Axis& axis) {
    axis.named = node.kind() == NodeKind::map;
    if ((!axis.named && node.kind() != NodeKind::list) || node.size() == 0) {
      reader.expected(node, "a list of values such as [20, 50], or a map such as {short: {KEY: VALUE}}");
      return;
    }
    if (axis.named) return ChoicesKind{}.load(reader, node, axis.choices);
    for (std::size_t i = 0; i < node.size(); ++i) {
      const std::string value = inline_text(node.item(i));
      add_choice(axis.choices, {value, {{axis.key, value}}});
    }
  }
};

constexpr config::Checkable<std::string> kWord{"text", "text", config::parse_argument, config::write_text};

constexpr dp::FieldTable kProductRows{
    Row{"of", &Product::of, config::ListOf<config::Checkable<std::string>>{kWord, "labels of the grid"},
        "whose choices, which are numbers, are multiplied", true},
    Row{"unit", &Product::unit, kWord, "of the product, such as ms"},
};

struct ProductsKind {
  std::string type() const { return "map"; }
  std::string values() const { return "key of the scenario to {of: [LABEL, LABEL], unit: UNIT}"; }
  void load(Reader& reader, const Node& node, std::vector<Product>& into) const {
    if (!reader.expect_map(node, {})) return;
    for (std::size_t i = 0; i < node.size(); ++i) {
      const Reader::Scope scope(reader, node.key(i).text());
      Product& product = into.emplace_back(Product{std::string(node.key(i).text()), {}, {}});
      config::load_keys(reader, node.value(i), product, kProductRows);
    }
  }
};

struct SweepDraft {
  std::string scenario;
  Settings set;
  SweepGrid grid;
  std::optional<std::uint32_t> runs;
  std::optional<std::uint64_t> seed;
  std::vector<SweepPicture> pictures;
};

constexpr auto axes_of = [](auto& draft) -> auto& { return draft.grid.axes; };
constexpr auto products_of = [](auto& draft) -> auto& { return draft.grid.products; };
constexpr auto beside_of = [](auto& draft) -> auto& { return draft.grid.beside; };

const dp::FieldTable kSweepRows{
    Row{"version", std::identity{}, config::VersionKind{}, "the version of this notation", true},
    Row{"scenario", &SweepDraft::scenario,
        config::Checkable<std::string>{"path", "path of a scenario", config::parse_argument,
                                       config::write_text},
        "path of the scenario, from the folder of this file", true},
    Row{"set", &SweepDraft::set, SettingsKind{}, "keys of the scenario that are different in all points"},
    Row{"grid", axes_of, GridKind{}, "what differs from point to point", true},
    Row{"products", products_of, ProductsKind{}, "keys that are products of what the grid has chosen"},
    Row{"beside", beside_of, ChoicesKind{},
        "points beside the grid, one for each choice of all labels but the last two"},
    Row{"runs", &SweepDraft::runs,
        config::OrAuto{config::Quantity<std::uint32_t>{dp::Unit::count, 1, 1'000'000}},
        "runs of each point; auto: the scenario's"},
    Row{"seed", &SweepDraft::seed,
        config::OrAuto{config::Quantity<std::uint64_t>{dp::Unit::count, 0, std::uint64_t{1} << 62}},
        "of each point's first run; auto: the scenario's"},
    Row{"pictures", &SweepDraft::pictures,
        EntriesKind{"name to {of: [CHOICE], printed: [{at: [CHOICE, CHOICE]}]}", load_picture},
        "what curves are called, and what was printed for their points"},
};

void check_products(Reader& reader, const Node& root, const SweepGrid& grid) {
  for (const Product& product : grid.products) {
    const Reader::Scope section(reader, "products"), scope(reader, product.key);
    const Node node = *root.find("products")->find(product.key);
    for (const std::string& label : product.of) {
      const Axis* const axis = grid.find(label);
      if (axis == nullptr) {
        reader.fail(node.place(), "found the label '" + label + "', expected one of the grid's");
        continue;
      }
      const auto bad =
          std::ranges::find_if(axis->choices, [](const Choice& c) { return !number_of(c.name); });
      if (bad == axis->choices.end()) continue;
      reader.fail(node.place(), "found '" + bad->name + "' among the choices of '" + label +
                                    "', expected numbers without a unit");
    }
  }
}

void check_size(Reader& reader, const Node& root, const std::vector<Axis>& grid) {
  if (grid.empty()) {
    const Reader::Scope scope(reader, "grid");
    if (const auto node = root.find("grid")) reader.expected(*node, "at least one " + GridKind{}.values());
    return;
  }
  double size = 1;
  for (const Axis& axis : grid) size *= static_cast<double>(axis.choices.size());
  if (size > static_cast<double>(kMaxPoints)) {
    reader.fail(root.find("grid")->place(),
                fmt::format("found a grid of more than {} points; split it into several sweeps", kMaxPoints));
  }
}

}  // namespace

config::Checked<Sweep> load_sweep(std::string_view yaml, const std::string& file_name) {
  auto read = config::load_document<SweepDraft>(yaml, file_name, {}, [](Reader& reader, const Node& root) {
    SweepDraft draft;
    config::load_keys(reader, root, draft, kSweepRows);
    check_size(reader, root, draft.grid.axes);
    check_products(reader, root, draft.grid);
    check_pictures(reader, root, draft.pictures, draft.grid);
    return draft;
  });
  if (!read) return {std::nullopt, std::move(read.problems)};
  SweepDraft& draft = *read;
  Sweep sweep{std::move(draft.scenario), std::move(draft.set), {},
              points_of(draft.grid),     draft.runs,           draft.seed,
              std::move(draft.pictures)};
  for (const Axis& axis : draft.grid.axes) sweep.axes.push_back(label_of(draft.grid, axis));
  return {std::move(sweep), {}};
}

std::string point_key(std::string_view version, std::string_view scenario_text,
                      const config::Overrides& overrides, unsigned runs, std::uint64_t seed) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  const auto add = [&](std::string_view text) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    hash = (hash ^ 0xff) * 0x100000001b3;  // no byte of UTF-8
  };
  add(version);
  add(scenario_text);
  for (const auto& one : overrides) {
    add(one.key);
    add(one.value);
  }
  add(std::to_string(runs));
  add(std::to_string(seed));
  return fmt::format("{:016x}", hash);
}

}  // namespace lab
