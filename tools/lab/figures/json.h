// The stable JSON of rnclab's subcommands, documented member by member in tools/lab/REFERENCE.md.
#pragma once
#include <string>

#include <nlohmann/json.hpp>

#include "tools/lab/figures/summary.h"

namespace lab {

using Json = nlohmann::ordered_json;

Json json_of(const Estimate& estimate);  // {"mean", "ci90"}; null where there is no value

// The number that `pointer` ("/drops/overflow") leads to; NaN if it is missing or null.
double number_at(const Json& json, const char* pointer);
Estimate estimate_at(const Json& row, const std::string& member);  // "drops/overflow"

// {"id", "flows", then a member for each of kQuantities}
Json row_json(const std::string& id, unsigned flows, const RowSummary& summary);

// A list of {"up_to_bytes", "transfers", "response_s"}, bins without a transfer left out.
Json sizes_json(const ResponsesBySize& sizes);

// The settings shared by all runs of one call.
struct RunSetting {
  std::string version;
  std::string scenario;  // its name, or the paper's
  unsigned runs = 0;     // requested for each row
  std::uint64_t seed = 0;
  double duration_s = 0;
  bool partial = false;  // interrupted: rows have fewer runs
};

// {"version", "scenario", "runs", "seed", "duration_s", "partial", "rows"}. It contains no wall-clock time: a
// seed always makes the same bytes.
Json document_json(const RunSetting& setting, Json rows);

}  // namespace lab
