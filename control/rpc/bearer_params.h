// What methods that change bearers share: names to bearers and classes, refusals, what a change took.
#pragma once
#include <chrono>
#include <string>
#include <vector>

#include "config/model.h"
#include "config/notation/problem.h"
#include "config/profiles.h"
#include "config/trace_source.h"
#include "control/rpc/methods.h"
#include "control/rpc/params.h"

namespace control::rpc {

dp::ClassId class_named(const std::string& name, const std::string& path,
                        const std::vector<config::Class>& classes);

// What is wrong with many bearers comes in one answer: the first in words, all in data.
[[noreturn]] void refuse(const std::vector<config::Problem>& problems);

// Reads settings upon settings. Bearers of one request are mostly alike: what the last one came to is kept.
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
  SharedSettings made_{};  // from these two; none at first
};

// `path` is where it was named.
const Record& need_bearer(const DataPlane& plane, const dp::UeAddress& ue, const std::string& path = {});

// `path` is where it was named.
CellRecord& cell_named(DataPlane& plane, const std::string& name, const std::string& path);

// Into the metrics: a duration for each bearer that changed, and the frames lost.
void count_changes(LatestView& view, const Applied& applied, std::chrono::steady_clock::time_point asked);

}  // namespace control::rpc
