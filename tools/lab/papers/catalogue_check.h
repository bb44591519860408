// What a paper's file says of figures must be there: each with the reason and the place. Part of
// load_paper(), which everybody else uses.
#pragma once
#include "config/notation/node.h"
#include "config/notation/reader.h"
#include "tools/lab/papers/catalogue.h"

namespace lab {

// `rows`: it has some. A file of several kinds would have but one of them simulated.
void check_kind(config::Reader& reader, const config::Node& root, const Paper& paper, bool rows);
// Figures and scenes.
void check_points(config::Reader& reader, const config::Node& root, const Paper& paper);
void check_charts(config::Reader& reader, const config::Node& root, const Paper& paper);
// A statement that cannot be judged would be left out without a word.
void check_statements(config::Reader& reader, const config::Node& root, const Paper& paper);
void check_gains(config::Reader& reader, const config::Node& root, const Paper& paper);

}  // namespace lab
