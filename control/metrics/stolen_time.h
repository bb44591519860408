// Time in which a thread could have run and had no CPU, by the kernel's scheduler
// (/proc/self/task/TID/schedstat). Time that the host of a virtual machine takes is not in it.
// Tests: tests/unit/control/metrics/metrics_test.cc
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace control {

// Nanoseconds since the thread began; nothing if the kernel keeps no such statistics, or has no such thread.
std::optional<std::uint64_t> stolen_ns(int thread_id);

// The second number of `text`, which is "<ns on a CPU> <ns waiting for one> <time slices>".
std::optional<std::uint64_t> run_delay_of(std::string_view text);

}  // namespace control
