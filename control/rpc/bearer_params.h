// Helpers shared by methods that change bearers: names to bearers and classes, refusals, the durations of
// changes.
#pragma once
#include <chrono>
#include <string>
#include <vector>

#include "config/model.h"
#include "config/notation/problem.h"
#include "config/profiles.h"
#include "config/traces/trace_source.h"
#include "control/rpc/methods.h"
#include "control/rpc/params.h"

namespace control::rpc {

dp::ClassId class_named(const std::string& name, const std::string& path,
                        const std::vector<config::Class>& classes);

// Refuses a request for many bearers with one answer: the first problem in words, all in data.
[[noreturn]] void refuse(const std::vector<config::Problem>& problems);

// Reads settings upon settings. Bearers of one request are mostly alike: the result of the last one is kept.
class SettingsReader {
 public:
  SettingsReader(const config::Profiles& profiles, config::TraceFolder& traces)
      : profiles_(profiles), traces_(traces) {}

  SharedSettings read(const Json& legs, const std::string& where, const SharedSettings& start);

 private:
  const config::Profiles& profiles_;
  config::TraceFolder& traces_;
  Json legs_;
  SharedSettings start_{};
  SharedSettings made_{};  // the result for these two; none at first
};

// Finds the bearer or throws a Fault; `path` is the place where it was named.
const Record& need_bearer(const BearerRegistry& registry, const dp::UeAddress& ue,
                          const std::string& path = {});

// Finds the cell or throws a Fault; `path` is the place where it was named.
CellRecord& cell_named(CellRecords& cells, const std::string& name, const std::string& path);

// Counts in the metrics a duration for each bearer that changed, and the frames lost.
void count_changes(LatestView& view, const Applied& applied, std::chrono::steady_clock::time_point asked);

}  // namespace control::rpc
