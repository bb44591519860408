// Preflight of one port, and of the two together.
#pragma once
#include <array>
#include <string>

#include "control/host/preflight.h"
#include "dataplane/base/ids.h"

namespace control {

void judge_port(dp::Side side, const std::string& device, const HostFacts& host, unsigned workers,
                Judgement& out);
// Of ports whose bearers have air links, which take frames in one piece.
void judge_chains(const std::array<std::string, 2>& devices, const HostFacts& host, Judgement& out);
// Of two AF_XDP ports, between which the kernel sends what comes while rncd is away.
void judge_far_ends(const std::array<std::string, 2>& devices, const HostFacts& host, Judgement& out);
void judge_pair(const std::array<std::string, 2>& devices, const HostFacts& host, Judgement& out);

}  // namespace control
