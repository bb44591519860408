#include "tools/lab/papers/paths_report.h"

#include <algorithm>

#include <fmt/format.h>

#include "config/notation/units.h"
#include "tools/common/table.h"
#include "tools/lab/figures/embedded.h"
#include "tools/lab/figures/text.h"
#include "tools/lab/papers/linux_rows.h"

namespace lab {
namespace {

using tools::Table;

struct PathsOutcome {
  const std::vector<Path>& paths;
  const std::vector<Scheme>& schemes;
  PathResults results;
};

constexpr std::string_view kLegend =
    "Goodput is of payload (of files: of one while it is sent), told as the part of what drop-tail carries "
    "with ten "
    "BDP; the queue is the mean time from a packet's arrival to the start of its transmission. best: of the "
    "AQMs and drop-tail with one BDP the one with the shortest queue among those that carry at least 0.97";

std::string share_text(const PathFigures& f) { return text_of(f.share, 2); }
std::string wait_text(const PathFigures& f) { return text_of(f.wait * 1e3, 1); }

const RowSummary* find(const PathsOutcome& o, std::size_t path, std::size_t scheme) {
  const auto at = o.results.find({path, scheme});
  return at == o.results.end() ? nullptr : &at->second;
}
std::size_t most_of(const PathsOutcome& o) {
  return static_cast<std::size_t>(std::ranges::find(o.schemes, kMostGoodput, &Scheme::name) -
                                  o.schemes.begin());
}

// Every scheme's share of the goodput, and its queue.
std::string figures_text(const PathsOutcome& o, bool held_out) {
  Table::Row headings{held_out ? "HELD OUT" : "PATH", ">kbit/s"};
  for (const Scheme& scheme : o.schemes) headings.push_back(">" + scheme.name);
  Table table(headings);
  for (std::size_t p = 0; p < o.paths.size(); ++p) {
    const RowSummary* most = find(o, p, most_of(o));
    if (o.paths[p].held_out != held_out || most == nullptr) continue;
    Table::Row row{o.paths[p].name, text_of(figures_of(o.paths[p], *most, most).goodput, 0)};
    for (std::size_t s = 0; s < o.schemes.size(); ++s) {
      const RowSummary* summary = find(o, p, s);
      const PathFigures f = summary == nullptr ? PathFigures{} : figures_of(o.paths[p], *summary, most);
      row.push_back(summary == nullptr ? "-" : share_text(f) + " " + wait_text(f));
    }
    table.add(std::move(row));
  }
  return table.empty() ? "" : table.text() + "\n";
}

std::string verdicts_text(const PathsOutcome& o, const std::vector<PathVerdict>& all, bool held_out) {
  Table table({held_out ? "HELD OUT" : "PATH", "SCHEME", ">GOODPUT", ">QUEUE ms", ">± ms", "BEST", ">GOODPUT",
               ">QUEUE ms", "", "WHY"});
  for (const PathVerdict& v : all) {
    if (o.paths[v.path].held_out != held_out) continue;
    const double spread = find(o, v.path, v.scheme)->of(&RunFigures::wait).ci90;
    table.add({o.paths[v.path].name, o.schemes[v.scheme].name, share_text(v.ours), wait_text(v.ours),
               text_of(spread * 1e3, 1), v.best ? o.schemes[*v.best].name : "none",
               v.best ? share_text(v.bests) : "", v.best ? wait_text(v.bests) : "", v.holds ? "yes" : "NO",
               v.why});
  }
  return table.empty() ? "" : table.text() + "\n";
}

// The number of paths on which each judged scheme holds.
std::string counts_text(const PathsOutcome& o, const std::vector<PathVerdict>& all) {
  std::string text;
  for (std::size_t s = 0; s < o.schemes.size(); ++s) {
    if (!o.schemes[s].low_delay) continue;
    text += o.schemes[s].name + ":";
    for (const bool held_out : {false, true}) {
      unsigned holds = 0, goodput = 0, judged = 0;
      for (const PathVerdict& v : all) {
        if (v.scheme != s || o.paths[v.path].held_out != held_out) continue;
        ++judged;
        holds += v.holds;
        goodput += v.ours.share >= kLeastShare;
      }
      if (judged == 0) continue;
      text += fmt::format("{}{} of {} paths hold, {} in goodput", held_out ? "; held out: " : " ", holds,
                          judged, goodput);
    }
    text += "\n";
  }
  return text;
}

Json figures_json(const PathFigures& f) {
  const auto number = [](double v) { return v == v ? Json(v) : Json(nullptr); };
  return {{"goodput_kbit_s", number(f.goodput)}, {"share", number(f.share)}, {"wait_s", number(f.wait)}};
}

Json verdict_json(const PathsOutcome& o, const PathVerdict& v) {
  Json json{{"path", o.paths[v.path].name},
            {"held_out", o.paths[v.path].held_out},
            {"scheme", o.schemes[v.scheme].name},
            {"ours", figures_json(v.ours)},
            {"best", nullptr},
            {"holds", v.holds},
            {"why", v.why}};
  if (v.best) {
    json["best"] = figures_json(v.bests);
    json["best"]["scheme"] = o.schemes[*v.best].name;
  }
  return json;
}

std::string id_of(const Path& path, const Scheme& scheme) { return path.name + "/" + scheme.name; }

std::string rate_text(std::uint64_t rate) { return config::format_quantity(dp::Unit::rate, rate); }

std::string text(const PathsOutcome& o) {
  const auto verdicts = path_verdicts(o.paths, o.schemes, o.results);
  std::string text = "Goodput as a part of drop-tail's with ten BDP, and queue in ms\n";
  for (const bool held_out : {false, true}) text += figures_text(o, held_out);
  for (const bool held_out : {false, true}) text += verdicts_text(o, verdicts, held_out);
  return text + counts_text(o, verdicts) + std::string(kLegend) + ".\n";
}

void add_json(const PathsOutcome& o, Json& document) {
  for (const auto& [at, row] : o.results) {
    const Path& path = o.paths[at.first];
    Json json = row_json(id_of(path, o.schemes[at.second]), path.flows, row);
    json["path"] = path.name;
    json["held_out"] = path.held_out;
    json["scheme"] = o.schemes[at.second].name;
    document["rows"].push_back(std::move(json));
  }
  document["paths"] = Json::array();
  for (const PathVerdict& v : path_verdicts(o.paths, o.schemes, o.results)) {
    document["paths"].push_back(verdict_json(o, v));
  }
}

PathsOutcome outcome_of(const std::vector<Path>& paths, const std::vector<Scheme>& schemes,
                        const Results& results) {
  PathsOutcome o{paths, schemes, {}};
  for (std::size_t p = 0; p < paths.size(); ++p) {
    for (std::size_t s = 0; s < schemes.size(); ++s) {
      const auto at = results.find(id_of(paths[p], schemes[s]));
      if (at != results.end()) o.results.emplace(std::pair{p, s}, at->second);
    }
  }
  return o;
}

}  // namespace

Experiment paths_experiment(std::vector<Path> paths, std::vector<Scheme> schemes, bool brief) {
  Experiment e{std::string(kLinuxName) + " --paths",
               "The profile low-delay beside AQMs and drop-tail, path by path", std::string(kPathScenario),
               std::string(embedded_file(kPathScenario)), ""};
  if (brief) e.runs = 1;
  for (const Path& path : paths) {
    for (const Scheme& scheme : schemes) {
      Point& point = e.points.emplace_back();
      point.id = id_of(path, scheme);
      point.name = "path " + path.name + " with " + scheme.name;
      point.settings = overrides_of(path, scheme);
      if (brief) {
        point.settings.push_back({"--short", "duration", "20s"});
        point.settings.push_back({"--short", "measure_from", "8s"});
      }
      if (path.then) {
        point.adjust = [](Scenario& scenario) {
          begin_at_half(scenario);
          return dp::ok();
        };
      }
    }
  }
  e.text = [paths, schemes](const Outcome& o) { return text(outcome_of(paths, schemes, o.results)); };
  e.add_json = [paths = std::move(paths), schemes = std::move(schemes)](const Outcome& o, Json& document) {
    add_json(outcome_of(paths, schemes, o.results), document);
  };
  return e;
}

std::string paths_list_text(const std::vector<Path>& paths) {
  Table table({"PATH", ">RATE", ">THEN", ">ROUND TRIP", ">FLOWS", "TCP", ">FILES OF", ""});
  for (const Path& p : paths) {
    table.add({p.name, rate_text(p.rate), p.then ? rate_text(*p.then) : "",
               config::format_quantity(dp::Unit::duration, static_cast<std::uint64_t>(p.round_trip.count())),
               std::to_string(p.flows), p.congestion,
               p.file ? config::format_quantity(dp::Unit::bytes, *p.file) : "",
               p.held_out ? "held out" : ""});
  }
  return table.text();
}

}  // namespace lab
