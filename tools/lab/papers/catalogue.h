// What the papers printed: one entry a row of their tables, as data with its source, and the scenario that
// stands for it. Constant; nobody owns it.
#pragma once
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/load.h"
#include "dataplane/base/result.h"
#include "tools/lab/figures/stats.h"

namespace lab {

struct Paper {
  std::string_view name;                // 000
  std::string_view title;               // with its authors
  std::string_view scenario;            // base scenario in tools/lab/scenarios/
  std::string_view fitted;              // its choices that were made after looking at the papers' figures
  std::string_view fitted_beside = "";  // those of this paper alone
  std::string_view part = "";           // of a paper that has no rows but figures: what `--part` names
};

inline constexpr Estimate kNothing{std::numeric_limits<double>::quiet_NaN(), 0};
// A limit that says that the error is told, not judged.
inline constexpr double kUnjudged = std::numeric_limits<double>::infinity();

// What a paper has to say on its choices that were fitted.
std::string fitted_text(const Paper& paper);

struct PaperRow {
  std::string_view paper;  // name
  std::string_view id;     // A1; rows of one scheme at several rates: B5/384; another form: A2/literal
  std::string_view table;
  unsigned flows = 1;
  unsigned rate_kbit_s = 384;
  unsigned buffer_sdus = 50;
  std::string_view aqm = "drop-tail";  // in the notation of the configuration
  std::string_view ack = "";           // ACK stages, likewise; empty: none
  Estimate goodput_kbit_s = kNothing, delay_s = kNothing;
  double goodput_limit = 0.05;  // largest error that counts as inside, as a ratio; or kUnjudged
  double delay_limit = 0.25;

  // Or else the paper only says how it compares with others.
  bool printed() const { return goodput_kbit_s.mean == goodput_kbit_s.mean; }
};

std::span<const Paper> papers();
std::span<const PaperRow> paper_rows();  // of all papers

// The paper of that name; nullptr with an error that names the valid ones.
dp::Result<const Paper*> find_paper(std::string_view name);

// The rows of a paper that `ids` names, in the catalogue's order; no ids: all of them. "B5" means B5/384,
// B5/256 and so on.
dp::Result<std::vector<const PaperRow*>> select_rows(const Paper& paper, std::span<const std::string> ids);

// What makes the base scenario this row's.
config::Overrides overrides_of(const PaperRow& row);

// A scenario file that is part of the program: its text, empty when there is none of that name.
std::string_view embedded_scenario(std::string_view name);

}  // namespace lab
