// The report of the measured process to the one that started it, one line of JSON.
#pragma once
#include <nlohmann/json.hpp>

#include "tools/bench/memory.h"

namespace bench {

nlohmann::ordered_json told_inside(const MemoryCell& cell);
// Throws when it is not such a line.
MemoryCell memory_cell_of(const nlohmann::json& told);

}  // namespace bench
