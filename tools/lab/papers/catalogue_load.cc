#include <algorithm>
#include <filesystem>
#include <functional>
#include <tuple>

#include "config/notation/kinds.h"
#include "config/notation/syntax.h"
#include "config/notation/table.h"
#include "tools/lab/batch/sweep_grid.h"
#include "tools/lab/papers/catalogue.h"

namespace lab {
namespace {

using config::ListOf;
using config::Node;
using config::Reader;
using config::Row;

constexpr config::Checkable<std::string> kText{"text", "text", config::parse_argument, config::write_text};
constexpr config::Quantity<std::uint32_t> kCount{dp::Unit::count, 1, 1'000'000};

struct NumberKind {
  std::string type() const { return "number"; }
  std::string values() const { return "a number"; }
  dp::Result<double> parse(const Node& node, bool) const {
    const auto value = number_of(std::string(node.text()));
    return value ? dp::Result(*value) : dp::Result<double>(dp::Error{values()});
  }
};

struct EstimateKind {
  std::string type() const { return "list"; }
  std::string values() const { return "[mean, half of the 90 % interval]"; }
  dp::Result<Estimate> parse(const Node& node, bool strict) const {
    const dp::Error wrong{values()};
    if (node.kind() != config::NodeKind::list || node.size() != 2) return wrong;
    const auto mean = NumberKind{}.parse(node.item(0), strict),
               ci90 = NumberKind{}.parse(node.item(1), strict);
    if (!mean || !ci90) return wrong;
    return Estimate{*mean, *ci90};
  }
};

struct LimitKind {
  static constexpr config::Quantity<double> kRatio{dp::Unit::ratio, 0, 1};
  std::string type() const { return "ratio"; }
  std::string values() const { return "told, or " + kRatio.values(); }
  dp::Result<double> parse(const Node& node, bool strict) const {
    if (node.text() == "told") return kUnjudged;
    return kRatio.parse(node, strict);
  }
};

// Of a figure: a member of JSON's rows.
struct FigureKind {
  std::string type() const { return "name"; }
  std::string values() const { return "a figure of a row, such as delay_s"; }
  dp::Result<const Quantity*> parse(const Node& node, bool) const {
    const auto at = std::ranges::find(kQuantities, node.text(), &Quantity::key);
    if (at == kQuantities.end()) return dp::Error{values()};
    return &*at;
  }
};

struct PairKind {
  static constexpr std::string_view kOver = " over ";
  std::string type() const { return "text"; }
  std::string values() const { return "ROW over ROW"; }
  dp::Result<RowPair> parse(const Node& node, bool) const {
    const std::string text(node.text());
    const auto at = text.find(kOver);
    if (at == std::string::npos) return dp::Error{values()};
    return RowPair{text.substr(0, at), text.substr(at + kOver.size())};
  }
};

// A map of which each entry is an item of a list: load_one(reader, key, value, item).
template <class LoadOne>
struct EntriesKind {
  std::string_view what;
  LoadOne load_one;

  std::string type() const { return "map"; }
  std::string values() const { return std::string(what); }
  template <class T>
  void load(Reader& reader, const Node& node, std::vector<T>& into) const {
    if (!reader.expect_map(node, {})) return;
    for (std::size_t i = 0; i < node.size(); ++i) {
      const Reader::Scope scope(reader, node.key(i).text());
      load_one(reader, std::string(node.key(i).text()), node.value(i), into.emplace_back());
    }
  }
};
template <class LoadOne>
EntriesKind(const char*, LoadOne) -> EntriesKind<LoadOne>;

// A list of maps with the same keys.
template <class Table>
struct RowsKind {
  const Table& keys;

  std::string type() const { return "map"; }
  std::string values() const { return ""; }
  template <class T>
  void load(Reader& reader, const Node& node, T& into) const {
    config::load_keys(reader, node, into, keys);
  }
};
template <class Table>
RowsKind(const Table&) -> RowsKind<Table>;

struct PlainTextKind {
  std::string type() const { return "text"; }
  std::string values() const { return "a value of the scenario"; }
  void load(Reader&, const Node& node, std::string& into) const { into = inline_text(node); }
};

constexpr std::tuple kColumnKeys{
    Row{"heading", &Column::heading, kText, "of --list; it begins with > above numbers", true},
    Row{"sets", &Column::sets, ListOf<config::Checkable<std::string>>{kText, "keys of the scenario"},
        "that have its value"},
    Row{"unit", &Column::unit, kText, "of the value there"},
    Row{"initial", &Column::initial, PlainTextKind{}, "where a row says nothing; none: the scenario's"},
};

constexpr std::tuple kRowKeys{
    Row{"table", &PaperRow::table, kText, "where the paper has it"},
    Row{"goodput_kbit_s", &PaperRow::goodput_kbit_s, EstimateKind{}, "as printed"},
    Row{"delay_s", &PaperRow::delay_s, EstimateKind{}, "as printed"},
    Row{"goodput_limit", &PaperRow::goodput_limit, LimitKind{}, "the largest error that counts as inside"},
    Row{"delay_limit", &PaperRow::delay_limit, LimitKind{}, "the same"},
    Row{"set", &PaperRow::set, SettingsKind{}, "keys of the scenario beside the columns'"},
    Row{"like", &PaperRow::like, kText, "the qdisc beside which it stands, told and not judged"},
};

constexpr std::string_view kBys[] = {"percent", "difference"};
constexpr std::string_view kJudged[] = {"each", "each-last-largest", "lowest", "mean"};
constexpr std::tuple kChangesKeys{
    Row{"text", &RowChanges::text, kText, "what the paper says", true},
    Row{"of", &RowChanges::of, FigureKind{}, "the figure", true},
    Row{"rows", &RowChanges::pairs, ListOf<PairKind>{{}, "ROW over ROW"}, "that change", true},
    Row{"by", &RowChanges::by, config::OneOf<By>{kBys}, "percent of the second, or their difference"},
    Row{"judged", &RowChanges::judged, config::OneOf<Judged>{kJudged}, "of which changes the limits speak"},
    Row{"at_least", &RowChanges::at_least, NumberKind{}, "of percentages: as a ratio"},
    Row{"at_most", &RowChanges::at_most, NumberKind{}, "the same"},
    Row{"told", &RowChanges::told, config::YesNo{}, "it need not hold"},
    Row{"printed", &RowChanges::printed, ListOf<NumberKind>{{}, "numbers"},
        "where the paper has changes alone"},
};

constexpr std::tuple kQdiscKeys{
    Row{"name", &Qdisc::name, kText, "of the qdisc", true},
    Row{"flows", &Qdisc::flows, kCount, "downloads", true},
    Row{"goodput_kbit_s", &Qdisc::goodput_kbit_s, NumberKind{}, "of payload", true},
    Row{"queue_s", &Qdisc::queue_s, NumberKind{}, "mean sojourn in it", true},
};

constexpr auto load_column = [](Reader& reader, std::string name, const Node& node, Column& into) {
  config::load_keys(reader, node, into, kColumnKeys);
  into.name = std::move(name);
};
constexpr auto load_rising = [](Reader& reader, std::string text, const Node& node, RisingRows& into) {
  into.text = std::move(text);
  ListOf<config::Checkable<std::string>>{kText, "rows"}.load(reader, node, into.ids);
};
constexpr auto load_occupancy = [](Reader& reader, std::string id, const Node& node, Occupancy& into) {
  into.id = std::move(id);
  config::load_value(reader, node, kCount, into.sdus);
};

struct Draft : Paper {
  std::optional<Node> row_map;  // for when the columns are known
};

constexpr std::tuple kKeys{
    Row{"version", std::identity{}, config::VersionKind{}, "the version of this notation", true},
    Row{"title", &Draft::title, kText, "with its authors", true},
    Row{"scenario", &Draft::scenario, kText, "with which all rows begin, from the folder of this file", true},
    Row{"fitted", &Draft::fitted, kText, "choices that were made after looking at the figures"},
    Row{"part", &Draft::part, kText, "what --part names, where there are no rows"},
    Row{"columns", &Draft::columns, EntriesKind{"name to {heading: TEXT, sets: [KEY]}", load_column},
        "in what rows differ"},
    Row{"rows", &Draft::row_map, config::Later{"map", "id to {COLUMN: VALUE}"}, "what is simulated"},
    Row{"rising", &Draft::rising, EntriesKind{"what the paper says to [ROW, ROW]", load_rising},
        "delays, from the lowest to the highest"},
    Row{"changes", &Draft::changes, ListOf<RowsKind<decltype(kChangesKeys)>>{{kChangesKeys}, "changes"},
        "from row to row"},
    Row{"occupancy", &Draft::occupancy, EntriesKind{"ROW to SDUs", load_occupancy},
        "SDUs in the buffer on average"},
    Row{"set_up", &Draft::set_up, kText, "of the qdiscs' figures"},
    Row{"qdiscs", &Draft::qdiscs, ListOf<RowsKind<decltype(kQdiscKeys)>>{{kQdiscKeys}, "qdiscs"},
        "measured by somebody"},
};

void load_row(Reader& reader, const Node& node, const std::vector<Column>& columns, PaperRow& row) {
  const auto is_column = [&](Reader&, const Node& key) {
    return std::ranges::find(columns, key.text(), &Column::name) != columns.end();
  };
  config::load_keys(reader, node, row, kRowKeys, is_column);
  const std::string source = "row " + row.id;
  for (const Column& column : columns) {
    const auto given = node.find(column.name);
    const std::string value = given ? inline_text(*given) : column.initial;
    row.values.emplace(column.name, value);
    if (value.empty()) continue;
    for (const std::string& key : column.sets) row.overrides.push_back({source, key, value + column.unit});
  }
  for (const auto& [key, value] : row.set) row.overrides.push_back({source, key, value});
}

template <class... Rows>
void list(std::vector<config::HelpRow>& out, const std::string& path, const std::tuple<Rows...>& keys) {
  const auto add = [&](const auto& key) {
    out.push_back({path + std::string(key.name), key.kind.type(), key.kind.values(),
                   key.required ? "required" : "", std::string(key.doc)});
  };
  std::apply([&](const auto&... key) { (add(key), ...); }, keys);
}

}  // namespace

std::vector<config::HelpRow> list_paper() {
  std::vector<config::HelpRow> all;
  list(all, "", kKeys);
  list(all, "columns.NAME.", kColumnKeys);
  list(all, "rows.ID.", kRowKeys);
  list(all, "changes[].", kChangesKeys);
  list(all, "qdiscs[].", kQdiscKeys);
  return all;
}

config::Checked<Paper> load_paper(std::string_view yaml, const std::string& file_name) {
  const auto load = [&](Reader& reader, const Node& root) {
    Draft draft;
    draft.name = std::filesystem::path(file_name).stem();
    config::load_keys(reader, root, draft, kKeys);
    if (draft.row_map && reader.expect_map(*draft.row_map, {})) {
      for (std::size_t i = 0; i < draft.row_map->size(); ++i) {
        const Reader::Scope rows(reader, "rows"), scope(reader, draft.row_map->key(i).text());
        PaperRow& row = draft.rows.emplace_back();
        row.paper = draft.name;
        row.id = draft.row_map->key(i).text();
        load_row(reader, draft.row_map->value(i), draft.columns, row);
      }
    }
    return static_cast<Paper>(std::move(draft));
  };
  return config::load_document<Paper>(yaml, file_name, {}, load);
}

}  // namespace lab
