// Preflight of one port, and of the two together.
#pragma once
#include <array>
#include <string>

#include "control/host/preflight.h"
#include "dataplane/base/ids.h"

namespace control {

void judge_port(dp::Side side, const std::string& device, const HostFacts& host, unsigned workers,
                Judgement& out);
// Judges ports whose bearers have radio links, which need frames in one segment.
void judge_chains(const std::array<std::string, 2>& devices, const HostFacts& host, Judgement& out);
// Judges two AF_XDP ports, between which the kernel forwards frames while rncd is not running.
void judge_far_ends(const std::array<std::string, 2>& devices, const HostFacts& host, Judgement& out);
void judge_pair(const std::array<std::string, 2>& devices, const HostFacts& host, Judgement& out);

}  // namespace control
