// The paths that a configuration has rncd write, judged before anything is written.
// Tests: tests/system/test_own_files.py
#pragma once
#include <string>
#include <vector>

#include "config/model.h"
#include "dataplane/base/result.h"

namespace control {

struct PathsJudged {
  std::string config_file;  // which none of them may be
  bool restore = false;     // a state that cannot be read is put aside
  bool written = true;      // false: only what stands there already is judged, as far as it can be seen
};

// An error for each path at which rncd may not write: 3 where it is to be another one, 5 where a permission
// is missing.
std::vector<dp::Error> judge_paths(const config::Config& config, const PathsJudged& how);

}  // namespace control
