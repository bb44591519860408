// What no single key of a scenario can tell: rules between them.
#pragma once
#include "config/notation/node.h"
#include "config/notation/reader.h"
#include "tools/lab/scenario/scenario.h"

namespace lab {

// `root` says where the values stand. Only what every key said is looked at; a scenario that has failed
// already may be incomplete.
void check_rules(const Scenario& scenario, const config::Node& root, config::Reader& reader);

}  // namespace lab
