#include "tools/lab/replay/replay_report.h"

#include <algorithm>
#include <map>

#include "tools/common/table.h"
#include "tools/lab/figures/text.h"

namespace lab {
namespace {

constexpr std::size_t kMomentsTold = 12;

std::string dropped_text(const std::map<std::string, std::uint64_t>& dropped) {
  std::string out;
  for (const auto& [reason, n] : dropped) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", n, reason);
  return out.empty() ? "none" : out;
}

std::string ms(double seconds) { return text_of(seconds * 1e3, 3); }

}  // namespace

std::vector<std::size_t> ReplayReport::bearers() const {
  std::vector<bool> used(input.bearers.size());
  for (const ReplayArrival& arrival : input.arrivals) used[arrival.bearer] = true;
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (used[i]) out.push_back(i);
  }
  return out;
}

double ReplayReport::at(dp::Time time) const { return seconds(time - first); }

std::string ReplayReport::tallies() const {
  tools::Table table({"bearer", "", ">arrived", ">delivered", ">inside", ">BO, mean", ">most", "dropped"});
  for (const std::size_t i : bearers()) {
    for (const dp::Direction d : dp::kDirections) {
      const ReplayTally tally = compared.tally(i, d);
      const bool down = d == dp::Direction::downlink;
      table.add_cells(down ? input.name_of(i) : "", dp::name(d), tally.arrived, tally.delivered, tally.inside,
                      down ? text_of(compared.bo_mean(i, first, input.end), 2) : "",
                      down ? std::to_string(compared.bo_most(i)) : "", dropped_text(tally.dropped));
    }
  }
  return table.text();
}

std::string ReplayReport::departure_table() const {
  tools::Table table({"departures", "", ">left both", ">within " + ms(seconds(tolerance)) + " ms",
                      ">left neither", ">only the box", ">only the replay", ">box later, ms", ">at most"});
  for (const std::size_t i : bearers()) {
    for (const dp::Direction d : dp::kDirections) {
      const DepartureComparison c = compared.departures(i, d);
      table.add_cells(d == dp::Direction::downlink ? input.name_of(i) : "", dp::name(d), c.both, c.within,
                      c.neither, c.only_box, c.only_replay, ms(c.median_s), ms(c.latest_s));
    }
  }
  return table.text();
}

std::string ReplayReport::bo_table() const {
  tools::Table table({"BO", ">readings", ">within", ">mean, box", ">mean, replay", ">off by, mean", ">most",
                      ">the same until"});
  for (const std::size_t i : bearers()) {
    const BoComparison c = compared.occupancy(i, readings);
    if (c.readings == 0) continue;
    table.add_cells(input.name_of(i), c.readings, c.within, text_of(c.mean_box, 2), text_of(c.mean_replay, 2),
                    text_of(c.mean_difference, 3), c.largest,
                    c.apart == dp::kNever ? "the end" : text_of(at(c.apart), 2) + " s");
  }
  return table.text();
}

std::string ReplayReport::side_by_side(std::size_t bearer) const {
  tools::Table table({input.name_of(bearer), ">BO, box", ">replay", ">delivered, box", ">replay",
                      ">dropped, box", ">replay"});
  dp::Time next = dp::Time::min();
  for (const BoReading& one : readings) {
    if (one.bearer != bearer || one.asked < next) continue;
    const dp::Time when = one.asked + (one.answered - one.asked) / 2;
    table.add_cells(text_of(at(when), 2) + " s", one.sdus, compared.bo_at(bearer, when), one.delivered,
                    compared.delivered_by(bearer, when), one.dropped, compared.dropped_by(bearer, when));
    next = one.asked + every;
  }
  return table.text();
}

std::string ReplayReport::drops(std::size_t bearer) const {
  std::map<std::string, std::pair<std::string, std::size_t>> moments;
  for (std::size_t i = 0; i < input.arrivals.size(); ++i) {
    const ReplayArrival& arrival = input.arrivals[i];
    const ReplayFate& fate = run.fates[i];
    if (!fate.dropped || arrival.bearer != bearer || arrival.direction != dp::Direction::downlink) continue;
    auto& [text, n] = moments[std::string(dp::name(fate.reason))];
    if (++n <= kMomentsTold) text += (n == 1 ? " " : ", ") + text_of(at(*fate.dropped), 2);
  }
  std::string out;
  for (const auto& [reason, told] : moments) {
    const auto& [text, n] = told;
    const std::string later = n > kMomentsTold ? fmt::format(" and {} later", n - kMomentsTold) : "";
    out += fmt::format("  {} at{}{} s\n", reason, text, later);
  }
  return out;
}

std::string ReplayReport::text() const {
  std::string out = tallies();
  for (const std::size_t i : bearers()) {
    if (const std::string told = drops(i); !told.empty()) out += input.name_of(i) + " dropped\n" + told;
  }
  if (departures) out += "\n" + departure_table();
  if (!readings.empty()) out += "\n" + bo_table();
  for (const std::size_t i : bearers()) {
    if (!readings.empty() && every > dp::Duration{0}) out += "\n" + side_by_side(i);
  }
  if (crossings.early > 0)
    out += fmt::format("{} of {} arrivals came before the box's clock began and are left out\n",
                       crossings.early, crossings.early + input.arrivals.size());
  return out;
}

Json ReplayReport::json_of(std::size_t bearer) const {
  Json json = {{"ue", input.name_of(bearer)},
               {"bo_mean", compared.bo_mean(bearer, first, input.end)},
               {"bo_most", compared.bo_most(bearer)}};
  for (const dp::Direction d : dp::kDirections) {
    const ReplayTally tally = compared.tally(bearer, d);
    Json& leg = json[std::string(dp::name(d))];
    leg = {{"arrived", tally.arrived},
           {"delivered", tally.delivered},
           {"inside", tally.inside},
           {"dropped", tally.dropped}};
    if (!departures) continue;
    const DepartureComparison c = compared.departures(bearer, d);
    Json parted = Json::array();
    for (const dp::Time one : c.parted) parted.push_back(at(one));
    leg["box"] = {{"both", c.both},
                  {"within", c.within},
                  {"neither", c.neither},
                  {"only_box", c.only_box},
                  {"only_replay", c.only_replay},
                  {"strangers", c.strangers},
                  {"later_median_s", c.median_s},
                  {"later_most_s", c.latest_s},
                  {"parted", parted}};
  }
  const BoComparison c = compared.occupancy(bearer, readings);
  if (c.readings > 0) {
    json["bo_box"] = {{"readings", c.readings},
                      {"within", c.within},
                      {"mean", c.mean_box},
                      {"mean_replay", c.mean_replay},
                      {"off_mean", c.mean_difference},
                      {"off_most", c.largest},
                      {"same_until_s", c.apart == dp::kNever ? Json() : Json(at(c.apart))}};
  }
  return json;
}

Json ReplayReport::json() const {
  Json list = Json::array();
  for (const std::size_t i : bearers()) list.push_back(json_of(i));
  return list;
}

}  // namespace lab
