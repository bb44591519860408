#include "tools/lab/figures/sweep_picture.h"

#include <algorithm>
#include <cctype>

#include "tools/lab/figures/plot.h"

namespace lab {
namespace {

constexpr Estimate kMissing{kNaN, kNaN};

// The index of `name` in `names`; appends it if it is new.
std::size_t index_of(std::vector<std::string>& names, const std::string& name) {
  const auto at = std::ranges::find(names, name);
  if (at != names.end()) return static_cast<std::size_t>(at - names.begin());
  names.push_back(name);
  return names.size() - 1;
}

std::string file_name(const std::string& words) {
  std::string name = "sweep";
  for (const char c : words) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.';
    if (plain || name.back() != '-') name += plain ? c : '-';
  }
  return name;
}

std::string curve_of(const SweepRow& row, const std::vector<std::string>& axes) {
  const std::string& choice = row.choices[axes.size() - 2];
  return row.choices.size() < axes.size() ? choice : axes[axes.size() - 2] + " " + choice;
}

// One picture: the rows that agree in all but the last two axes.
struct Sheet {
  std::string name;
  std::vector<std::string> of;  // its choices on the other axes
  std::vector<std::string> values, curves;
  std::vector<const SweepRow*> rows;
};

std::vector<Sheet> sheets_of(const std::vector<SweepRow>& rows,
                             const std::vector<std::string>& names_of_axes) {
  const std::size_t axes = names_of_axes.size();
  std::vector<Sheet> sheets;
  std::vector<std::string> names;
  for (const SweepRow& row : rows) {
    std::string name;
    for (std::size_t i = 0; i + 2 < axes; ++i)
      name += (i == 0 ? "" : ", ") + names_of_axes[i] + " " + row.choices[i];
    const std::size_t at = index_of(names, name);
    if (at == sheets.size())
      sheets.push_back({name, {row.choices.begin(), row.choices.end() - 2}, {}, {}, {}});
    Sheet& sheet = sheets[at];
    index_of(sheet.curves, curve_of(row, names_of_axes));
    if (row.choices.size() == axes) index_of(sheet.values, row.choices[axes - 1]);
    sheet.rows.push_back(&row);
  }
  return sheets;
}

// A level line has its printed value at every x.
void add_printed(std::vector<Curve>& curves, const PrintedPoint& point, const Sheet& sheet,
                 const std::vector<std::string>& axes) {
  const bool level = point.at.size() == 1;
  const std::string name = level ? point.at[0] : axes[axes.size() - 2] + " " + point.at[0];
  const auto curve = std::ranges::find(curves, name, &Curve::name);
  if (curve == curves.end()) return;
  for (std::size_t at = 0; at < sheet.values.size(); ++at) {
    if (!level && sheet.values[at] != point.at[1]) continue;
    curve->printed.push_back({at, point.goodput_kbit_s, point.delay_s});
  }
}

void draw_sheet(const std::filesystem::path& folder, const std::string& title,
                const std::vector<std::string>& axes, Sheet& sheet, const SweepPicture* picture) {
  const std::string& setting = axes.back();
  std::vector<Curve> curves;
  for (const std::string& name : sheet.curves) {
    const std::vector<Estimate> nothing(sheet.values.size(), kMissing);
    curves.push_back({name, nothing, nothing, {}});
  }
  for (const SweepRow* row : sheet.rows) {
    if (row->row.is_null()) continue;
    Curve& curve = curves[index_of(sheet.curves, curve_of(*row, axes))];
    const bool level = row->choices.size() < axes.size();
    for (std::size_t at = 0; at < sheet.values.size(); ++at) {
      if (!level && sheet.values[at] != row->choices.back()) continue;
      curve.goodput_kbit_s[at] = estimate_at(row->row, "goodput_kbit_s");
      curve.delay_s[at] = estimate_at(row->row, "delay_s");
    }
  }
  std::string heading = title + (sheet.name.empty() ? "" : ": " + sheet.name);
  if (picture != nullptr) {
    for (const PrintedPoint& point : picture->printed) add_printed(curves, point, sheet, axes);
    heading = picture->name + ": " + heading;
  }
  draw_curves({folder, file_name(sheet.name.empty() ? "-curves" : "-" + sheet.name)}, heading, setting,
              sheet.values, curves);
}

}  // namespace

void draw_sweep(const std::filesystem::path& folder, const std::string& title,
                const std::vector<std::string>& axes, const std::vector<SweepRow>& rows,
                const std::vector<SweepPicture>& pictures) {
  std::vector<Tradeoff> points;
  for (const auto& [choices, row] : rows) {
    if (row.is_null()) continue;
    points.push_back({row["id"], estimate_at(row, "goodput_kbit_s"), estimate_at(row, "delay_s"),
                      axes.back() + " " + choices.back()});
  }
  if (points.empty()) return;
  draw_tradeoffs({folder, "sweep"}, title, points);
  if (axes.size() < 2) return;
  for (Sheet& sheet : sheets_of(rows, axes)) {
    const auto picture = std::ranges::find(pictures, sheet.of, &SweepPicture::of);
    draw_sheet(folder, title, axes, sheet, picture == pictures.end() ? nullptr : &*picture);
  }
}

}  // namespace lab
