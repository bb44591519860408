// The code that callgrind counts: polls of the worker, or of its ports alone. Under another program, or none,
// it runs and nothing is counted. Plain: no rte_ names.
#pragma once
#include <cstdint>

#include "tools/bench/dpdk/traffic.h"

namespace dp::yardstick {

// Polls of a worker over ports of memory, each a burst's time after the one before, until about `frames` have
// come in while everything is counted. Returns the number of frames.
std::uint64_t count_worker(const Traffic& traffic, std::uint64_t frames);
// Polls without the worker: frames are made, received and taken back.
std::uint64_t count_ports(const Traffic& traffic, std::uint64_t frames);

}  // namespace dp::yardstick
