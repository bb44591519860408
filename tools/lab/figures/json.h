// The stable JSON of rnclab's subcommands, documented member by member in tools/lab/REFERENCE.md.
#pragma once
#include <string>

#include <nlohmann/json.hpp>

#include "tools/lab/figures/summary.h"

namespace lab {

using Json = nlohmann::ordered_json;

Json json_of(const Estimate& estimate);  // {"mean", "ci90"}; null where there is no value

// Of a member that may be missing or null, then NaN: "/drops/overflow".
double number_at(const Json& json, const char* pointer);
Estimate estimate_at(const Json& row, const std::string& member);  // "drops/overflow"

// {"id", "flows", then a member for each of kQuantities}
Json row_json(const std::string& id, unsigned flows, const RowSummary& summary);

// A list of {"up_to_bytes", "transfers", "response_s"}, bins without a transfer left out.
Json sizes_json(const ResponsesBySize& sizes);

// What all runs of one call share.
struct RunSetting {
  std::string version;
  std::string scenario;  // its name, or that of the paper
  unsigned runs = 0;     // asked for a row
  std::uint64_t seed = 0;
  double duration_s = 0;
  bool partial = false;  // interrupted: rows stand on fewer runs
};

// {"version", "scenario", "runs", "seed", "duration_s", "partial", "rows"}. Nothing in it is of the clock on
// the wall: the same seed makes the same bytes.
Json document_json(const RunSetting& setting, Json rows);

}  // namespace lab
