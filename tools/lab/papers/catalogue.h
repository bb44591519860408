// Experiments as data: what the papers printed, or somebody has measured, one entry a row of their tables
// with its source, the scenario that stands for it, and what is said of how rows compare. The files are
// tools/lab/papers/*.yaml, which are part of the program, and the user's own. Constant once loaded; nobody
// owns them.
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

// A limit that says that the error is told, not judged.
inline constexpr double kUnjudged = std::numeric_limits<double>::infinity();

// In what rows differ.
struct Column {
  std::string name, heading;      // of --list; it begins with '>' above numbers
  std::vector<std::string> sets;  // keys of the scenario that have its value
  std::string unit;               // of the value there
  std::string initial;            // where a row says nothing; empty: the scenario's
};

struct PaperRow {
  std::string paper;  // name
  std::string id;     // A1; rows of one scheme at several rates: B5/384; another form: A2/literal
  std::string table;  // where the paper has it
  std::map<std::string, std::string, std::less<>> values;  // by the column's name
  Settings set;                                            // keys of the scenario beside the columns'
  std::string like;  // of linux: the qdisc beside which it stands; told, not judged
  Estimate goodput_kbit_s = kNothing, delay_s = kNothing;
  double goodput_limit = 0.05;  // largest error that counts as inside, as a ratio; or kUnjudged
  double delay_limit = 0.25;
  config::Overrides overrides;  // what makes the scenario this row's: columns and `set`

  // Or else the paper only says how it compares with others.
  bool printed() const { return goodput_kbit_s.mean == goodput_kbit_s.mean; }
  const std::string& value(std::string_view column) const;  // empty: it has none
  unsigned flows() const;                                   // of that column; 1 if it is not there
};

// Delays, from the lowest to the highest.
struct RisingRows {
  std::string text;
  std::vector<std::string> ids;
};

// How a figure changes from one row to another, and within which limits.
struct RowPair {
  std::string id, base;
};
enum class By : std::uint8_t { percent, difference };
enum class Judged : std::uint8_t { each, each_last_largest, lowest, mean };  // of which the limits speak
struct RowChanges {
  std::string text;
  const Quantity* of = nullptr;
  By by = By::percent;
  Judged judged = Judged::each;
  double at_least = -std::numeric_limits<double>::infinity();  // of percentages: as ratios
  double at_most = std::numeric_limits<double>::infinity();
  bool told = false;  // it need not hold
  std::vector<RowPair> pairs;
  std::vector<double> printed;  // where the paper has changes alone; else they are those of its rows
};

// "Around" so many SDUs are in the buffer.
struct Occupancy {
  std::string id;
  std::uint32_t sdus = 0;
};

// What is read of a figure's points.
enum class FigureValue : std::uint8_t {
  goodput,     // kbit/s, of all flows together
  throughput,  // the same as a share of what their bearers' rates would carry
  fairness,    // Jain's index of the flows' goodput
  buffer_use,  // mean buffer occupancy as a share of the buffers' places
  file_rate,   // kbit/s, of complete files from the server's first data on, all together
};

// A line made of others: at each x the lowest, highest or mean of them.
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
  std::vector<std::uint32_t> users;  // how many flows are measured: a line for each
  std::vector<std::string> lines;
  std::vector<double> x, few;            // `few`: for a first look; empty: all
  dp::Duration short_form = kShortForm;  // of a run for a first look
  bool sized = false;                    // x is the buffer, in packets
  bool cross = false;                    // the flows of that name are on, and what wires lose is measured
  bool lossy = false;                    // x is the share of packets lost
  Settings set;                          // <x> and <b> stand for x and the buffer
};

struct FigureOfLine {
  std::string figure, line;
};

// How points are shown: a value over x, or over what was measured.
struct Chart {
  enum class Over : std::uint8_t { x, round_trip, loss };
  std::string name, title, axis;
  std::string figure;
  std::uint32_t users = 1;
  FigureValue value = FigureValue::goodput;
  std::string per;  // the line whose shares the others are shown as; empty: they are shown themselves
  Over over = Over::x;
  bool logarithmic = false;
  Over beside = Over::x;            // what tables have beside the goodput; x: nothing
  std::string along;                // of tables: what x is, where the axis has something else
  std::vector<FigureOfLine> lines;  // in place of all lines of `figure`
};

// Users of one cell, some of whom ask for web pages, some for one long download, some for both: every line of
// the paper is a scheme for them. User n is the scenario's n-th bearer and has its flows of the names webN
// and ftpN.
struct Scene {
  std::string name, title;
  std::vector<std::uint32_t> web, ftp;  // numbers of users, from 1 on
  Settings set;
};

// What is read of a scene under one scheme, as a curve; single values stand at 0.
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

// Text: FIGURE/USERS/LINE, FIGURE/USERS/VALUE/LINE or SCENE/SCENEFIGURE/LINE, and perhaps what it is held
// against: "over LINE", as the change from it, or "per LINE", as the share of it; LINE may be `best`, of all
// in the figure, FIGURE/LINE, its last value, or a number: the line's own value there.
struct FigureLineName {
  enum class To : std::uint8_t { itself, over, per };
  std::string figure;  // or the scene's name
  unsigned users = 1;
  FigureValue value = FigureValue::goodput;
  std::optional<SceneFigure> of_scene = {};  // instead of users
  std::string line, base = {}, base_figure = {};
  std::optional<double> base_x = {};
  To to = To::itself;
};

// What is read off figures' lines, and how it must be.
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
    added,       // values come in pairs of lines: what the second is above the first
    rise,        // at each of `at`, from line to line
    each_rises,  // each line, from each of `at` to the next
  };
  std::string text, paper;
  std::string shown;  // ours, as {fmt} takes it
  std::vector<FigureLineName> of;
  Chart::Over over = Chart::Over::x;
  std::vector<double> at;
  std::vector<Take> take;
  double from = -std::numeric_limits<double>::infinity(), to = std::numeric_limits<double>::infinity();
  Judged judged = Judged::each;
  double at_least = -std::numeric_limits<double>::infinity();
  double at_most = std::numeric_limits<double>::infinity();
  std::vector<double>
      near;  // at each of `at`: ours is off by at most `within`; points that did not run are left out
  double within = 0;
  double slack = 0;
  double times = 1;        // of first_above_second: so many times the second
  bool told = false;       // it need not hold
  bool long_only = false;  // the short form is too short for it
};

// What lines gain over one of them, in their rates of files, as a table beside what was expected.
struct GainRow {
  std::string name;
  std::string figure;
  double x = 0;
  double rate = std::numeric_limits<double>::quiet_NaN();  // expected of the line `over`, kbit/s
  std::vector<double> gains;                               // expected of its lines, in percent
  std::vector<std::string> lines;  // the figure's, in place of the table's; empty: they have the same names
};
struct GainTable {
  std::string name, title, axis;
  std::string over;
  std::vector<std::string> lines;
  std::vector<GainRow> rows;
  double rates_within = 0;         // told: so far rates may be off from those expected; 0: nothing is told
  std::string from;                // the row from which others differ; empty: none
  std::vector<double> from_gains;  // expected of it by the model that the others are of; empty: its own gains
  double least = 5;                // percentage points of a difference that has a side
};

// Somebody's own figures, beside which a row stands.
struct Qdisc {
  std::string name;
  std::uint32_t flows = 1;
  double goodput_kbit_s = 0, queue_s = 0;
};

struct Goal {
  double goodput_kbit_s = 0, queue_s = 0;  // at least, and at most
};

struct Paper {
  std::string name;      // 000; the file's without its ending and its part: 001-web is 001's part `web`
  std::string title;     // with its authors
  std::string scenario;  // the base scenario's file
  std::string scenario_text;
  std::string fitted;  // its choices that were made after looking at the papers' figures
  std::string limits;  // the rows' limits of goodput in words; empty: each row has its own
  std::string part;    // of a paper that has figures or scenes: what `--part` names
  std::string shows;   // what that part is, in words
  std::string file;    // of the program's own: where it stands; empty: a user's
  std::vector<Column> columns;
  std::vector<PaperRow> rows;
  std::vector<RisingRows> rising;
  std::vector<RowChanges> changes;
  std::vector<Occupancy> occupancy;
  Settings set;  // of all points of figures
  std::vector<FigureLine> lines;
  std::vector<FigureBound> bounds;
  std::vector<FigurePoints> figures;
  std::vector<Chart> charts;
  std::vector<Scene> scenes;
  std::vector<Statement> statements;
  std::vector<GainTable> gains;
  bool binding = false;  // a required claim that does not hold fails the command
  std::string set_up;    // how the qdiscs' figures were measured
  std::string measured;  // and how ours are
  Goal goal;             // of one flow beside them
  std::vector<Qdisc> qdiscs;
};

// All problems with line and reason, or a paper, without its scenario's text.
config::Checked<Paper> load_paper(std::string_view yaml, const std::string& file_name);

// Every key of a paper's file with type, range and meaning.
std::vector<config::HelpRow> list_paper();

std::span<const Paper> papers();

// The names of the parts of the paper of that name; a paper may be one without a name and have others beside.
std::vector<std::string_view> parts_of(std::string_view name);

// The paper of that name, its first part where it has none of the name `part`. A name that ends in .yaml is a
// file's: its scenario is named from its folder, and is the program's own of that name if none is there. An
// error names the valid ones, or the file's problems.
dp::Result<const Paper*> find_paper(std::string_view name, std::string_view part = {});

// The rows of a paper that `ids` names, in the catalogue's order; no ids: all of them. "B5" means B5/384,
// B5/256 and so on.
dp::Result<std::vector<const PaperRow*>> select_rows(const Paper& paper, std::span<const std::string> ids);

}  // namespace lab
