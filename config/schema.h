// The keys of a configuration, in one place: loading, printing, help and variable names use these tables.
// Tests: tests/unit/config/print_test.cc
#pragma once
#include <vector>

#include "config/model.h"
#include "config/notation/table.h"

namespace config {

void load_config(Reader& reader, const Node& root, Config& into);
Json print_config(const Config& config);
std::vector<HelpRow> list_config();
// The paths of keys that differ and cannot change while rncd runs.
std::vector<std::string> frozen_differences(const Config& running, const Config& wanted);
// Copies the values that cannot change while rncd runs from `wanted` to `running`.
void take_frozen(Config& running, const Config& wanted);

}  // namespace config
