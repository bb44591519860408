// What no single key can tell: rules between sections. `root` says where the values stand.
#pragma once
#include "config/model.h"
#include "config/notation/reader.h"

namespace config {

void validate(const Config& config, const Node& root, Reader& reader);

}  // namespace config
