// The benchmarks of a whole running rncd, which are Python beside the rig that starts it (tools/bench/live):
// rncbench knows their names and becomes them.
#pragma once
#include <array>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

namespace bench {

inline constexpr std::array<std::pair<const char*, const char*>, 3> kLiveBenchmarks{{
    {"control", "a running rncd: bearers set in a second, RRC latency, start from a file, memory"},
    {"metrics", "a running rncd: what a scrape each second costs"},
    {"ports", "a running rncd: frames a second or their latency over kernel interfaces, beside testpmd"},
}};

void add_live(CLI::App& app, const char* name, const char* what);

// Does not return, unless Python cannot be started; answers the exit code then.
int run_live(const std::vector<std::string>& arguments, const std::string& name, const std::string& version);

}  // namespace bench
