// The results of a replay as text, JSON, CSV and a picture. Times are seconds after the first frame of the
// capture.
#pragma once
#include <string>
#include <vector>

#include "tools/lab/figures/json.h"
#include "tools/lab/figures/plot.h"
#include "tools/lab/replay/replay_compare.h"

namespace lab {

struct ReplayReport {
  const ReplayInput& input;
  const Crossings& crossings;
  const ReplayRun& run;
  const ReplayComparison& compared;
  const std::vector<BoReading>& readings;  // empty if there are none
  dp::Time first{};                        // first of the capture's frames
  dp::Duration every{};                    // interval between lines of the comparison table; 0: no such table
  dp::Duration tolerance{};
  bool departures = false;  // the capture includes the box's departures

  // Bearers with at least one arrival.
  std::vector<std::size_t> bearers() const;
  double at(dp::Time time) const;

  std::string text() const;
  Json json() const;                                                    // a list with one member a bearer
  std::string csv() const;                                              // time_s,event,of,value,where
  void draw(const std::string& folder, const std::string& name) const;  // one picture a bearer

 private:
  std::string tallies() const;
  std::string departure_table() const;
  std::string bo_table() const;
  std::string side_by_side(std::size_t bearer) const;
  std::string drops(std::size_t bearer) const;
  Json json_of(std::size_t bearer) const;
};

}  // namespace lab
