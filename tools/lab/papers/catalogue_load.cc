#include <algorithm>
#include <filesystem>
#include <functional>

#include "tools/lab/papers/catalogue.h"
#include "tools/lab/papers/catalogue_check.h"
#include "tools/lab/papers/figure_keys.h"
#include "tools/lab/papers/gain_keys.h"
#include "tools/lab/papers/kinds.h"

namespace lab {
namespace {

using config::ListOf;
using config::Node;
using config::Reader;
using config::Row;

constexpr dp::FieldTable kColumnKeys{
    Row{"heading", &Column::heading, kText, "of --list; it begins with > above numbers", true},
    Row{"sets", &Column::sets, ListOf<config::Checkable<std::string>>{kText, "keys of the scenario"},
        "that have its value"},
    Row{"unit", &Column::unit, kText, "of the value there"},
    Row{"initial", &Column::initial, PlainTextKind{}, "where a row says nothing; none: the scenario's"},
};

constexpr dp::FieldTable kRowKeys{
    Row{"table", &PaperRow::table, kText, "where the paper has it"},
    Row{"goodput_kbit_s", &PaperRow::goodput_kbit_s, EstimateKind{}, "as printed"},
    Row{"delay_s", &PaperRow::delay_s, EstimateKind{}, "as printed"},
    Row{"goodput_limit", &PaperRow::goodput_limit, LimitKind{}, "the largest error that counts as inside",
        false, "5%"},
    Row{"delay_limit", &PaperRow::delay_limit, LimitKind{}, "the same", false, "25%"},
    Row{"set", &PaperRow::set, SettingsKind{}, "keys of the scenario beside the columns'"},
    Row{"like", &PaperRow::like, kText, "the qdisc beside which it stands, told and not judged"},
};

constexpr std::string_view kBys[] = {"percent", "difference"};
constexpr std::string_view kJudged[] = {"each", "each-last-largest", "lowest", "mean"};
constexpr dp::FieldTable kChangesKeys{
    Row{"text", &RowChanges::text, kText, "what the paper says", true},
    Row{"of", &RowChanges::of, FigureKind{}, "the figure", true},
    Row{"rows", &RowChanges::pairs, ListOf<PairKind>{{}, "ROW over ROW"}, "that change", true},
    Row{"by", &RowChanges::by, config::OneOf<By>{kBys}, "percent of the second, or their difference", false,
        "percent"},
    Row{"judged", &RowChanges::judged, config::OneOf<Judged>{kJudged}, "of which changes the limits speak",
        false, "each"},
    Row{"at_least", &RowChanges::at_least, NumberKind{}, "of percentages: as a ratio"},
    Row{"at_most", &RowChanges::at_most, NumberKind{}, "the same"},
    Row{"told", &RowChanges::told, config::YesNo{}, "it need not hold", false, "no"},
    Row{"printed", &RowChanges::printed, ListOf<NumberKind>{{}, "numbers"},
        "where the paper has changes alone"},
};

constexpr dp::FieldTable kQdiscKeys{
    Row{"name", &Qdisc::name, kText, "of the qdisc", true},
    Row{"flows", &Qdisc::flows, kCount, "downloads", true},
    Row{"goodput_kbit_s", &Qdisc::goodput_kbit_s, NumberKind{}, "of payload", true},
    Row{"queue_s", &Qdisc::queue_s, NumberKind{}, "mean sojourn in it", true},
};

constexpr dp::FieldTable kGoalKeys{
    Row{"goodput_kbit_s", &Goal::goodput_kbit_s, NumberKind{}, "at least so much, of payload", true},
    Row{"queue_s", &Goal::queue_s, NumberKind{}, "a mean wait of at most so much", true},
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

struct PaperDraft : Paper {
  std::optional<Node> row_map;  // read once the columns are known
};

constexpr dp::FieldTable kKeys{
    Row{"version", std::identity{}, config::VersionKind{}, "the version of this notation", true},
    Row{"title", &PaperDraft::title, kText, "with its authors", true},
    Row{"scenario", &PaperDraft::scenario, kText,
        "with which all points begin: from the folder of this file, or else the program's own of that name",
        true},
    Row{"fitted", &PaperDraft::fitted, kText, "choices that were made after looking at the figures"},
    Row{"limits", &PaperDraft::limits, kText, "the rows' limits of goodput in words"},
    Row{"part", &PaperDraft::part, kText, "what --part names, of figures and scenes; a file needs none"},
    Row{"shows", &PaperDraft::shows, kText, "what that part is, in words"},
    Row{"columns", &PaperDraft::columns, EntriesKind{"name to {heading: TEXT, sets: [KEY]}", load_column},
        "in what rows differ"},
    Row{"rows", &PaperDraft::row_map, config::Later{"map", "id to {COLUMN: VALUE}"}, "what is simulated"},
    Row{"rising", &PaperDraft::rising, EntriesKind{"what the paper says to [ROW, ROW]", load_rising},
        "delays, from the lowest to the highest"},
    Row{"changes", &PaperDraft::changes, ListOf<RowsKind<decltype(kChangesKeys)>>{{kChangesKeys}, "changes"},
        "from row to row"},
    Row{"occupancy", &PaperDraft::occupancy, EntriesKind{"ROW to SDUs", load_occupancy},
        "SDUs in the buffer on average"},
    Row{"set", &PaperDraft::set, SettingsKind{}, "keys of the scenario, of all points of figures"},
    Row{"lines", &PaperDraft::lines, EntriesKind{"name to {KEY: VALUE}", load_line}, "what figures compare"},
    Row{"bounds", &PaperDraft::bounds, EntriesKind{"name to {take: lowest, of: [LINE]}", load_bound},
        "lines made of others, for statements"},
    Row{"figures", &PaperDraft::figures,
        EntriesKind{"name to {users: [1], lines: [NAME], x: [1, 2]}", load_figure},
        "points along an axis; in values <x> is x and <b> the buffer, also <x*2> and <b+1>"},
    Row{"charts", &PaperDraft::charts, EntriesKind{"name to {figure: NAME, title: TEXT}", load_chart},
        "how figures are shown"},
    Row{"scenes", &PaperDraft::scenes, EntriesKind{"name to {title: TEXT, web: [1], ftp: [2]}", load_scene},
        "who asks for what in a cell; each under all of `lines`"},
    Row{"statements", &PaperDraft::statements,
        ListOf<RowsKind<decltype(kStatementKeys)>>{{kStatementKeys}, "statements"}, "of what figures show"},
    Row{"gains", &PaperDraft::gains, EntriesKind{"name to {over: LINE, lines: [LINE], rows: []}", load_gains},
        "of lines over one of them in their rates of files, as tables"},
    Row{"binding", &PaperDraft::binding, config::YesNo{},
        "a required claim that does not hold fails the command", false, "no"},
    Row{"set_up", &PaperDraft::set_up, kText, "of the qdiscs' figures"},
    Row{"measured", &PaperDraft::measured, kText, "how our figures beside them are"},
    Row{"goal", &PaperDraft::goal, RowsKind<decltype(kGoalKeys)>{kGoalKeys}, "of one flow beside them"},
    Row{"qdiscs", &PaperDraft::qdiscs, ListOf<RowsKind<decltype(kQdiscKeys)>>{{kQdiscKeys}, "qdiscs"},
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
void list(std::vector<config::HelpRow>& out, const std::string& path, const dp::FieldTable<Rows...>& keys) {
  const auto add = [&](const auto& key) {
    out.push_back({path + std::string(key.name), key.kind.type(), key.kind.values(),
                   std::string(key.required ? "required" : key.initial), std::string(key.doc)});
  };
  keys.apply([&](const auto&... key) { (add(key), ...); });
}

}  // namespace

std::vector<config::HelpRow> list_paper() {
  std::vector<config::HelpRow> keys, all;
  list(keys, "", kKeys);
  for (const config::HelpRow& key : keys) {
    all.push_back(key);
    if (key.path == "columns") list(all, "columns.NAME.", kColumnKeys);
    if (key.path == "rows") list(all, "rows.ID.", kRowKeys);
    if (key.path == "bounds") list(all, "bounds.NAME.", kBoundKeys);
    if (key.path == "figures") list(all, "figures.NAME.", kFigureKeys);
    if (key.path == "charts") list(all, "charts.NAME.", kChartKeys);
    if (key.path == "scenes") list(all, "scenes.NAME.", kSceneKeys);
    if (key.path == "statements") list(all, "statements[].", kStatementKeys);
    if (key.path == "gains") {
      list(all, "gains.NAME.", kGainKeys);
      list(all, "gains.NAME.rows[].", kGainRowKeys);
    }
    if (key.path == "changes") list(all, "changes[].", kChangesKeys);
    if (key.path == "goal") list(all, "goal.", kGoalKeys);
    if (key.path == "qdiscs") list(all, "qdiscs[].", kQdiscKeys);
  }
  return all;
}

config::Checked<Paper> load_paper(std::string_view yaml, const std::string& file_name) {
  const auto load = [&](Reader& reader, const Node& root) {
    PaperDraft draft;
    draft.name = std::filesystem::path(file_name).stem();
    config::load_keys(reader, root, draft, kKeys);
    if (const std::string end = "-" + draft.part; !draft.part.empty() && draft.name.ends_with(end)) {
      draft.name.resize(draft.name.size() - end.size());
    }
    check_kind(reader, root, draft, draft.row_map && draft.row_map->size() > 0);
    check_points(reader, root, draft);
    check_charts(reader, root, draft);
    check_statements(reader, root, draft);
    check_gains(reader, root, draft);
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
