// Claims about the rows of `rnclab paper linux`: downloads under the profile `low-delay` beside Linux's
// qdiscs (papers/linux.yaml). Plain functions over results.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/lab/papers/claims.h"

namespace lab {

inline constexpr std::string_view kLinuxName = "linux";

// Figures of one row over its runs: goodput over the whole run, the others after the start-up.
struct LinuxFigures {
  const RowSummary &whole, &late;

  double goodput() const { return whole.of(&RunFigures::goodput_1460).mean; }  // kbit/s of payload
  // s from the arrival in the buffer to the start of transmission: HTB takes a packet from its leaf when it
  // may be sent.
  double queue() const { return late.of(&RunFigures::wait).mean; }
};
// The two points of a row, with equal runs: measured as a whole, and from the scenario's `measured_from`.
std::string whole_id(const PaperRow& row);
std::string late_id(const PaperRow& row);
// None unless both have run.
std::optional<LinuxFigures> figures_of(const PaperRow& row, const Results& results);

std::vector<Claim> linux_rules(const Paper& linux, const Results& results);

}  // namespace lab
