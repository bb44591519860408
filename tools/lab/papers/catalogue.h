// Experiments as data: the figures that papers printed or somebody measured, one entry a row of their tables
// with its source, the scenario that reproduces it, and statements about how rows compare. The files are
// tools/lab/papers/*.yaml, which are built into the program, and the user's own. Constant once loaded.
#pragma once
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/load.h"
#include "config/notation/table.h"
#include "dataplane/base/result.h"
#include "dataplane/base/time.h"
#include "tools/lab/figures/summary.h"
#include "tools/lab/scenario/settings.h"

namespace lab {

// A limit for errors that are reported but not judged.
inline constexpr double kUnjudged = std::numeric_limits<double>::infinity();

// A setting in which rows differ.
struct Column {
  std::string name, heading;      // in --list; begins with '>' above numbers
  std::vector<std::string> sets;  // keys of the scenario that get its value
  std::string unit;               // unit of the value there
  std::string initial;            // default of a row; empty: the scenario's
};

struct PaperRow {
  std::string paper;  // name
  std::string id;     // A1; rows of one scheme at several rates: B5/384; another form: A2/literal
  std::string table;  // the table's name in the paper
  std::map<std::string, std::string, std::less<>> values;  // by the column's name
  Settings set;                                            // further keys of the scenario
  std::string like;  // the qdisc to compare a row of linux with; reported, not judged
  Estimate goodput_kbit_s = kNothing, delay_s = kNothing;
  double goodput_limit = 0.05;  // largest error within the limit, as a ratio; or kUnjudged
  double delay_limit = 0.25;
  config::Overrides overrides;  // settings of this row: columns and `set`

  // False if the paper only states how the row compares with others.
  bool printed() const { return goodput_kbit_s.mean == goodput_kbit_s.mean; }
  const std::string& value(std::string_view column) const;  // empty if missing
  unsigned flows() const;                                   // value of the column `flows`; 1 without one
};

// Rows in order of rising delay.
struct RisingRows {
  std::string text;
  std::vector<std::string> ids;
};

// The change of a figure from one row to another, with its limits.
struct RowPair {
  std::string id, base;
};
enum class By : std::uint8_t { percent, difference };
enum class Judged : std::uint8_t {
  each,
  each_last_largest,
  lowest,
  mean
};  // the values that the limits
    // apply to
struct RowChanges {
  std::string text;
  const Quantity* of = nullptr;
  By by = By::percent;
  Judged judged = Judged::each;
  double at_least = -std::numeric_limits<double>::infinity();  // percentages as ratios
  double at_most = std::numeric_limits<double>::infinity();
  bool told = false;  // reported only; it need not hold
  std::vector<RowPair> pairs;
  std::vector<double> printed;  // printed changes, if the paper prints no values of the rows
};

// The paper states that around this many SDUs are in the buffer.
struct Occupancy {
  std::string id;
  std::uint32_t sdus = 0;
};

// A figure's y axis.
enum class FigureValue : std::uint8_t {
  goodput,     // kbit/s, of all flows together
  throughput,  // goodput as a share of the bearers' rates
  fairness,    // Jain's index of the flows' goodput
  buffer_use,  // mean buffer occupancy as a share of the buffer size
  file_rate,   // kbit/s, over complete files, from the server's first data on
};

// A line computed from others: their lowest, highest or mean value at each x.
struct FigureBound {
  enum class Take : std::uint8_t { lowest, highest, mean };
  std::string name;
  Take take = Take::lowest;
  std::vector<std::string> of;
};

// Points along an axis.
inline constexpr dp::Duration kShortForm{300'000'000'000};
struct FigureLine {
  std::string name;
  Settings set;
};
struct FigurePoints {
  std::string name;
  std::vector<std::uint32_t> users;  // numbers of measured flows: a line for each
  std::vector<std::string> lines;
  std::vector<double> x, few;            // `few`: x values of the short form; empty: all
  dp::Duration short_form = kShortForm;  // duration of a run in the short form
  bool sized = false;                    // x is the buffer size in packets
  bool cross = false;                    // the flows named `cross` are active, and losses on wires are
                                         // measured
  bool lossy = false;                    // x is the lost share of the packets
  Settings set;                          // <x> and <b> stand for x and the buffer
};

struct FigureOfLine {
  std::string figure, line;
};

// A picture of points: a value over x, or over another measured figure.
struct Chart {
  enum class Over : std::uint8_t { x, round_trip, loss };
  std::string name, title, axis;
  std::string figure;
  std::uint32_t users = 1;
  FigureValue value = FigureValue::goodput;
  std::string per;  // the line to which the others are relative; empty: absolute values
  Over over = Over::x;
  bool logarithmic = false;
  Over beside = Over::x;            // second figure in tables, beside the goodput; x: none
  std::string along;                // the name of x in tables, if the axis has something else
  std::vector<FigureOfLine> lines;  // instead of all lines of `figure`
};

// Users of one cell, some with web pages, some with one long download, some with both; every line of the
// paper is a scheme for them. User n is the scenario's n-th bearer, with flows named webN and ftpN.
struct Scene {
  std::string name, title;
  std::vector<std::uint32_t> web, ftp;  // user numbers, from 1 on
  Settings set;
};

// A figure of a scene under one scheme, as a curve; single values stand at x = 0.
enum class SceneFigure : std::uint8_t {
  response,          // s, mean, by the largest size of each bin in kB
  all_sizes,         // s, mean
  short_sizes,       // s, mean of those that are short by section 6.3
  normalised,        // s per kB, mean
  from_request,      // s, mean with the handshake, by the largest size of each bin in kB
  all_from_request,  // s, mean of all sizes with the handshake
  slots,             // the user's share, by user
  web_slots,         // the share of the users with pages and nothing else, together
  ftp_slots,         // of each user with a download and nothing else, per their mean, by user
  jain,              // of the users' slots
  ftp_goodput,       // kbit/s, of all downloads together
};

// Text: FIGURE/USERS/LINE, FIGURE/USERS/VALUE/LINE or SCENE/SCENEFIGURE/LINE, and optionally its base: "over
// LINE" for the change from it, or "per LINE" for the ratio to it; The base LINE may be `best` of all in the
// figure, FIGURE/LINE, its last value, or a number: the line's own value there.
struct FigureLineName {
  enum class To : std::uint8_t { itself, over, per };
  std::string figure;  // or a scene's name
  unsigned users = 1;
  FigureValue value = FigureValue::goodput;
  std::optional<SceneFigure> of_scene = {};  // for scenes, instead of users
  std::string line, base = {}, base_figure = {};
  std::optional<double> base_x = {};
  To to = To::itself;
};

// A statement about values read from figures' lines.
struct Statement {
  enum class Take : std::uint8_t { lowest, highest, mean, fall };
  enum class Judged : std::uint8_t {
    each,
    farthest,
    apart,
    order,
    first_below_second,
    first_above_second,
    first_lowest,
    first_highest,
    added,       // values come in pairs of lines: the difference of the second from the first
    rise,        // at each of `at`, from line to line
    each_rises,  // each line, from each of `at` to the next
  };
  std::string text, paper;
  std::string shown;  // format of our values, for {fmt}
  std::vector<FigureLineName> of;
  Chart::Over over = Chart::Over::x;
  std::vector<double> at;
  std::vector<Take> take;
  double from = -std::numeric_limits<double>::infinity(), to = std::numeric_limits<double>::infinity();
  Judged judged = Judged::each;
  double at_least = -std::numeric_limits<double>::infinity();
  double at_most = std::numeric_limits<double>::infinity();
  std::vector<double>
      near;  // at each of `at`, ours differs by at most `within`; points that did not run are skipped
  double within = 0;
  double slack = 0;
  double times = 1;        // factor of the second in first_above_second
  bool told = false;       // reported only; it need not hold
  bool long_only = false;  // cannot be judged in the short form
};

// Gains of lines over one of them in their file rates, as a table beside the expected gains.
struct GainRow {
  std::string name;
  std::string figure;
  double x = 0;
  double rate = std::numeric_limits<double>::quiet_NaN();  // expected rate of the line `over`, kbit/s
  std::vector<double> gains;                               // expected gains of its lines, in percent
  std::vector<std::string> lines;  // the figure's lines for the table's; empty: the names are equal
};
struct GainTable {
  std::string name, title, axis;
  std::string over;
  std::vector<std::string> lines;
  std::vector<GainRow> rows;
  double rates_within = 0;         // reported: largest deviation of the rates from those expected; 0: not
                                   // reported
  std::string from;                // the reference row of the others; empty: none
  std::vector<double> from_gains;  // gains of the reference row under the others' model; empty: its own gains
  double least = 5;                // smallest expected gain, in percentage points, whose sign is judged
};

// A qdisc's measured figures, to compare rows with.
struct Qdisc {
  std::string name;
  std::uint32_t flows = 1;
  double goodput_kbit_s = 0, queue_s = 0;
};

struct Goal {
  double goodput_kbit_s = 0, queue_s = 0;  // lower limit of goodput, upper limit of queue
};

struct Paper {
  std::string name;      // 000; the file name without its ending and part: 001-web is part `web` of 001
  std::string title;     // with its authors
  std::string scenario;  // the base scenario's file
  std::string scenario_text;
  std::string fitted;  // choices in it that were made after looking at the paper's figures
  std::string limits;  // text for the rows' limits of goodput; empty: each row has its own
  std::string part;    // for a paper with figures or scenes: its name for `--part`
  std::string shows;   // description of that part
  std::string file;    // source of a built-in paper; empty: a user's file
  std::vector<Column> columns;
  std::vector<PaperRow> rows;
  std::vector<RisingRows> rising;
  std::vector<RowChanges> changes;
  std::vector<Occupancy> occupancy;
  Settings set;  // settings of all points of figures
  std::vector<FigureLine> lines;
  std::vector<FigureBound> bounds;
  std::vector<FigurePoints> figures;
  std::vector<Chart> charts;
  std::vector<Scene> scenes;
  std::vector<Statement> statements;
  std::vector<GainTable> gains;
  bool binding = false;  // a required claim that does not hold fails the command
  std::string set_up;    // how the qdiscs' figures were measured, as text
  std::string measured;  // and ours
  Goal goal;             // goal for one flow beside the qdiscs
  std::vector<Qdisc> qdiscs;
};

// All problems with line and reason, or a paper, without its scenario's text.
config::Checked<Paper> load_paper(std::string_view yaml, const std::string& file_name);

// Every key of a paper file with type, range and meaning.
std::vector<config::HelpRow> list_paper();

std::span<const Paper> papers();

// The parts of the paper of that name; one of them may have no name.
std::vector<std::string_view> parts_of(std::string_view name);

// The part `part` of that paper, or its first part if there is none of that name. A name that ends in .yaml
// is a file, whose scenario is looked up in its folder, then among the built-in ones. An error lists the
// valid names, or the file's problems.
dp::Result<const Paper*> find_paper(std::string_view name, std::string_view part = {});

// The paper's rows with these ids, in the catalogue's order; all rows if `ids` is empty. "B5" selects B5/384,
// B5/256 and so on.
dp::Result<std::vector<const PaperRow*>> select_rows(const Paper& paper, std::span<const std::string> ids);

}  // namespace lab
