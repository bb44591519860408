#include "tools/lab/papers/scenes.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include <fmt/format.h>

#include "dataplane/base/expect.h"

namespace lab {
namespace {

bool has(const std::vector<std::uint32_t>& users, std::uint32_t user) {
  return std::ranges::find(users, user) != users.end();
}

// The scene's users, in ascending order.
std::vector<std::uint32_t> users_of(const Scene& scene) {
  std::vector<std::uint32_t> users = scene.web;
  for (const std::uint32_t user : scene.ftp) {
    if (!has(users, user)) users.push_back(user);
  }
  std::ranges::sort(users);
  return users;
}

using Shares = std::vector<std::pair<std::uint32_t, double>>;  // user, share

Shares shares_of(const Scene& scene, std::span<const RunFigures> runs) {
  Shares shares;
  double sum = 0;
  for (const std::uint32_t user : users_of(scene)) {
    double slots = 0;
    for (const RunFigures& run : runs) {
      DP_EXPECT(user <= run.bearer_slots.size());
      slots += run.bearer_slots[user - 1];
    }
    shares.emplace_back(user, slots);
    sum += slots;
  }
  for (auto& [user, share] : shares) share = sum > 0 ? share / sum : 0;
  return shares;
}

FigureCurve by_size(const ResponsesBySize& sizes, double (ResponseSum::*mean)() const noexcept) {
  FigureCurve curve;
  for (std::size_t bin = 0; bin < sizes.size(); ++bin) {
    if (sizes[bin].transfers > 0) {
      curve.emplace_back(static_cast<double>(kSizeBins[bin]) / 1e3, (sizes[bin].*mean)());
    }
  }
  return curve;
}

FigureCurve single(double value) { return std::isnan(value) ? FigureCurve{} : FigureCurve{{0, value}}; }

double web_share(const Scene& scene, const Shares& shares) {
  double sum = 0;
  for (const auto& [user, share] : shares) sum += has(scene.ftp, user) ? 0 : share;
  return sum;
}

FigureCurve ftp_shares(const Scene& scene, const Shares& shares) {
  FigureCurve curve;
  double sum = 0;
  for (const auto& [user, share] : shares) {
    if (has(scene.web, user)) continue;
    curve.emplace_back(user, share);
    sum += share;
  }
  for (auto& [user, share] : curve) share *= static_cast<double>(curve.size()) / sum;
  return curve;
}

// The mean of the runs' indices.
double jain_of(const Scene& scene, std::span<const RunFigures> runs) {
  std::vector<double> indices;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    std::vector<double> values;
    for (const auto& [user, share] : shares_of(scene, runs.subspan(i, 1))) values.push_back(share);
    indices.push_back(jain(values));
  }
  return mean(indices);
}

// Downloads come after the pages: keep_flows().
double goodput_of_downloads(const Scene& scene, std::span<const RunFigures> runs) {
  std::vector<double> sums;
  for (const RunFigures& run : runs) {
    DP_EXPECT(run.flow_goodputs.size() == scene.web.size() + scene.ftp.size());
    const auto first = run.flow_goodputs.begin() + static_cast<std::ptrdiff_t>(scene.web.size());
    sums.push_back(std::accumulate(first, run.flow_goodputs.end(), 0.));
  }
  return mean(sums);
}

// The user's flow of that kind, which has one connection at a time; user n has the n-th bearer.
dp::Result<Flow> flow_of(const Scenario& scenario, const std::string& kind, std::uint32_t user) {
  constexpr int kConfiguration = 3;
  const std::string name = kind + std::to_string(user);
  const auto at = std::ranges::find(scenario.flows, name, &Flow::name);
  if (at == scenario.flows.end()) {
    return dp::Error{"found no flow " + name + " in the scenario, expected one for user " +
                         std::to_string(user) + "; name a flow so",
                     kConfiguration};
  }
  if (at->bearer + 1 != user || at->count != 1) {
    return dp::Error{fmt::format("found the flow {} with count {} and the UE of bearer {}, expected count 1 "
                                 "and the UE of bearer {}, its user",
                                 name, at->count, at->bearer + 1, user),
                     kConfiguration};
  }
  return *at;
}

}  // namespace

std::vector<ScenePoint> scene_points(const Paper& paper) {
  std::vector<ScenePoint> all;
  for (std::size_t i = 0; i < paper.scenes.size(); ++i) {
    for (const FigureLine& line : paper.lines) all.push_back({i, line.name});
  }
  return all;
}

config::Overrides overrides_of(const Paper& paper, const ScenePoint& p) {
  config::Overrides all;
  for (const Settings* set : {&paper.set, &std::ranges::find(paper.lines, p.line, &FigureLine::name)->set,
                              &paper.scenes[p.scene].set}) {
    for (const auto& [key, value] : *set) all.push_back({"scene", key, value});
  }
  return all;
}

dp::Status keep_flows(Scenario& scenario, const Scene& scene) {
  std::vector<Flow> flows;
  for (const auto& [kind, users] : {std::pair{"web", &scene.web}, std::pair{"ftp", &scene.ftp}}) {
    for (const std::uint32_t user : *users) {
      auto flow = flow_of(scenario, kind, user);
      if (!flow) return flow.error();
      flows.push_back(std::move(*flow));
    }
  }
  scenario.flows = std::move(flows);
  return dp::ok();
}

FigureCurve read_scene(const Scene& scene, SceneFigure figure, std::span<const RunFigures> runs) {
  using enum SceneFigure;
  const ResponsesBySize sizes = sizes_of(runs);
  const ResponseSum all = responses_up_to(sizes, kSizeBins.back());
  FigureCurve curve;
  switch (figure) {
    case response:
      return by_size(sizes, &ResponseSum::mean);
    case all_sizes:
      return single(all.mean());
    case short_sizes:
      return single(responses_up_to(sizes, kShortBytes).mean());
    case normalised:
      return single(all.mean_per_kB());
    case from_request:
      return by_size(sizes, &ResponseSum::mean_from_request);
    case all_from_request:
      return single(all.mean_from_request());
   case slots:
      for (const auto& [user, share] : shares_of(scene, runs)) curve.emplace_back(user, share);
      return curve;
    case web_slots:
      return single(web_share(scene, shares_of(scene, runs)));
    case ftp_slots:
      return ftp_shares(scene, shares_of(scene, runs));
    case jain:
      return single(jain_of(scene, runs));
    case ftp_goodput:
      return single(goodput_of_downloads(scene, runs));
  }
  return curve;
}

std::vector<std::pair<double, Estimate>> estimate_scene(const Scene& scene, SceneFigure figure,
                                                        const RowSummary& row) {
  std::vector<std::pair<double, Estimate>> out;
  for (const auto& [x, y] : read_scene(scene, figure, row.each())) {
    std::vector<double> values;
    for (std::size_t i = 0; i < row.runs(); ++i) {
      const double value = value_at(read_scene(scene, figure, row.each().subspan(i, 1)), x);
      if (!std::isnan(value)) values.push_back(value);
    }
    out.emplace_back(x, Estimate{y, values.empty() ? 0 : estimate(values).ci90});
  }
  return out;
}

FigureCurve scene_curve(const Paper& paper, const SceneResults& results, const FigureLineName& name) {
  const auto scene = std::ranges::find(paper.scenes, name.figure, &Scene::name);
  if (scene == paper.scenes.end() || !name.of_scene) return {};
  const auto at = results.find({static_cast<std::size_t>(scene - paper.scenes.begin()), name.line});
  return at == results.end() ? FigureCurve{} : read_scene(*scene, *name.of_scene, at->second.each());
}

}  // namespace lab
