#include "control/host/own_paths.h"

#include <fmt/core.h>

#include "control/host/exit_code.h"
#include "control/host/group.h"
#include "control/host/instance.h"
#include "control/host/own_file.h"
#include "control/host/unread.h"

namespace control {
namespace {

dp::Status judge_state(const std::string& path, const PathsJudged& how) {
  const OwnFile state{kStateKind, path, "control.state"};
  if (is_file(path, how.config_file)) {
    return dp::Error{
        fmt::format("control.state: found {}, the configuration itself, expected a path of its own; "
                    "it is left alone, name another path",
                    path),
        kExitConfig};
  }
  if (auto safe = folder_is_safe(state); !safe) return safe;
  if (!how.restore || !may_be_damaged(state)) {
    if (auto ours = nothing_else_there(state); !ours) return ours;
  }
  if (auto free = nothing_else_there({kStateKind, path + ".new", "control.state"}); !free) return free;
  return how.written ? folder_is_writable(state) : dp::ok();
}

dp::Status judge_socket(const std::string& path, const std::string& key, const PathsJudged& how) {
  if (auto fit = Instance::judge(path, key); !fit) return fit;
  if (!how.written) return dp::ok();
  if (auto nobody = Instance::nobody_listens(path, key); !nobody) return nobody;
  return folder_is_writable({kLockKind, path, key});
}

}  // namespace

std::vector<dp::Error> judge_paths(const config::Config& config, const PathsJudged& how) {
  std::vector<dp::Error> errors;
  const auto add = [&](const dp::Status& judged) {
    if (judged) return;
    // At a check somebody else may be asking than who will run it.
    if (!how.written && judged.error().exit_code != kExitConfig) return;
    errors.push_back(judged.error());
  };
  const config::Control& control = config.control;
  add(judge_socket(control.socket, "control.socket", how));
  if (!control.read_only.empty()) add(judge_socket(control.read_only, "control.read_only", how));
  if (how.written && !control.group.empty()) add(may_give_to_group(control.group));
  if (!control.state.empty()) add(judge_state(control.state, how));
  return errors;
}

}  // namespace control
