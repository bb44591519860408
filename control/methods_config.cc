#include "config/json.h"
#include "config/load.h"
#include "config/print.h"
#include "control/audit.h"
#include "control/params.h"
#include "control/stats.h"

namespace control::rpc {
namespace {

// A text that takes long to read would keep the control thread from everybody else.
constexpr std::size_t kMaxConfigBytes = std::size_t{1} << 20;

}  // namespace

void mode_set(const Request& request) {
  const Params params(request.params, {"mode"});
  const auto mode = config::read_mode(params.need("mode"), "mode");
  if (!mode) throw Fault(kInvalidParams, config::to_string(mode.problems.front()));
  request.services.plane.set_mode(*mode, logged(request, "mode.set", dp::name(*mode)));
}

void config_get(const Request& request) {
  const Params params(request.params, {});
  request.done(config::to_json(request.services.plane.config()));
}

void config_check(const Request& request) {
  const Params params(request.params, {"config"});
  const std::string text = params.need_text("config");
  if (text.size() > kMaxConfigBytes) {
    params.refuse("config", "has " + std::to_string(text.size()) + " bytes, at most " +
                                std::to_string(kMaxConfigBytes) +
                                " are checked here; use rncd --check --config FILE");
  }
  config::UnopenedTraces traces;
  const auto loaded = config::load_text(text, "config", {}, &traces);
  Json errors = Json::array();
  for (const config::Problem& problem : loaded.problems) {
    const std::string where = problem.path.empty() ? "" : problem.path + ": ";
    errors.push_back(
        {{"line", problem.line}, {"column", problem.column}, {"message", where + problem.message}});
  }
  request.done(Json{
      {"ok", static_cast<bool>(loaded)}, {"errors", std::move(errors)}, {"unopened", Json(traces.words())}});
}

void stats_get(const Request& request) {
  const Params params(request.params, {});
  request.done(stats_json(request.services.plane, *request.services.view.get()));
}

}  // namespace control::rpc
