// Checks that all figures, lines and points named in a paper file exist; errors give the reason and the
// place. Part of load_paper(); other code uses that.
#pragma once
#include "config/notation/node.h"
#include "config/notation/reader.h"
#include "tools/lab/papers/catalogue.h"

namespace lab {

// `rows`: the file has rows. A file may have only one kind, since only one would be simulated.
void check_kind(config::Reader& reader, const config::Node& root, const Paper& paper, bool rows);
// Figures and scenes.
void check_points(config::Reader& reader, const config::Node& root, const Paper& paper);
void check_charts(config::Reader& reader, const config::Node& root, const Paper& paper);
// Rejects statements that cannot be judged, which reports would silently omit.
void check_statements(config::Reader& reader, const config::Node& root, const Paper& paper);
void check_gains(config::Reader& reader, const config::Node& root, const Paper& paper);

}  // namespace lab
