#include "tools/lab/figures/plot.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <stdexcept>

#include "tools/common/process.h"

namespace lab {
namespace {

// As short as reads back the same.
std::string text(double value) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value).ptr;
  return {buffer, end};
}

bool starts_with_digit(const std::string& words) {
  return !words.empty() && words[0] >= '0' && words[0] <= '9';
}

// In CSV and in gnuplot's strings.
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

// Every series of the trace stands in one file; what is of another one is skipped.
std::string series(const std::string& kind, const std::string& flow, const std::string& style,
                   const std::string& title) {
  return "data using 1:(strcol(2) eq " + quoted(kind) + " && strcol(3) eq " + quoted(flow) +
         " ? column(4) : NaN) " + style + " title " + quoted(title);
}

constexpr std::size_t kMostLabels = 24;
constexpr std::array kShapes{7, 5, 9, 11, 13, 6, 4, 8, 10, 12, 1, 2};  // of gnuplot's points

// On logarithmic axes, since many points are of links that differ widely.
std::string coloured(const std::vector<Tradeoff>& points) {
  std::vector<std::string> groups;
  for (const auto& p : points) {
    if (std::ranges::find(groups, p.group) == groups.end()) groups.push_back(p.group);
  }
  std::string plot;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const std::string& group = groups[i];
    plot += (i == 0 ? "plot " : ", \\\n     ") + std::string("data using 2:(strcol(6) eq ") + quoted(group) +
            " ? column(4) : NaN) with points pointtype " + std::to_string(kShapes[i % kShapes.size()]) +
            " linecolor " + std::to_string(i % 8 + 1) +
            (group.empty() ? " notitle" : " title " + quoted(group));
  }
  return "set key outside noenhanced\nset logscale xy\n" + plot + "\n";
}

std::string estimate_commas(const Estimate& e) { return text(e.mean) + "," + text(e.ci90); }

}  // namespace

void draw(const Picture& picture, const CsvLines& data, const std::string& commands,
          std::pair<int, int> pixels) {
  std::error_code error;
  std::filesystem::create_directories(picture.folder, error);
  if (error) {
    throw std::runtime_error("--plot " + picture.folder.string() + ": " + error.message() +
                             "; name a folder that can be made");
  }
  const std::string size = std::to_string(pixels.first) + "," + std::to_string(pixels.second);
  const auto& name = picture.name;
  write_file(picture.folder / (name + ".csv"), csv_of(data));
  write_file(picture.folder / (name + ".gp"),
             "# Draws " + name + ".png from " + name + ".csv; gnuplot -e \"format='svg'\" " + name +
                 ".gp draws " + name + ".svg.\n" +
                 "if (!exists(\"format\")) format = 'png'\n"
                 "if (format eq 'png') set terminal pngcairo size " +
                 size + "; else set terminal svg size " + size + " background 'white'\n" + "set output '" +
                 name + ".'.format\ndata = '" + name +
                 ".csv'\n"
                 "set datafile separator ','\nset datafile columnheaders\nset datafile missing NaN\n"
                 "set grid\nset key top right opaque\n" +
                 commands);
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
  std::string windows, panels;
  double end = trace.bo.empty() ? 0 : trace.bo.back().first;
  for (const FlowTrace& flow : trace.flows) {
    add_points(lines, "cwnd", flow.id, flow.cwnd);
    add_points(lines, "sent", flow.id, flow.sent);
    add_points(lines, "received", flow.id, flow.received);
    add_points(lines, "dropped", flow.id, flow.dropped);
    if (!flow.received.empty()) end = std::max(end, flow.received.back().first);
    windows += ", \\\n     " + series("cwnd", flow.id, "with steps", "cwnd " + flow.id);
    panels += "plot " + series("sent", flow.id, "with dots", "sent " + flow.id) + ", \\\n     " +
              series("received", flow.id, "with points pointtype 7 pointsize 0.2", "received " + flow.id) +
              ", \\\n     " + series("dropped", flow.id, "with points pointtype 2", "dropped " + flow.id) +
              "\n";
  }
  const auto rows = static_cast<int>(trace.flows.size()) + 1;
  draw(picture, lines,
       "set multiplot layout " + std::to_string(rows) + ",1 title " + quoted(trace.title) +
           "\nset lmargin 10\nset rmargin 3\nset xlabel 'time (s)'\n" +
           (end > 0 ? "set xrange [0:" + text(end) + "]\n" : "") + "set ylabel 'SDUs, segments'\nplot " +
           series("bo", "", "with steps linewidth 2", "BO") + windows +
           "\nset ylabel 'segment number'\nset key top left opaque\n" + panels + "unset multiplot\n",
       {1200, 400 * rows + 50});
}

void draw_tradeoffs(const Picture& picture, const std::string& title, const std::vector<Tradeoff>& points) {
  CsvLines lines{{"label", "delay_s", "delay_ci90", "goodput_kbit_s", "goodput_ci90", "group"}};
  for (const auto& p : points) {
    lines.push_back(
        {quoted(p.label), estimate_commas(p.delay_s), estimate_commas(p.goodput_kbit_s), quoted(p.group)});
  }
  const bool crowd = points.size() > kMostLabels;
  draw(picture, lines,
       "set title " + quoted(title) + " noenhanced\nset xlabel 'delay (s)'\nset ylabel 'goodput (kbit/s)'\n" +
           (crowd ? coloured(points)
                  : "unset key\nset offsets graph 0.1, graph 0.2, graph 0.1, graph 0.1\n"
                    "plot data using 2:4:3:5 with xyerrorbars pointtype 7, \\\n"
                    "     data using 2:4:1 with labels left offset 0.8,0.5 noenhanced\n"));
}

void draw_curves(const Picture& picture, const std::string& title, const std::string& setting,
                 const std::vector<std::string>& values, const std::vector<Curve>& curves) {
  CsvLines lines{{setting}};
  std::string goodput, delay;
  std::size_t column = 2;
  // Lines lead from number to number; between names there is nothing.
  const bool numbers = std::ranges::all_of(values, starts_with_digit);
  const std::string style = numbers ? "yerrorlines" : "yerrorbars";
  for (const Curve& curve : curves) {
    for (const char* figure : {"goodput_kbit_s", "goodput_ci90", "delay_s", "delay_ci90"}) {
      lines[0].push_back(quoted(curve.name + " " + figure));
    }
    const auto plotted = [&](std::size_t first) {
      const bool leads = column == 2;
      const auto aside =
          numbers ? std::string("0") : "($0+" + text(0.03 * static_cast<double>(column - 2)) + ")";
      return std::string(leads ? "" : ", ") + "data using " + aside + ":" + std::to_string(first) + ":" +
             std::to_string(first + 1) + (leads ? ":xtic(1)" : "") + " with " + style +
             " pointtype 7 pointsize 0.6 title " + quoted(curve.name);
    };
    goodput += plotted(column);
    delay += plotted(column + 2);
    column += 4;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    CsvLines::value_type line{quoted(values[i])};
    for (const Curve& curve : curves) {
      line.push_back(estimate_commas(curve.goodput_kbit_s[i]));
      line.push_back(estimate_commas(curve.delay_s[i]));
    }
    lines.push_back(std::move(line));
  }
  draw(picture, lines,
       "set multiplot layout 2,1 title " + quoted(title) +
           " noenhanced\nset key top outside noenhanced\nset xlabel " + quoted(setting) +
           " noenhanced\nset lmargin 12\nset xtics noenhanced" + (values.size() > 9 ? " rotate by -30" : "") +
           "\nset offsets 0.2, 0.2\nset ylabel 'goodput (kbit/s)'\nplot " + goodput +
           "\nset ylabel 'delay (s)'\nset yrange [0:]\nplot " + delay + "\nunset multiplot\n");
}

void draw_series(const Picture& picture, const std::string& title, const std::string& axis,
                 const std::vector<Series>& all, bool logarithmic) {
  CsvLines lines{{"line", "x", "goodput_kbit_s", "goodput_ci90"}};
  std::string plot;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const auto& [x, y] : all[i].points)
      lines.push_back({quoted(all[i].name), text(x), estimate_commas(y)});
    plot += (i == 0 ? "plot " : ", \\\n     ") + std::string("data using (strcol(1) eq ") +
            quoted(all[i].name) + " ? column(2) : NaN):3:4 with yerrorlines pointtype " +
            std::to_string(kShapes[i % kShapes.size()]) + " pointsize 0.8 title " + quoted(all[i].name);
  }
  draw(picture, lines,
       "set title " + quoted(title) + " noenhanced\nset key bottom right opaque\nset xlabel " + quoted(axis) +
           "\nset ylabel 'goodput (kbit/s)'\nset yrange [0:]\n" +
           (logarithmic ? "set logscale x\nset format x '%g'\n" : "") + plot + "\n");
}

void draw_comparison(const Picture& picture, const std::string& title, const std::vector<Comparison>& rows) {
  CsvLines lines{{"row", "paper_goodput_kbit_s", "paper_goodput_ci90", "our_goodput_kbit_s",
                  "our_goodput_ci90", "paper_delay_s", "paper_delay_ci90", "our_delay_s", "our_delay_ci90"}};
  for (const auto& r : rows) {
    lines.push_back({quoted(r.label), estimate_commas(r.paper_goodput), estimate_commas(r.our_goodput),
                     estimate_commas(r.paper_delay), estimate_commas(r.our_delay)});
  }
  const std::string both = " using 2:3:xtic(1) title 'paper', data using 4:5 title 'rnclab'\n";
  const std::string below = " using 6:7:xtic(1) title 'paper', data using 8:9 title 'rnclab'\n";
  draw(picture, lines,
       "set multiplot layout 2,1 title " + quoted(title) +
           "\nset style data histograms\nset style histogram errorbars gap 1 linewidth 1\n"
           "set style fill solid 0.6 border -1\nset boxwidth 0.9\nset yrange [0:]\nset key top outside\n"
           "set ylabel 'goodput (kbit/s)'\nplot data" +
           both + "set ylabel 'delay (s)'\nplot data" + below + "unset multiplot\n");
}

}  // namespace lab
