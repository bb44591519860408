#include "tools/lab/figures/plot.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <functional>
#include <stdexcept>

#include "dataplane/base/expect.h"
#include "tools/common/process.h"
#include "tools/lab/figures/embedded.h"

namespace lab {
namespace {

// The shortest text that reads back as `value`.
std::string text(double value) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value).ptr;
  return {buffer, end};
}

bool starts_with_digit(const std::string& words) {
  return !words.empty() && words[0] >= '0' && words[0] <= '9';
}

// Quotes text for CSV and for gnuplot's strings.
std::string quoted(const std::string& words) {
  std::string out = "\"";
  for (const char c : words) out += c == '"' || c == '\\' || c == '\n' ? '\'' : c;
  return out + "\"";
}

void write_file(const std::filesystem::path& path, const std::string& content) {
  std::ofstream file(path);
  file << content;
  if (!file.flush()) {
    throw std::runtime_error("--plot: " + path.string() +
                             " cannot be written; name a folder of yours that has room");
  }
}

std::string csv_of(const CsvLines& lines) {
  std::string all;
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) all += (i == 0 ? "" : ",") + line[i];
    all += "\n";
  }
  return all;
}

void add_points(CsvLines& lines, const std::string& kind, const std::string& flow, const Points& points) {
  for (const auto& [at, value] : points) lines.push_back({text(at), kind, flow, text(value)});
}

// Text for the places between @s in a template of tools/common/gnuplot.
using Fillings = std::vector<std::pair<std::string, std::string>>;

std::string filled(const std::string& name, const Fillings& fillings) {
  std::string script(embedded_file("gnuplot/" + name + ".gp"));
  for (const auto& [key, value] : fillings) {
    const std::string placeholder = "@" + key + "@";
    for (std::size_t at = 0; (at = script.find(placeholder, at)) != std::string::npos; at += value.size()) {
      script.replace(at, placeholder.size(), value);
    }
  }
  return script;
}

// The elements of a gnuplot array.
template <class All, class NameOf>
std::string names_of(const All& all, NameOf&& name_of) {
  std::string out;
  for (const auto& one : all) out += (out.empty() ? "" : ", ") + quoted(name_of(one));
  return out;
}

constexpr std::size_t kMostLabels = 24;

std::string estimate_commas(const Estimate& e) { return text(e.mean) + "," + text(e.ci90); }

// A list for an array of gnuplot, which is never empty.
std::string numbers_of(const std::vector<std::size_t>& numbers) {
  std::string out;
  for (const std::size_t n : numbers) out += (out.empty() ? "" : ", ") + std::to_string(n);
  return out.empty() ? "1" : out;
}

// Appends four columns for each curve with printed values. Returns the numbers of these curves, from 1 on.
std::vector<std::size_t> add_printed(CsvLines& lines, const std::vector<Curve>& curves) {
  constexpr Estimate kMissing{kNaN, kNaN};
  std::vector<std::size_t> all;
  for (std::size_t c = 0; c < curves.size(); ++c) {
    const Curve& curve = curves[c];
    if (curve.printed.empty()) continue;
    all.push_back(c + 1);
    for (const char* figure : {"goodput_kbit_s", "goodput_ci90", "delay_s", "delay_ci90"}) {
      lines[0].push_back(quoted(curve.name + " printed " + figure));
    }
    for (std::size_t i = 1; i < lines.size(); ++i) {
      const auto at = std::ranges::find(curve.printed, i - 1, &PrintedValue::at);
      const bool there = at != curve.printed.end();
      lines[i].push_back(estimate_commas(there ? at->goodput_kbit_s : kMissing));
      lines[i].push_back(estimate_commas(there ? at->delay_s : kMissing));
    }
  }
  return all;
}

}  // namespace

void draw(const Picture& picture, const CsvLines& data, const std::string& commands,
          std::pair<int, int> pixels) {
  std::error_code error;
  std::filesystem::create_directories(picture.folder, error);
  if (error) {
    throw std::runtime_error("--plot " + picture.folder.string() + ": " + error.message() +
                             "; name a folder that can be made");
  }
  const auto& name = picture.name;
  const std::string size = std::to_string(pixels.first) + "," + std::to_string(pixels.second);
  write_file(picture.folder / (name + ".csv"), csv_of(data));
  write_file(picture.folder / (name + ".gp"),
             filled("head", {{"NAME", name}, {"SIZE", size}}) + filled("style", {}) + commands);
  for (const char* format : {"png", "svg"}) {
    const auto ended =
        tools::run_program({"gnuplot", "-e", std::string("format='") + format + "'", name + ".gp"},
                           "gnuplot-nox", picture.folder);
    if (ended.status != 0) throw std::runtime_error("gnuplot cannot draw " + name + ": " + ended.said);
  }
}

void draw_trace(const Picture& picture, const TracePlot& trace) {
  CsvLines lines{{"time_s", "series", "flow", "value"}};
  add_points(lines, "bo", "", trace.bo);
  double end = trace.bo.empty() ? 0 : trace.bo.back().first;
  for (const FlowTrace& flow : trace.flows) {
    add_points(lines, "cwnd", flow.id, flow.cwnd);
    add_points(lines, "sent", flow.id, flow.sent);
    add_points(lines, "received", flow.id, flow.received);
    add_points(lines, "dropped", flow.id, flow.dropped);
    if (!flow.received.empty()) end = std::max(end, flow.received.back().first);
  }
  const auto flows = static_cast<int>(trace.flows.size());
  draw(picture, lines,
       filled("trace", {{"TITLE", quoted(trace.title)},
                        {"COUNT", std::to_string(flows)},
                        {"FLOWS", names_of(trace.flows, std::mem_fn(&FlowTrace::id))},
                        {"END", end > 0 ? text(end) : "*"}}),
       {1200, 400 * (flows + 1) + 50});
}

// Many points are drawn on logarithmic axes, since they come from links that differ widely.
void draw_tradeoffs(const Picture& picture, const std::string& title, const std::vector<Tradeoff>& points) {
  CsvLines lines{{"label", "delay_s", "delay_ci90", "goodput_kbit_s", "goodput_ci90", "group"}};
  std::vector<std::string> groups;
  for (const auto& p : points) {
    lines.push_back(
        {quoted(p.label), estimate_commas(p.delay_s), estimate_commas(p.goodput_kbit_s), quoted(p.group)});
    if (std::ranges::find(groups, p.group) == groups.end()) groups.push_back(p.group);
  }
  draw(picture, lines,
       filled(points.size() > kMostLabels ? "crowd" : "tradeoffs",
              {{"TITLE", quoted(title)},
               {"COUNT", std::to_string(groups.size())},
               {"GROUPS", names_of(groups, std::identity{})}}));
}

void draw_curves(const Picture& picture, const std::string& title, const std::string& setting,
                 const std::vector<std::string>& values, const std::vector<Curve>& curves) {
  CsvLines lines{{setting}};
  for (const Curve& curve : curves) {
    for (const char* figure : {"goodput_kbit_s", "goodput_ci90", "delay_s", "delay_ci90"}) {
      lines[0].push_back(quoted(curve.name + " " + figure));
    }
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    CsvLines::value_type line{quoted(values[i])};
    for (const Curve& curve : curves) {
      DP_EXPECT(i < curve.goodput_kbit_s.size() && i < curve.delay_s.size());
      line.push_back(estimate_commas(curve.goodput_kbit_s[i]));
      line.push_back(estimate_commas(curve.delay_s[i]));
    }
    lines.push_back(std::move(line));
  }
  const std::vector<std::size_t> printed = add_printed(lines, curves);
  // Lines lead from number to number; between names there is nothing, and points stand side by side.
  const bool numbers = std::ranges::all_of(values, starts_with_digit);
  draw(picture, lines,
       filled("curves", {{"TITLE", quoted(title)},
                         {"COUNT", std::to_string(curves.size())},
                         {"CURVES", names_of(curves, std::mem_fn(&Curve::name))},
                         {"PRINTED", numbers_of(printed)},
                         {"PRINTS", std::to_string(printed.size())},
                         {"SETTING", quoted(setting)},
                         {"ROTATE", values.size() > 9 ? " rotate by -30" : ""},
                         {"ASIDE", numbers ? "0" : "0.12"},
                         {"STYLE", numbers ? "yerrorlines" : "yerrorbars"}}));
}

void draw_series(const Picture& picture, const std::string& title, const std::string& axis,
                 const std::vector<Series>& all, bool logarithmic, const Ordinate& of) {
  CsvLines lines{{"line", "x", of.mean, of.ci90}};
  for (const Series& one : all) {
    for (const auto& [x, y] : one.points) lines.push_back({quoted(one.name), text(x), estimate_commas(y)});
  }
  draw(picture, lines,
       filled("series", {{"TITLE", quoted(title)},
                         {"COUNT", std::to_string(all.size())},
                         {"LINES", names_of(all, std::mem_fn(&Series::name))},
                         {"AXIS", quoted(axis)},
                         {"VALUE", quoted(of.label)},
                         {"LOGARITHMIC", logarithmic ? "1" : "0"}}));
}

void draw_comparison(const Picture& picture, const std::string& title, const std::vector<Comparison>& rows) {
  CsvLines lines{{"row", "paper_goodput_kbit_s", "paper_goodput_ci90", "our_goodput_kbit_s",
                  "our_goodput_ci90", "paper_delay_s", "paper_delay_ci90", "our_delay_s", "our_delay_ci90"}};
  for (const auto& r : rows) {
    lines.push_back({quoted(r.label), estimate_commas(r.paper_goodput), estimate_commas(r.our_goodput),
                     estimate_commas(r.paper_delay), estimate_commas(r.our_delay)});
  }
  draw(picture, lines, filled("comparison", {{"TITLE", quoted(title)}}));
}

}  // namespace lab
