#include <memory>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "config/cells.h"
#include "config/json.h"
#include "config/notation/syntax.h"
#include "config/notation/words.h"
#include "control/rpc/answer.h"
#include "control/rpc/audit.h"
#include "control/rpc/bearer_params.h"

namespace control::rpc {
namespace {

using config::print_cell_settings;

Json told_of(const CellRecord& record) {
  const dp::Cell& cell = *record.cell;
  const dp::CellCounters& counted = cell.counters();
  return {{"cell", record.name},
          {"worker", cell.worker()},
          {"places", cell.capacity()},
          {"members", cell.reserved()},
          {"backlogged", counted.backlogged.get()},
          {"slots",
           {{"short", counted.slots_short.get()},
            {"long", counted.slots_long.get()},
            {"nobody", counted.slots_nobody.get()}}},
          {"bits", counted.bits.get()},
          {"stale_reports", counted.stale_reports.get()},
          {"refused", counted.refused.load(std::memory_order_relaxed)},
          {"settings", print_cell_settings(record.settings)}};
}

// The settings that a request gives: all its members but the cell's name.
Json settings_in(const Json& params) {
  Json settings = params;
  settings.erase("cell");
  return settings;
}

dp::CellSettings read_settings_of(const Json& params, const dp::CellSettings& start) {
  const auto settings = config::read_cell(settings_in(params), "", start);
  if (!settings) refuse(settings.problems);
  return *settings;
}

// {"share": {"was": "100%", "now": "80%"}}
Json changes_between(const dp::CellSettings& was, const dp::CellSettings& now) {
  const Json before = print_cell_settings(was), after = print_cell_settings(now);
  Json changed = Json::object();
  for (const auto& [key, value] : after.items()) {
    if (before[key] != value) changed[key] = {{"was", before[key]}, {"now", value}};
  }
  return changed;
}

std::string in_words(const Json& changed) {
  std::string text;
  for (const auto& [key, change] : changed.items()) {
    text += fmt::format("{}{} {} to {}", text.empty() ? "" : ", ", key, to_text(change["was"]),
                        to_text(change["now"]));
  }
  return text;
}

// The name in a request whose other members are settings.
std::string cell_in(const Json& params) {
  if (params.is_object() && params.contains("cell") && params["cell"].is_string()) {
    return params["cell"].get<std::string>();
  }
  throw Fault(kInvalidParams, "parameter \"cell\" is missing, the name of a cell");
}

constexpr std::size_t kMostReports = 4096;

CellRecords::Reports read_reports(const Json& rates, const config::Networks& networks) {
  if (rates.size() > kMostReports) {
    throw Fault(kInvalidParams,
                fmt::format("rates: found {} reports, expected at most {}", rates.size(), kMostReports));
  }
  CellRecords::Reports reports;
  reports.reserve(rates.size());
  for (std::size_t i = 0; i < rates.size(); ++i) {
    const Params params(rates[i], kOneRate, fmt::format("rates[{}]", i));
    const auto rate = config::read_reported_rate(params.need("rate"), params.path("rate"));
    if (!rate) refuse(rate.problems);
    reports.push_back({params.need_ue("ue", networks), *rate});
  }
  return reports;
}

}  // namespace

void cell_list(const Request& request) {
  const Params params(request.params, kCellList);
  const std::uint64_t limit = params.number("limit");
  const auto& cells = request.services.plane.cells().records().all();
  const auto after = params.text("cursor");
  Json items = Json::array(), next;
  for (auto at = after ? cells.upper_bound(*after) : cells.begin(); at != cells.end(); ++at) {
    if (items.size() == limit) {
      next = std::prev(at)->first;
      break;
    }
    items.push_back(told_of(*at->second));
  }
  request.done(list_json(std::move(items), std::move(next)));
}

void cell_get(const Request& request) {
  const Params params(request.params, kOneCell);
  request.done(
      told_of(cell_named(request.services.plane.cells().records(), params.need_text("cell"), "cell")));
}

void cell_add(const Request& request) {
  const std::string name = cell_in(request.params);
  audited(request, "cell.add", config::shorten(name), [&](const Done& done) {
    if (!config::is_class_name(name)) {
      throw Fault(kInvalidParams,
                  fmt::format("cell: found \"{}\", expected {}", config::shorten(name), config::kNameForm));
    }
    const dp::CellSettings settings = read_settings_of(request.params, config::fresh_cell());
    const auto answer = [name](const Cells::SettingsChange&) { return Json{{"cell", name}}; };
    request.services.plane.cells().add(name, settings, answer_with<Cells::SettingsChange>(done, answer),
                                       request.client);
  });
}

void cell_set(const Request& request) {
  const std::string name = cell_in(request.params);
  const auto changes = std::make_shared<std::string>();
  const auto change = [params = request.kept](const dp::CellSettings& was) {
    return read_settings_of(*params, was);
  };
  const auto answer = [name, changes](const Cells::SettingsChange& set) {
    const Json changed = changes_between(set.was, set.now);
    *changes = in_words(changed);
    return Json{{"cell", name}, {"changed", changed}};
  };
  cell_named(request.services.plane.cells().records(), name, "cell");
  Done done = logged(request, "cell.set", name, changes);
  request.services.plane.cells().set(
      name, change, answer_with<Cells::SettingsChange>(std::move(done), answer), request.client);
}

void cell_remove(const Request& request) {
  const Params params(request.params, kOneCell);
  const std::string name = params.need_text("cell");
  cell_named(request.services.plane.cells().records(), name, "cell");
  const auto answer = [name](const Cells::SettingsChange&) { return Json{{"removed", name}}; };
  request.services.plane.cells().remove(
      name, answer_with<Cells::SettingsChange>(logged(request, "cell.remove", name), answer), request.client);
}

// Not logged: it comes many times a second.
void cell_report(const Request& request) {
  const Params params(request.params, kCellReport);
  const std::string name = params.need_text("cell");
  cell_named(request.services.plane.cells().records(), name, "cell");
  CellRecords::Reports reports =
      read_reports(*params.array("rates"), request.services.plane.config().networks);
  const auto answer = [count = reports.size()](std::uint32_t unknown) {
    return Json{{"reported", count - unknown}, {"unknown", unknown}};
  };
  request.services.plane.cells().report(name, std::move(reports),
                                        answer_with<std::uint32_t>(request.done, answer), request.client);
}

}  // namespace control::rpc
