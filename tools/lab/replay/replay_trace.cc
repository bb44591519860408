// Events of a replay in order of time, as CSV, and its BO as a picture.
#include <algorithm>
#include <filesystem>

#include "tools/lab/figures/text.h"
#include "tools/lab/replay/replay_report.h"

namespace lab {
namespace {

struct CsvEvent {
  dp::Time at;
  std::string rest;  // event,of,value,where
};

}  // namespace

std::string ReplayReport::csv() const {
  std::vector<CsvEvent> lines;
  for (std::size_t i = 0; i < input.arrivals.size(); ++i) {
    const ReplayArrival& arrival = input.arrivals[i];
    const ReplayFate& fate = run.fates[i];
    const std::string of = input.name_of(arrival.bearer) + "," + std::to_string(i) + ",";
    const std::string port(dp::name(arrival.direction));
    lines.push_back({arrival.at, "arrived," + of + port});
    if (fate.left) lines.push_back({*fate.left, "left," + of + port});
    if (fate.dropped) lines.push_back({*fate.dropped, "dropped," + of + std::string(dp::name(fate.reason))});
    const dp::Time box = compared.box_left()[i];
    if (box != dp::kNever) lines.push_back({box, "box-left," + of + port});
  }
  for (std::size_t b = 0; b < run.occupancy.size(); ++b) {
    for (const ReplayOccupancy& one : run.occupancy[b]) {
      lines.push_back({one.at, "bo," + input.name_of(b) + "," + std::to_string(one.sdus) + ","});
    }
  }
  for (const BoReading& one : readings) {
    lines.push_back({one.asked + (one.answered - one.asked) / 2,
                     "box-bo," + input.name_of(one.bearer) + "," + std::to_string(one.sdus) + ","});
  }
  std::ranges::stable_sort(lines, {}, &CsvEvent::at);
  std::string out = "time_s,event,of,value,where\n";
  for (const CsvEvent& line : lines) out += text_of(at(line.at), 9) + "," + line.rest + "\n";
  return out;
}

void ReplayReport::draw(const std::string& folder, const std::string& name) const {
  for (const std::size_t bearer : bearers()) {
    const std::string ue = input.name_of(bearer);
    CsvLines data{{"time_s", "of", "bo_sdu"}};
    for (const ReplayOccupancy& one : run.occupancy[bearer]) {
      data.push_back({text_of(at(one.at), 6), "replay", std::to_string(one.sdus)});
    }
    for (const BoReading& one : readings) {
      if (one.bearer != bearer) continue;
      data.push_back({text_of(at(one.asked), 6), "box", std::to_string(one.sdus)});
    }
    std::string file = name + "-" + ue;
    std::ranges::replace_if(
        file, [](char c) { return c == ':' || c == '/'; }, '-');
    lab::draw(
        {folder, file}, data,
        "set title \"BO of " + ue +
            ", SDUs\"\n"
            "set xlabel 's'\nset ylabel 'SDUs'\nset key outside top right\nset grid\n"
            "plot data using 1:(strcol(2) eq 'replay' ? column(3) : NaN) with steps title 'replay', \\\n"
            "     data using 1:(strcol(2) eq 'box' ? column(3) : NaN) with points pointtype 7 pointsize 0.3 "
            "title "
            "'box'\n");
  }
}

}  // namespace lab
