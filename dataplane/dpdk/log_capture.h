// The log of DPDK and its drivers, kept out of the terminal: the last lines are available for the error
// message of a failed call. One for the process, because DPDK's log stream is.
#pragma once
#include <cstdint>
#include <string>

namespace dp::dpdk {

// Call it before EAL starts.
void capture_logs();

// A position in the log, and the lines since it (at most the last 32; joined by "; ").
std::uint64_t log_mark();
std::string log_since(std::uint64_t mark);

}  // namespace dp::dpdk
