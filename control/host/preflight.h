// Judges whether this host can run a configuration, before anything is touched. Pure; every complaint names
// what was found, what is needed and the command that mends it, and all come at once.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "config/model.h"
#include "control/host/exit_code.h"
#include "control/host/host_facts.h"
#include "control/host/memory.h"
#include "control/host/sizing.h"
#include "dataplane/base/ids.h"
#include "dataplane/dpdk/start.h"

namespace control {

struct Complaint {
  std::string text;
  int exit_code = kExitHardware;
};

// The other end of a port's veth pair, at which the kernel drops what is sent across while rncd is away.
struct FarEnd {
  dp::Side side{};
  std::string text;
};

struct Judgement {
  std::vector<Complaint> complaints;
  std::vector<std::string> hints;  // legal, but known to cause problems
  std::vector<FarEnd> far_ends;    // hints about far ends
  std::vector<std::string> notes;  // facts that could not be read

  // 0 without a complaint, 6 where another rncd runs, the code that all of them have, else 4.
  int exit_code() const;
};

// The configuration's memory outside huge pages, and its purposes.
std::string memory_text(const dp::dpdk::Settings& settings, const MemoryEstimate& estimate);

// `estimate`: by the configuration.
Judgement judge(const dp::dpdk::Settings& settings, const MemoryEstimate& estimate, const HostFacts& host);
// Adds hints at interfaces whose MTU is too small for users' packets of 1500 bytes within tunnels.
void judge_tunnels(const config::GtpU& gtp_u, const std::array<std::string, 2>& devices,
                   const HostFacts& host, Judgement& out);

}  // namespace control
