#include "tools/lab/figures/json.h"

#include <cmath>

namespace lab {
namespace {

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

}  // namespace

Json json_of(const Estimate& estimate) {
  return {{"mean", number(estimate.mean)}, {"ci90", number(estimate.ci90)}};
}

double number_at(const Json& json, const char* pointer) {
  const Json value = json.value(Json::json_pointer(pointer), Json());
  return value.is_number() ? value.get<double>() : kNaN;
}

Estimate estimate_at(const Json& row, const std::string& member) {
  return {number_at(row, ("/" + member + "/mean").c_str()), number_at(row, ("/" + member + "/ci90").c_str())};
}

Json row_json(const std::string& id, unsigned flows, const RowSummary& summary) {
  Json row{{"id", id}, {"flows", flows}, {"runs", summary.runs()}};
  for (const Quantity& q : kQuantities) {
    const auto dot = q.key.find('.');
    Json& into = dot == std::string_view::npos ? row : row[std::string(q.key.substr(0, dot))];
    into[std::string(q.key.substr(dot == std::string_view::npos ? 0 : dot + 1))] =
        json_of(summary.of(q.member));
  }
  return row;
}

Json sizes_json(const ResponsesBySize& sizes) {
  Json list = Json::array();
  for (std::size_t bin = 0; bin < sizes.size(); ++bin) {
    if (sizes[bin].transfers == 0) continue;
    const bool last = bin + 1 == sizes.size();
    list.push_back({{"up_to_bytes", last ? Json(nullptr) : Json(kSizeBins[bin])},
                    {"transfers", sizes[bin].transfers},
                    {"response_s", sizes[bin].mean()}});
  }
  return list;
}

Json document_json(const RunSetting& setting, Json rows) {
  return {{"version", setting.version}, {"scenario", setting.scenario},     {"runs", setting.runs},
          {"seed", setting.seed},       {"duration_s", setting.duration_s}, {"partial", setting.partial},
          {"rows", std::move(rows)}};
}

}  // namespace lab
