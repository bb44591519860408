// ns-2 as an oracle: writes the Tcl script of a run of tests/support/tcp_runs.h, runs `ns` on it and reads
// its trace. The README beside it explains which settings are equal, and why.
#pragma once
#include <string>
#include <vector>

#include "tests/support/tcp_runs.h"

namespace dp::test {

// The agents that have a counterpart among the congestion controls.
struct Ns2Agent {
  const char* agent;
  const char* sink;
  CongestionConfig kind;
};

// Throws what went wrong, when there is no ns or no answer from it.
DropRun ns2_controlled_drops(const Ns2Agent& agent, const RunSpec& run, const std::vector<Offset>& drops,
                             Offset segments = 200);
BulkRun ns2_overshoot(const Ns2Agent& agent, const RunSpec& run, double seconds = 60);

}  // namespace dp::test
