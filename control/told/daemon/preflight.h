// Judges whether this host can run a configuration of rncd-told, by trying what a start does and keeping
// nothing of it, and whether the rncd that runs has what the configuration names.
#pragma once
#include <chrono>
#include <string>
#include <vector>

#include "control/told/daemon/settings.h"

namespace control::told {

struct ToldJudgement {
  std::vector<std::string> complaints;  // why it would not start
  std::vector<std::string> hints;       // it starts, and bearers are not, or not at once, as they are told
};

// Asks rncd for its configuration, and waits for the answer for at most `patience`.
ToldJudgement judge_host(const ToldConfig& config,
                         std::chrono::milliseconds patience = std::chrono::seconds(5));

}  // namespace control::told
