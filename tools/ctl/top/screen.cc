#include "tools/ctl/top/screen.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "tools/common/table.h"
#include "tools/ctl/members.h"

namespace ctl::top {
namespace {

using Lines = std::vector<std::string>;
using tools::Table;
using views::look;
using views::text_at;

constexpr std::size_t kHeader = 4;  // lines above the table
constexpr std::size_t kWide = 104;  // columns from which the table has all of its columns
constexpr std::size_t kNameWidth = 17, kClassWidth = 8;

double number_at(const Json& in, const std::string& pointer) {
  const Json value = look(in, pointer.c_str());
  return value.is_number() ? value.get<double>() : 0;
}

// At most five characters: 0, 12.5k, 1.25M.
std::string brief(double value) {
  constexpr std::array kUnits{"", "k", "M", "G", "T"};
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < kUnits.size()) value /= 1000, ++unit;
  std::array<char, 24> text{};
  const int digits = unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  std::snprintf(text.data(), text.size(), "%.*f%s", digits, value, kUnits[unit]);
  return text.data();
}
std::string brief_at(const Json& in, const char* pointer) {
  const Json value = look(in, pointer);
  return value.is_number() ? brief(value.get<double>()) : "-";
}
// Milliseconds.
std::string ms_at(const Json& in, const char* pointer) {
  const Json value = look(in, pointer);
  if (!value.is_number()) return "-";
  const double ms = value.get<double>() * 1e3;
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), ms > 0 && ms < 9.95 ? "%.1f" : "%.0f", ms);
  return ms >= 99'999 ? brief(ms) : std::string(text.data());
}
std::string percent_at(const Json& in, const char* pointer) {
  const Json value = look(in, pointer);
  return value.is_number() ? std::to_string(std::llround(value.get<double>() * 100)) : "-";
}

// At most `width` bytes.
std::string cut(const std::string& text, std::size_t width) {
  if (text.size() <= width) return text;
  return width < 2 ? text.substr(0, width) : text.substr(0, width - 1) + "~";
}

void add_text(Lines& lines, const std::string& text) {
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
}

// Growth of a counter a second; 0 for one that began anew.
double growth(const Answers& a, const std::string& pointer) {
  if (a.before.is_null() || a.seconds <= 0) return 0;
  return std::max(0.0, number_at(a.stats, pointer) - number_at(a.before, pointer)) / a.seconds;
}
double drops_growth(const Answers& a, const std::string& port) {
  double sum = 0;
  const Json reasons = look(a.stats, ("/ports/" + port + "/dropped").c_str());
  if (!reasons.is_object()) return 0;
  for (const auto& [reason, count] : reasons.items())
    sum += growth(a, "/ports/" + port + "/dropped/" + reason + "/frames");
  return sum;
}

std::string port_text(const Answers& a, const std::string& port) {
  const std::string at = "/ports/" + port;
  return port + " " + text_at(a.stats, (at + "/state").c_str()) + " in " +
         brief(growth(a, at + "/received/frames")) + " out " + brief(growth(a, at + "/sent/frames")) +
         " drop " + brief(drops_growth(a, port));
}

std::string workers_text(const Json& stats) {
  std::string text = "busy";
  const Json workers = look(stats, "/workers");
  for (const Json& worker : workers) {
    text += "  " + text_at(worker, "/id") + ": " + percent_at(worker, "/busy_ratio") + " % " +
            brief_at(worker, "/cycles_per_packet") + " cyc/pkt";
    if (!worker.value("polling", true)) text += " SILENT";
  }
  return text;
}

void add_header(Lines& lines, const State& state, const Answers& a) {
  lines.push_back("rncd  mode " + text_at(a.stats, "/mode") + "  up " +
                  views::duration(a.stats, "/uptime_seconds") + "  bearers " +
                  views::count(a.stats, "/bearers/count") + " of " +
                  views::count(a.stats, "/bearers/capacity") + (state.paused ? "  PAUSED" : ""));
  lines.push_back(workers_text(a.stats));
  lines.push_back(port_text(a, "core") + "  " + port_text(a, "radio") + " /s");
  if (!state.trouble.empty()) {
    lines.push_back("refused: " + state.trouble);
  } else if (state.typing) {
    lines.push_back("prefix or class: " + state.typed + "_");
  } else {
    lines.push_back(state.direction + " by " + std::string(kSorts[state.sort]) +
                    (state.reverse ? ", lowest first" : "") +
                    (state.filter.empty() ? "" : "  only " + state.filter) + "  " +
                    views::count(a.top, "/of") + " fit    ? help");
  }
}

void add_bearers(Lines& lines, const State& state, const Answers& a, const Size& size) {
  const bool wide = size.columns >= kWide;
  Table::Row headings{"UE", "CLASS", ">RATE", ">USED", ">QUEUE", ">MS", ">P99", ">DROP/S", ">MARK/S"};
  if (state.smooth) headings.insert(headings.begin() + 3, ">10S");
  if (wide) headings.insert(headings.end(), {"CELL", ">RADIO", ">CORE", ">ACKS"});
  headings.emplace_back("WHY");
  Table table(headings);
  const Json items = look(a.top, "/items");
  for (const Json& row : items) {
    const Json leg = look(row, ("/" + state.direction).c_str());
    Table::Row cells{cut(views::name_of(look(row, "/ue"), row), wide ? 40 : kNameWidth),
                     cut(text_at(row, "/class"), wide ? 20 : kClassWidth),
                     brief_at(leg, "/delivered_rate/1s"),
                     percent_at(leg, "/used_ratio"),
                     brief_at(leg, "/queued_sdus"),
                     ms_at(leg, "/queue_seconds"),
                     ms_at(leg, "/p99_queue_seconds"),
                     brief_at(leg, "/dropped_per_second"),
                     brief_at(leg, "/marked_per_second")};
    if (state.smooth) cells.insert(cells.begin() + 3, brief_at(leg, "/delivered_rate/10s"));
    if (wide) {
      cells.insert(cells.end(), {cut(text_at(row, "/cell"), 12), ms_at(row, "/rtt_seconds/radio"),
                                 ms_at(row, "/rtt_seconds/core"), brief_at(row, "/acks_held")});
    }
    cells.push_back(text_at(leg, "/limit"));
    table.add(std::move(cells));
  }
  add_text(lines, table.text());
  if (items.empty()) lines.emplace_back(state.filter.empty() ? "no bearers" : "no bearers fit the filter");
  const std::size_t marked = kHeader + 1 + state.chosen;
  if (!items.empty() && marked < lines.size() && state.chosen > 0)
    lines[marked].insert(0, ">"), lines[marked] = cut(lines[marked], size.columns);
}

void add_flows(Lines& lines, const Answers& a) {
  Table table(
      {"UE PORT", "PEER", ">PEER PORT", "STATE", ">RADIO", ">CORE", ">OUT", ">HELD", ">KEPT", ">RESENT"});
  const Json flows = look(a.rest, "/items");
  for (const Json& flow : flows) {
    table.add({text_at(flow, "/ue_port"), cut(text_at(flow, "/peer"), 18), text_at(flow, "/peer_port"),
               text_at(flow, "/state"), ms_at(flow, "/rtt_seconds/radio"), ms_at(flow, "/rtt_seconds/core"),
               brief_at(flow, "/outstanding_bytes"), brief_at(flow, "/held_acks"),
               brief_at(flow, "/kept_segments"), brief_at(flow, "/local_retransmissions")});
  }
  lines.push_back("connections of " + text_at(a.rest, "/of_ue"));
  add_text(lines, table.empty()
                      ? "none that is followed: a bearer follows them if it has ACK stages or a proxy"
                      : table.text());
}

void add_workers(Lines& lines, const Answers& a) {
  Table table(
      {">WORKER", ">BUSY %", ">CYC/PKT", ">IN/S", ">OUT/S", ">BEARERS", ">TIMERS", ">BUFFERED", ">HELD"});
  const Json workers = look(a.stats, "/workers");
  for (std::size_t w = 0; w < workers.size(); ++w) {
    const std::string at = "/workers/" + std::to_string(w);
    const auto both = [&](const char* what) {
      return brief(growth(a, at + what + "/core") + growth(a, at + what + "/radio"));
    };
    table.add({text_at(workers[w], "/id"), percent_at(workers[w], "/busy_ratio"),
               brief_at(workers[w], "/cycles_per_packet"), both("/received"), both("/sent"),
               brief_at(workers[w], "/bearers"), brief_at(workers[w], "/timers"),
               brief_at(workers[w], "/buffered"), brief_at(workers[w], "/held")});
  }
  add_text(lines, table.text());
}

// Reasons that nothing has are left out.
void add_drops(Lines& lines, const Answers& a) {
  Table table({"FROM", "REASON", ">FRAMES", ">NOW/S"});
  for (const std::string port : {"core", "radio"}) {
    const std::string at = "/ports/" + port + "/dropped";
    const Json reasons = look(a.stats, at.c_str());
    if (!reasons.is_object()) continue;
    for (const auto& [reason, count] : reasons.items()) {
      const std::string frames = at + "/" + reason + "/frames";
      if (number_at(a.stats, frames) == 0) continue;
      table.add({port, reason, views::count(a.stats, frames.c_str()), brief(growth(a, frames))});
    }
  }
  add_text(lines, table.empty() ? "nothing was dropped" : table.text());
}

void add_cells(Lines& lines, const Answers& a) {
  Table table({"CELL", "SCHEDULER", ">MEMBERS", ">BACKLOGGED", ">SLOTS"});
  const Json cells = look(a.rest, "/items");
  for (const Json& cell : cells) {
    table.add({cut(text_at(cell, "/name"), 24), cut(text_at(cell, "/scheduler"), 16),
               views::count(cell, "/members"), views::count(cell, "/backlogged"),
               views::count(cell, "/slots")});
  }
  add_text(lines, table.empty() ? "no cells" : table.text());
}

void add_help(Lines& lines) {
  add_text(lines,
           "left, right  sort by the column before, after     r  lowest first\n"
           "up, down     choose a bearer                      u  uplink, downlink\n"
           "f  its connections    b  bearers    w  workers    d  drops    c  cells\n"
           "s  rates of the last 10 s too                     p  pause\n"
           "/  only a prefix (10.45.0.0/16) or a class        q  quit\n"
           "\n"
           "RATE  bit/s delivered in the last second     USED  its share of the rate set, %\n"
           "QUEUE SDUs in the buffer                     MS    time that a packet waits\n"
           "P99   wait that one sample of 100 exceeds    WHY   the limit: rncctl why UE\n");
}

}  // namespace

std::size_t rows_of(const Size& size) { return size.lines > kHeader + 2 ? size.lines - kHeader - 1 : 1; }

std::vector<std::string> screen(const State& state, const Answers& answers, const Size& size) {
  Lines lines;
  add_header(lines, state, answers);
  switch (state.view) {
    case View::bearers:
      add_bearers(lines, state, answers, size);
      break;
    case View::flows:
      add_flows(lines, answers);
      break;
    case View::workers:
      add_workers(lines, answers);
      break;
    case View::drops:
      add_drops(lines, answers);
      break;
    case View::cells:
      add_cells(lines, answers);
      break;
    case View::help:
      add_help(lines);
      break;
  }
  if (lines.size() > size.lines) lines.resize(size.lines);
  for (std::string& line : lines) line = cut(line, size.columns);
  return lines;
}

}  // namespace ctl::top
