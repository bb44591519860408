// The keys of gain tables in a paper file.
#pragma once
#include <string>

#include "config/notation/table.h"
#include "tools/lab/papers/catalogue.h"
#include "tools/lab/papers/figure_keys.h"
#include "tools/lab/papers/kinds.h"

namespace lab {

inline constexpr dp::FieldTable kGainRowKeys{
    config::Row{"name", &GainRow::name, kText, "of the row", true},
    config::Row{"figure", &GainRow::figure, kText, "of `figures`", true},
    config::Row{"x", &GainRow::x, NumberKind{}, "the point of it", true},
    config::Row{"rate", &GainRow::rate, NumberKind{}, "expected of the line `over`, kbit/s"},
    config::Row{"gains", &GainRow::gains, kNumberList, "expected of `lines`, in percent"},
    config::Row{"lines", &GainRow::lines, kNameList, "of the figure, in place of the table's"},
};

inline constexpr dp::FieldTable kGainKeys{
    config::Row{"title", &GainTable::title, kText, "of the table and its pictures", true},
    config::Row{"axis", &GainTable::axis, kText, "what x is, in words", true},
    config::Row{"over", &GainTable::over, kText, "the line that the others are held against", true},
    config::Row{"lines", &GainTable::lines, kNameList, "of which the gains are shown", true},
    config::Row{"rows", &GainTable::rows,
                config::ListOf<RowsKind<decltype(kGainRowKeys)>>{{kGainRowKeys}, "rows"}, "points of figures",
                true},
    config::Row{"rates_within", &GainTable::rates_within, config::Quantity<double>{dp::Unit::ratio, 0, 1},
                "told: so far the rates may be off from those expected"},
    config::Row{
        "from", &GainTable::from, kText,
        "the row from which the others differ: each gain must lie on the side of its own that was expected"},
    config::Row{"from_gains", &GainTable::from_gains, kNumberList,
                "expected of that row where the others were, should its own `gains` be of another model"},
    config::Row{"least", &GainTable::least, NumberKind{}, "percentage points of a difference that has a side",
                false, "5"},
};

inline constexpr auto load_gains = [](config::Reader& reader, std::string name, const config::Node& node,
                                      GainTable& into) {
  config::load_keys(reader, node, into, kGainKeys);
  into.name = std::move(name);
};

}  // namespace lab
