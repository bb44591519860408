// What DPDK and its drivers log: kept out of the terminal, the last lines at hand for the error of whoever
// called them. One for the process, because DPDK's log stream is.
#pragma once
#include <cstdint>
#include <string>

namespace dp::dpdk {

// Before EAL starts.
void capture_logs();

// A place in the log, and the lines since (at most the last 32; joined by "; ").
std::uint64_t log_mark();
std::string log_since(std::uint64_t mark);

}  // namespace dp::dpdk
