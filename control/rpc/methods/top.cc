// The bearers that lead by a figure of the last second.
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "config/notation/words.h"
#include "control/plane/ranking.h"
#include "control/rpc/answer.h"
#include "control/rpc/bearer_params.h"
#include "control/rpc/bearer_watch.h"
#include "control/rpc/methods.h"
#include "control/rpc/params.h"

namespace control::rpc {
namespace {

constexpr std::uint32_t kFlowsOfARow = 16;

// A name in a list; refuses another.
template <std::size_t kN>
std::size_t named_among(const Params& params, std::string_view param,
                        const std::array<std::string_view, kN>& names, std::size_t usual) {
  const auto text = params.text(param);
  if (!text) return usual;
  const auto at = std::ranges::find(names, *text);
  if (at != names.end()) return static_cast<std::size_t>(at - names.begin());
  params.refuse(
      param, fmt::format("found \"{}\", expected one of {}", config::shorten(*text), fmt::join(names, ", ")));
}

RankingQuery query_of(const Params& params, const DataPlane& plane) {
  constexpr std::array<std::string_view, 2> kDirectionNames{"downlink", "uplink"};
  RankingQuery query;
  query.by = static_cast<RankedBy>(named_among(params, "by", kRankedByNames, 0));
  query.direction = dp::kDirections[named_among(params, "direction", kDirectionNames, 0)];
  query.reverse = params.flag("reverse");
  query.limit = params.number("limit");
  if (const auto name = params.text("class")) query.cls = class_named(*name, "class", plane.config().classes);
  if (const auto text = params.text("prefix")) {
    const auto prefix = dp::parse_prefix(*text);
    if (!prefix) params.refuse("prefix", prefix.error().message);
    query.prefix = *prefix;
  }
  return query;
}

Json row_json(const dp::UeAddress& ue, const Record& record, const DataPlane& plane,
              const BoxWatch::Reading& box, const FlowSummary& flows) {
  Json json = {{"class", plane.config().classes[record.settings->cls].name},
               {"cell", record.cell == nullptr ? Json(nullptr) : Json(record.cell->name)},
               {"worker", plane.moves().worker_of(ue)},
               {"rtt_seconds", rtt_json(flows)},
               {"acks_held", acks_held(record)}};
  for (const dp::Direction d : dp::kDirections) {
    Json leg = leg_watch_json(record, d, plane.registry().meter());
    leg["limit"] = name(limit_of(leg_facts(record, ue, d, plane, box, flows)));
    json[std::string(dp::name(d))] = std::move(leg);
  }
  add_name(json, "ue", ue, plane.config().networks);
  return json;
}

// The answer in the making: its rows, and the connections of those bearers whose connections are followed.
struct Answer {
  DataPlane& plane;
  const BoxWatch* box;
  Done done;
  std::vector<Ranked> rows{};
  std::vector<FlowSummary> flows{};
  std::size_t of = 0;
  std::size_t open = 0;  // answers that are waited for
};

void finish(const Answer& answer) {
  const BoxWatch::Reading reading = answer.box == nullptr ? BoxWatch::Reading{} : answer.box->read();
  Json items = Json::array();
  for (std::size_t row = 0; row < answer.rows.size(); ++row) {
    const dp::UeAddress& ue = answer.rows[row].ue;
    const Record* record = answer.plane.registry().find(ue);
    if (record == nullptr || record->seat == BearerMeter::kNoSeat) continue;
    answer.plane.look_at(*record);
    items.push_back(row_json(ue, *record, answer.plane, reading, answer.flows[row]));
  }
  answer.done(Json{{"items", std::move(items)}, {"next", nullptr}, {"of", answer.of}});
}

// Workers are asked for the connections; the last answer ends it.
void read_flows(const std::shared_ptr<Answer>& answer, const Client& client) {
  answer->flows.resize(answer->rows.size());
  answer->open = 1;
  const auto close = [answer](const Ended<FlowPage>&) {
    if (--answer->open == 0) finish(*answer);
  };
  for (std::size_t row = 0; row < answer->rows.size(); ++row) {
    const Record* record = answer->plane.registry().find(answer->rows[row].ue);
    if (record == nullptr || !follows_flows(*record)) continue;
    ++answer->open;
    const auto add = [answer, row](const dp::Flow& flow, const dp::SplitRow*, dp::Time) {
      answer->flows[row].add(flow);
    };
    answer->plane.bearers().read_flows({answer->rows[row].ue, 0, kFlowsOfARow}, add, close, client);
  }
  close({});
}

Slices make_answer(std::shared_ptr<Answer> answer, RankingQuery query, Client client) {
  Slices ranking = rank(answer->plane.registry(), query, answer->rows, answer->of);
  co_await ranking;
  read_flows(answer, client);
}

}  // namespace

void bearer_top(const Request& request) {
  const Params params(request.params, kBearerTop);
  DataPlane& plane = request.services.plane;
  const auto answer = std::make_shared<Answer>(Answer{plane, request.services.box, request.done});
  request.rest = make_answer(answer, query_of(params, plane), request.client);
}

}  // namespace control::rpc
