// Ctrl-C for programs that have something to show of what they did until then: the first SIGINT or SIGTERM
// sets a flag that belongs to the process, the second ends it at once.
#pragma once
#include <atomic>

namespace tools {

inline constexpr int kInterruptedExit = 130;

void catch_interrupts();
const std::atomic<bool>& interrupted();

}  // namespace tools
