#include <exception>
#include <functional>
#include <memory>
#include <utility>

#include <fmt/core.h>

#include "config/difference.h"
#include "config/json.h"
#include "config/load.h"
#include "config/print.h"
#include "control/rpc/answer.h"
#include "control/rpc/audit.h"
#include "control/rpc/config_text.h"
#include "control/rpc/params.h"
#include "control/rpc/stats.h"

namespace control::rpc {
namespace {

Json checked(const std::string& text) {
  config::UnopenedTraces traces;
  const auto loaded = config::load_text(text, "config", {}, &traces);
  Json errors = Json::array();
  for (const config::Problem& problem : loaded.problems) {
    const std::string where = problem.path.empty() ? "" : problem.path + ": ";
    errors.push_back(
        {{"line", problem.line}, {"column", problem.column}, {"message", where + problem.message}});
  }
  return Json{
      {"ok", static_cast<bool>(loaded)}, {"errors", std::move(errors)}, {"unopened", Json(traces.words())}};
}

// Answers with a result that cannot be cut in slices, made on the thread beside. `make` is pure.
void answer_from_beside(const Request& request, std::function<Json()> make) {
  const auto outcome = std::make_shared<Outcome>();
  const auto work = [make = std::move(make), outcome] {
    try {
      *outcome = Text{to_text(make())};
    } catch (const std::exception& e) {
      *outcome = Fault(kInternalError, std::string("internal error: ") + e.what());
    }
  };
  const auto answer = [outcome, done = request.done] { done(std::move(*outcome)); };
  if (request.services.beside != nullptr)
    return request.services.beside->submit(request.client, work, answer);
  work();
  answer();
}

Json many_json(const config::Difference::Many& many) {
  return {{"new", many.added}, {"removed", many.removed}, {"changed", many.changed}, {"first", many.first}};
}

Json difference_json(const config::Difference& difference) {
  Json keys = Json::array();
  for (const auto& [path, was, now] : difference.keys)
    keys.push_back({{"key", path}, {"was", was}, {"now", now}});
  return {{"keys", std::move(keys)},
          {"more_keys", difference.more_keys},
          {"kept", difference.frozen},
          {"bearers", many_json(difference.bearers)},
          {"rules", many_json(difference.rules)}};
}

// The result of a drain; null if no proxy was waited for, and none had anything to be reset.
Json drained_json(const Drained& drained) {
  if (!drained.waited && drained.reset == 0) return nullptr;
  return {{"at_risk_before", drained.before},
          {"at_risk_after", drained.after},
          {"reset", drained.reset},
          {"seconds", drained.took.count()}};
}

}  // namespace

void mode_set(const Request& request) {
  const std::string what = named_in(request.params, "mode", "modes", "mode");
  const auto changes = std::make_shared<std::string>();
  const auto set = [&request, changes](const Done& done) {
    const Params params(request.params, kModeSet);
    const auto mode = config::read_mode(params.need("mode"), "mode");
    if (!mode) throw Fault(kInvalidParams, config::to_string(mode.problems.front()));
    const auto answer = [now = *mode, changes](const Modes::Change& change) {
      const Json drained = drained_json(change.drained);
      if (!drained.is_null()) {
        *changes =
            fmt::format("{} octets at risk, {} after {:.3f} s, {} connections reset", change.drained.before,
                        change.drained.after, change.drained.took.count(), change.drained.reset);
      }
      return Json{{"mode", dp::name(now)}, {"was", dp::name(change.was)}, {"drained", drained}};
    };
    request.services.plane.modes().set(*mode, answer_with<Modes::Change>(done, answer), params.flag("now"));
  };
  audited(request, "mode.set", what, set, changes);
}

void config_get(const Request& request) {
  const Params params(request.params, kNothing);
  const auto config = std::make_shared<const config::Config>(request.services.plane.config());
  answer_from_beside(request, [config] { return config::to_json(*config); });
}

void config_get_without_paths(const Request& request) {
  const Params params(request.params, kNothing);
  const auto config = std::make_shared<const config::Config>(request.services.plane.config());
  answer_from_beside(request, [config] {
    Json json = config::to_json(*config);
    hide_paths(json);
    return json;
  });
}

void config_upload(const Request& request) {
  const Params params(request.params, kConfigUpload);
  Uploads& uploads = request.services.uploads;
  const uid_t uid = request.peer.uid;
  std::string text = params.need_text("text");
  const Uploads::Upload& upload =
      params.has("upload")
          ? uploads.append(params.number("upload"), uid, std::move(text), Uploads::Clock::now())
          : uploads.begin(uid, std::move(text), Uploads::Clock::now());
  request.done(Json{{"upload", upload.id}, {"bytes", upload.bytes}});
}

void config_check(const Request& request) {
  const auto outcome = std::make_shared<Outcome>();
  const auto check = [outcome](const std::string& text) { *outcome = Text{to_text(checked(text))}; };
  ConfigText(request, Params(request.params, kConfigCheck))
      .submit(
          check, [outcome, done = request.done] { done(std::move(*outcome)); }, request.done);
}

// Compares on the thread beside, by copies: there may be a million bearers.
void config_diff(const Request& request) {
  const Params params(request.params, kConfigDiff);
  const auto running = std::make_shared<const config::Config>(request.services.plane.config());
  const auto outcome = std::make_shared<Outcome>();
  const auto compare = [running, outcome](const LoadedText& wanted) {
    need_good(wanted);
    *outcome = Text{to_text(difference_json(config::difference(*running, *wanted.config)))};
  };
  load_beside(
      request, params, compare, [outcome, done = request.done] { done(std::move(*outcome)); }, request.done);
}

void stats_get(const Request& request) {
  const Params params(request.params, kNothing);
  request.done(stats_json(request.services.plane, *request.services.view.get()));
}

}  // namespace control::rpc
