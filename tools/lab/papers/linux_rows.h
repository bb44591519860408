// The rows of `rnclab paper linux`: downloads under the profile `low-delay` beside Linux's qdiscs, and what
// these rows have to show. Plain functions over results.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/load.h"
#include "dataplane/base/result.h"
#include "tools/lab/papers/claims.h"
#include "tools/lab/papers/experiment.h"

namespace lab {

inline constexpr std::string_view kLinuxName = "linux", kLinuxScenario = "linux.yaml";

struct LinuxRow {
  std::string_view id;
  unsigned flows = 1;
  std::string_view tcp;      // in words
  std::string_view control;  // congestion control
  bool sack = false;
  // One of the lab's own AQMs in place of the profile, and the qdisc of which it shows how near the lab's TCP
  // comes to the kernel's; told, not judged.
  std::string_view aqm = "", like = "";

  bool checks() const { return !like.empty(); }
};

std::span<const LinuxRow> linux_rows();
// Those that `ids` names; none: all.
dp::Result<std::vector<const LinuxRow*>> select_linux_rows(std::span<const std::string> ids);
config::Overrides overrides_of(const LinuxRow& row);

// Over runs of one row: goodput of the whole run, the rest of the time after the start-up.
struct LinuxFigures {
  const RowSummary &whole, &late;

  double goodput() const { return whole.of(&RunFigures::goodput_1460).mean; }  // kbit/s of payload
  // s from the arrival in the buffer to the start of transmission: HTB takes a packet from its leaf when it
  // may be sent.
  double queue() const { return late.of(&RunFigures::wait).mean; }
};
// The points that a row is: the same runs, measured as a whole and from where the scenario says.
std::string whole_id(const LinuxRow& row);
std::string late_id(const LinuxRow& row);
// Nothing unless both have run.
std::optional<LinuxFigures> figures_of(const LinuxRow& row, const Results& results);

inline constexpr double kLeastGoodput = 355, kMostQueue = 0.060;  // of one flow, kbit/s and s

std::vector<Claim> linux_rules(const Results& results);

}  // namespace lab
