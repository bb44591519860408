// Preflight of the CPUs that workers run on.
#pragma once
#include "control/host/preflight.h"

namespace control {

// One that this process may not use is a complaint.
void judge_cpus(const dp::dpdk::Settings& settings, const HostFacts& host, Judgement& out);
// Hints: more workers than CPUs, and a worker's CPU that others use too.
void judge_workers(const dp::dpdk::Settings& settings, const HostFacts& host, Judgement& out);
void judge_shared_cpus(const dp::dpdk::Settings& settings, const HostFacts& host, Judgement& out);

// The CPU of each worker, in order, each once. Requires: the settings have CPUs.
std::vector<unsigned> worker_cpus(const dp::dpdk::Settings& settings);

}  // namespace control
