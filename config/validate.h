// Rules between sections. `root` gives the values' places for messages.
// Tests: tests/unit/config/impossible_test.cc
#pragma once
#include "config/model.h"
#include "config/notation/reader.h"

namespace config {

void validate(const Config& config, const Node& root, Reader& reader);

}  // namespace config
