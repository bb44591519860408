// The keys of a sweep's pictures, and the check that the grid has the points they name. Part of load_sweep();
// other code uses that.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "config/notation/kinds.h"
#include "config/notation/node.h"
#include "config/notation/reader.h"
#include "config/notation/syntax.h"
#include "config/notation/table.h"
#include "tools/lab/batch/kinds.h"
#include "tools/lab/batch/sweep_grid.h"
#include "tools/lab/figures/sweep_picture.h"

namespace lab {

inline constexpr config::ListOf<config::Checkable<std::string>> kChoiceList{
    {"text", "text", config::parse_argument, config::write_text}, "choices of the grid"};
inline constexpr dp::FieldTable kPrintedKeys{
    config::Row{"at", &PrintedPoint::at, kChoiceList, "of the last two labels, or a name of `beside`", true},
    config::Row{"goodput_kbit_s", &PrintedPoint::goodput_kbit_s, EstimateKind{}, "as printed"},
    config::Row{"delay_s", &PrintedPoint::delay_s, EstimateKind{}, "as printed"},
};
inline constexpr dp::FieldTable kPictureKeys{
    config::Row{"of", &SweepPicture::of, kChoiceList, "of all labels but the last two"},
    config::Row{"printed", &SweepPicture::printed,
                config::ListOf<RowsKind<decltype(kPrintedKeys)>>{{kPrintedKeys}, "points"},
                "what was printed for its points"},
};
inline constexpr auto load_picture = [](config::Reader& reader, std::string name, const config::Node& node,
                                        SweepPicture& into) {
  config::load_keys(reader, node, into, kPictureKeys);
  into.name = std::move(name);
};

void check_pictures(config::Reader& reader, const config::Node& root,
                    const std::vector<SweepPicture>& pictures, const SweepGrid& grid);

}  // namespace lab
