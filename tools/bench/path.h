// `rncbench path`: what a packet costs on its way through the shipped worker, side by side with what a user
// would take instead.
#pragma once
#include <string>

#include "tools/bench/options.h"

namespace bench {

// Answers the program's exit code: 0, 1 a fault in the books or a subject that could not run, 2 nothing
// to measure, 4 memory, 5 permission, 7 EAL, 130 interrupted (what was measured is printed).
int run_path(const Options& options, const std::string& version);

}  // namespace bench
