#include "config/help.h"

#include <algorithm>

#include <fmt/core.h>

#include "config/class_profiles.h"
#include "config/notation/units.h"
#include "config/notation/words.h"
#include "config/profiles.h"
#include "config/schema.h"

namespace config {
namespace {

std::string section_of(const HelpRow& row) { return row.path.substr(0, row.path.find_first_of(".[")); }

std::vector<std::string> sections(const std::vector<HelpRow>& rows) {
  std::vector<std::string> out;
  for (const auto& row : rows) {
    if (out.empty() || out.back() != section_of(row)) out.push_back(section_of(row));
  }
  return out;
}

std::string kind_of(const HelpRow& row) {
  const bool told = row.type == "name" || row.values.starts_with(row.type);
  const std::string type = told && !row.values.empty() ? "" : row.type;
  if (type.empty() || row.values.empty()) return type + row.values;
  return type + ": " + row.values;
}

std::string as_text(const HelpRow& row) {
  std::string out = fmt::format("{}\n    {}\n", row.path, row.doc);
  if (const auto kind = kind_of(row); !kind.empty()) out += "    " + kind + "\n";
  if (!row.initial.empty()) out += "    default: " + row.initial + "\n";
  if (row.frozen) out += "    changes: after a restart\n";
  return out;
}

// One section; consecutive rows of a section share a table.
struct MarkdownTable {
  std::string heading;
  std::vector<HelpRow> rows;
  bool single = false;
};

std::vector<MarkdownTable> tables_of(const std::vector<HelpRow>& rows) {
  std::vector<MarkdownTable> tables;
  const auto of = [&](const std::string& section) {
    return std::ranges::count_if(rows, [&](const HelpRow& row) { return section_of(row) == section; });
  };
  for (const auto& section : sections(rows)) {
    const bool single = of(section) == 1;
    if (!single || tables.empty() || !tables.back().single) {
      tables.push_back({section, {}, single});
    } else {
      tables.back().heading += ", " + section;
    }
    for (const auto& row : rows) {
      if (section_of(row) == section) tables.back().rows.push_back(row);
    }
  }
  return tables;
}

// For a map, refers to its keys.
std::string changes_of(const HelpRow& row) {
  if (row.section) return " | ";
  return row.frozen ? "after a restart | " : "live | ";
}

std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, 1, '\\');
  return text;
}

// True if `part` is an element of the row's path: `aqm` in classes.NAME.downlink.aqm.red.
bool within(const HelpRow& row, std::string_view part) {
  std::string path = "." + row.path + ".";
  for (std::size_t at; (at = path.find("[]")) != std::string::npos;) path.erase(at, 2);
  return path.find("." + std::string(part) + ".") != std::string::npos;
}

bool has_part(const std::vector<HelpRow>& rows, std::string_view part) {
  return part.find_first_of(".[]") == std::string_view::npos &&
         std::ranges::any_of(rows, [&](const HelpRow& row) { return within(row, part); });
}

}  // namespace

dp::Result<std::string> help(std::string_view section) {
  const auto rows = list_config();
  const auto known = sections(rows);
  const bool top = std::ranges::find(known, section) != known.end();
  if (!section.empty() && !top && !has_part(rows, section)) {
    const std::vector<std::string_view> names(known.begin(), known.end());
    return dp::Error{fmt::format("found the unknown section '{}', expected {}{}", shorten(section),
                                 one_of(names), did_you_mean(section, names)),
                     2};
  }
  std::string out;
  for (const auto& row : rows) {
    if (section.empty() || (top ? section_of(row) == section : within(row, section))) out += as_text(row);
  }
  if (section == "classes") out += "\n" + class_profile_help();
  if (section == "aqm") out += "\n" + profile_help();
  return out + "\nUnits\n" + unit_help();
}

std::string help_markdown(const std::vector<HelpRow>& rows) {
  std::string out;
  for (const auto& table : tables_of(rows)) {
    // If all rows of a table can change live, the text beside the tables says so.
    const bool some_frozen = std::ranges::any_of(table.rows, &HelpRow::frozen);
    out += fmt::format("{}{}\n\n| key | value | default | {}meaning |\n| --- | --- | --- | {}--- |\n",
                       (out.empty() ? "### " : "\n### "), table.heading, (some_frozen ? "changes | " : ""),
                       (some_frozen ? "--- | " : ""));
    for (const auto& row : table.rows) {
      out += fmt::format("| `{}` | {} | {} | ", row.path, cell(kind_of(row)), cell(row.initial));
      if (some_frozen) out += changes_of(row);
      out += cell(row.doc) + " |\n";
    }
  }
  return out;
}

std::string help_markdown() {
  std::string out = help_markdown(list_config()) + "\n### Units\n\n";
  const std::string units = unit_help();
  for (std::string_view rest = units; !rest.empty();) {
    const auto end = rest.find('\n');
    out += "- " + std::string(rest.substr(0, end)) + "\n";
    rest.remove_prefix(end + 1);
  }
  return out;
}

}  // namespace config
