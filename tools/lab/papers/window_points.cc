#include "tools/lab/papers/window_points.h"

#include <algorithm>
#include <cstdio>
#include <string>

#include "tools/lab/run/observer.h"
#include "tools/lab/run/simulate.h"

namespace lab {
namespace {

using Values = std::vector<double>;

Values buffers(bool few) {
  return few ? Values{3, 5, 8, 15, 30, 50} : Values{3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50};
}
Values round_trips(bool few) {
  return few ? Values{2, 40, 80, 120, 200, 300, 400}
             : Values{2, 20, 30, 40, 50, 60, 80, 100, 120, 160, 200, 250, 300, 350, 400, 450, 600, 1000};
}
Values losses(bool few) {
  return few ? Values{1e-5, 1e-3, 1e-2} : Values{1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2};
}
Values cross_rates(bool few) {
  return few ? Values{400, 500}
             : Values{300, 340, 360, 370, 380, 390, 395, 400, 405, 410, 420, 430, 440, 460, 480, 500};
}

void add_lines(std::vector<WindowPoint>& out, WindowFigure figure, unsigned users, const Values& values) {
  for (const double x : values) {
    for (const auto scheme : kSchemes) out.push_back({figure, users, scheme, x});
  }
}

// Of B packets; nothing for drop-tail.
std::string stage_of(std::string_view scheme, unsigned buffer) {
  const std::string b = std::to_string(buffer) + "sdu";
  if (scheme == "AR") return "{ack-regulator: {buffer: " + b + "}}";
  const std::string form = scheme == "WRS"   ? "static"
                           : scheme == "WRD" ? "dynamic"
                           : scheme == "WRB" ? "ack-buffer"
                                             : "";
  return form.empty() ? "" : "{window-regulator: {form: " + form + ", buffer: " + b + "}}";
}

// As the configuration reads it back.
std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.6f", value);
  return text;
}
std::string whole(double value) { return std::to_string(static_cast<long>(value + 0.5)); }

// Packets of the first flows that wires have lost.
class Losses final : public Observer {
 public:
  Losses(const Scenario& scenario, unsigned users) : scenario_(scenario), users_(users) {}
  void dropped(const DataPoint& p, std::string_view where) override {
    const bool wire = std::ranges::find(scenario_.wires, where, &Wire::name) != scenario_.wires.end();
    if (wire && p.flow < users_ && p.at >= dp::Time{scenario_.measure_from}) ++lost_;
  }
  double lost() const { return lost_; }

 private:
  const Scenario& scenario_;
  unsigned users_;
  double lost_ = 0;
};

}  // namespace

std::vector<WindowPoint> window_points(bool few) {
  using enum WindowFigure;
  std::vector<WindowPoint> all;
  for (const unsigned users : {1u, 4u, 8u}) {
    all.push_back({capacity, users, "DT", 500});
    add_lines(all, buffer, users, buffers(few));
  }
  for (const double b : buffers(few)) {
    for (const auto tcp : kVariants) all.push_back({variants, 1, tcp, b});
  }
  add_lines(all, latency, 1, round_trips(few));
  add_lines(all, random, 1, losses(few));
  add_lines(all, congestion, 1, cross_rates(few));
  return all;
}

config::Overrides overrides_of(const WindowPoint& p) {
  using enum WindowFigure;
  const bool sized = p.figure == capacity || p.figure == variants || p.figure == buffer;
  const unsigned b = sized ? static_cast<unsigned>(p.x) : kDefaultBuffer;
  config::Overrides all;
  const auto set = [&](std::string key, std::string value) {
    all.push_back({"point", std::move(key), std::move(value)});
  };
  set("classes.user.downlink.buffer.sdus", std::to_string(b + 1));
  if (const std::string stage = stage_of(p.line, b); !stage.empty()) {
    set("classes.user.uplink", "{link: wire, ack: [" + stage + "]}");
  }
  if (p.figure == variants) set("flows.0.tcp.congestion", std::string(p.line));
  if (p.figure == latency) set("wires.source.delay", whole(p.x * 500) + "us");
  if (p.figure == random) set("wires.fd.loss", number(p.x));
  if (p.figure == congestion) {
    set("flows.0.server", "congested");
    for (const char* wire : {"cross1", "cross2", "cross3", "cross4"}) {
      set("wires." + std::string(wire) + ".rate", whole(p.x) + "k");
    }
  }
  return all;
}

void keep_flows(Scenario& scenario, const WindowPoint& p) {
  std::vector<Flow> flows;
  for (std::size_t i = 0; i < scenario.flows.size(); ++i) {
    const bool cross = scenario.flows[i].name.starts_with("cross");
    if (cross ? p.figure == WindowFigure::congestion : i < p.users) flows.push_back(scenario.flows[i]);
  }
  scenario.flows = std::move(flows);
}

RunFigures run_point(const Scenario& scenario, const WindowPoint& p, std::uint64_t seed) {
  Losses losses(scenario, p.users);
  RunResult run = simulate(scenario, seed, p.figure == WindowFigure::congestion ? &losses : nullptr);
  run.flows.resize(p.users);
  run.bearers.resize(p.users);
  double packets = 0;
  std::vector<double> shares;
  for (const FlowResult& flow : run.flows) {
    packets += static_cast<double>(flow.packets);
    shares.push_back(flow.goodput_1460);
  }
  run.jain = jain(shares);
  RunFigures figures = figures_of(run);
  const bool random = p.figure == WindowFigure::random;
  figures.loss = random ? p.x : packets == 0 ? 0 : losses.lost() / packets;
  return figures;
}

std::vector<std::pair<double, RowSummary>> line_of(const WindowResults& results, WindowFigure figure,
                                                   unsigned users, std::string_view line) {
  std::vector<std::pair<double, RowSummary>> out;
  for (const auto& [point, summary] : results) {
    if (point.figure == figure && point.users == users && point.line == line) {
      out.emplace_back(point.x, summary);
    }
  }
  std::ranges::sort(out, {}, [](const auto& at) { return at.first; });
  return out;
}

}  // namespace lab
