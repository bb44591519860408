// The keys of figures in a paper file: points, charts and statements.
#pragma once
#include <string>
#include <string_view>

#include "config/notation/table.h"
#include "tools/lab/papers/catalogue.h"
#include "tools/lab/papers/kinds.h"

namespace lab {

inline constexpr config::ListOf<config::Checkable<std::string>> kNameList{kText, "names"};
inline constexpr config::ListOf<NumberKind> kNumberList{{}, "numbers"};
inline constexpr dp::FieldTable kFigureKeys{
    config::Row{"users", &FigurePoints::users,
                config::ListOf<config::Quantity<std::uint32_t>>{kCount, "numbers of users"},
                "how many flows are measured; a line for each", true},
    config::Row{"lines", &FigurePoints::lines, kNameList, "of `lines`", true},
    config::Row{"x", &FigurePoints::x, kNumberList, "what differs along the figure", true},
    config::Row{"few", &FigurePoints::few, kNumberList, "of these, for a first look; all if not given"},
    config::Row{"short", &FigurePoints::short_form,
                config::Quantity<dp::Duration>{dp::Unit::duration, dp::Duration{1'000'000'000},
                                               dp::Duration{10'000'000'000'000'000}},
                "simulated time of a run for a first look", false, "300s"},
    config::Row{"sized", &FigurePoints::sized, config::YesNo{}, "x is the buffer, in packets", false, "no"},
    config::Row{"cross", &FigurePoints::cross, config::YesNo{}, "the flows of that name are on", false, "no"},
    config::Row{"lossy", &FigurePoints::lossy, config::YesNo{}, "x is the share of packets lost", false,
                "no"},
    config::Row{"set", &FigurePoints::set, SettingsKind{}, "keys of the scenario"},
};

inline constexpr std::string_view kBoundTakes[] = {"lowest", "highest", "mean"};
inline constexpr dp::FieldTable kBoundKeys{
    config::Row{"take", &FigureBound::take, config::OneOf<FigureBound::Take>{kBoundTakes},
                "of them, at each x", true},
    config::Row{"of", &FigureBound::of, kNameList, "of `lines`", true},
};
inline constexpr auto load_bound = [](config::Reader& reader, std::string name, const config::Node& node,
                                      FigureBound& into) {
  config::load_keys(reader, node, into, kBoundKeys);
  into.name = std::move(name);
};

inline constexpr std::string_view kOvers[] = {"x", "round-trip", "loss"};
inline constexpr dp::FieldTable kChartKeys{
    config::Row{"title", &Chart::title, kText, "of the picture and the table", true},
    config::Row{"axis", &Chart::axis, kText, "what it is drawn over, in words", true},
    config::Row{"figure", &Chart::figure, kText, "of `figures`", true},
    config::Row{"users", &Chart::users, kCount, "of these", true},
    config::Row{"value", &Chart::value, config::OneOf<FigureValue>{kFigureValues}, "what is shown", false,
                "goodput"},
    config::Row{"per", &Chart::per, kText, "the line whose shares the others are shown as"},
    config::Row{"over", &Chart::over, config::OneOf<Chart::Over>{kOvers}, "what it is drawn over", false,
                "x"},
    config::Row{"logarithmic", &Chart::logarithmic, config::YesNo{}, "that axis", false, "no"},
    config::Row{"beside", &Chart::beside, config::OneOf<Chart::Over>{kOvers},
                "what tables have beside goodput", false, "x: nothing"},
    config::Row{"along", &Chart::along, kText, "of tables: what x is, where the axis has something else"},
    config::Row{"lines", &Chart::lines, config::ListOf<FigureOfLineKind>{{}, "lines"},
                "of any figures, in place of all lines of `figure`"},
};

inline constexpr std::string_view kTakes[] = {"lowest", "highest", "mean", "fall"};
inline constexpr std::string_view kJudgements[] = {
    "each",         "farthest",      "apart", "order", "first-below-second", "first-above-second",
    "first-lowest", "first-highest", "added", "rise",  "each-rises"};
inline constexpr dp::FieldTable kStatementKeys{
    config::Row{"text", &Statement::text, kText, "what the paper says", true},
    config::Row{"paper", &Statement::paper, kText, "what it has for it"},
    config::Row{
        "of", &Statement::of, config::ListOf<LineNameKind>{{}, "lines"},
        "what is read: a line's goodput, or the value that is named; over or per another, that line `best`, "
        "another FIGURE/LINE's last value or its own at a number: the change or share",
        true},
    config::Row{"over", &Statement::over, config::OneOf<Chart::Over>{kOvers},
                "along what: x; kbit/s, where round trips are read; or the measured loss", false, "x"},
    config::Row{"at", &Statement::at, kNumberList, "where it is read"},
    config::Row{"take", &Statement::take,
                config::ListOf<config::OneOf<Statement::Take>>{{kTakes}, "lowest, highest, mean, or fall"},
                "of all points; fall: where it falls below 0"},
    config::Row{"from", &Statement::from, NumberKind{}, "of these: the first"},
    config::Row{"to", &Statement::to, NumberKind{}, "of these: the last"},
    config::Row{"judged", &Statement::judged, config::OneOf<Statement::Judged>{kJudgements},
                "how values are held against the limits or each other", false, "each"},
    config::Row{"at_least", &Statement::at_least, NumberKind{},
                "of changes: as a ratio; of an order: the share of x at which it is there, all if not given"},
    config::Row{"at_most", &Statement::at_most, NumberKind{}, "the same; not of an order"},
    config::Row{"near", &Statement::near, kNumberList,
                "instead: what ours is near to at each of `at`, of those that ran"},
    config::Row{"within", &Statement::within, NumberKind{}, "how far it may be off", false, "0"},
    config::Row{"times", &Statement::times, NumberKind{},
                "of first-above-second: so many times the second at least", false, "1"},
    config::Row{
        "slack", &Statement::slack, NumberKind{},
        "of an order: by how much the last may be passed; of what rises: by how much the next may be lower",
        false, "0"},
    config::Row{"shown", &Statement::shown, PatternKind{}, "ours, as {fmt} takes it", false,
                "\"{:.0f} kbit/s\" or in percent"},
    config::Row{"told", &Statement::told, config::YesNo{}, "it need not hold", false, "no"},
    config::Row{"long", &Statement::long_only, config::YesNo{}, "the short form is too short for it", false,
                "no"},
};

inline constexpr config::ListOf<config::Quantity<std::uint32_t>> kUserList{{dp::Unit::count, 1, 1000},
                                                                           "numbers of users"};
inline constexpr dp::FieldTable kSceneKeys{
    config::Row{"title", &Scene::title, kText, "of the picture and the tables", true},
    config::Row{"web", &Scene::web, kUserList, "those that ask for pages: the scenario's flow webN of user N",
                true},
    config::Row{"ftp", &Scene::ftp, kUserList, "those with a long download, the flow ftpN", true},
    config::Row{"set", &Scene::set, SettingsKind{}, "keys of the scenario"},
};
inline constexpr auto load_scene = [](config::Reader& reader, std::string name, const config::Node& node,
                                      Scene& into) {
  config::load_keys(reader, node, into, kSceneKeys);
  into.name = std::move(name);
};

inline constexpr auto load_line = [](config::Reader& reader, std::string name, const config::Node& node,
                                     FigureLine& into) {
  into.name = std::move(name);
  SettingsKind{}.load(reader, node, into.set);
};
inline constexpr auto load_figure = [](config::Reader& reader, std::string name, const config::Node& node,
                                       FigurePoints& into) {
  config::load_keys(reader, node, into, kFigureKeys);
  into.name = std::move(name);
};
inline constexpr auto load_chart = [](config::Reader& reader, std::string name, const config::Node& node,
                                      Chart& into) {
  config::load_keys(reader, node, into, kChartKeys);
  into.name = std::move(name);
};

}  // namespace lab
