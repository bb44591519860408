// The metrics of rncd-told, as of the last second.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "control/told/daemon/session_log.h"
#include "control/told/sink/apply_times.h"
#include "control/told/source.h"

namespace control::told {

// Plain data, for the thread that serves the page.
struct ToldReadings {
  struct OfSource {
    std::string name;
    std::array<std::size_t, kSessionStateNames.size()> sessions{};
    MessageCounts messages;
    std::uint64_t dropped = 0;    // datagrams that were not read
    std::uint64_t not_taken = 0;  // sessions beyond max_sessions
  };
  std::vector<OfSource> sources;
  ApplyTimes apply;
  std::size_t drift = 0;
  bool connected = false;
  std::uint64_t refusals = 0;
};

// The page in Prometheus' text format.
std::string page_of(const ToldReadings& readings);

}  // namespace control::told
