// Rules between several keys of a scenario.
#pragma once
#include "config/notation/node.h"
#include "config/notation/reader.h"
#include "tools/lab/scenario/scenario.h"

namespace lab {

// `root` gives the values' places for messages. A scenario that has failed already may be incomplete.
void check_rules(const Scenario& scenario, const config::Node& root, config::Reader& reader);

}  // namespace lab
