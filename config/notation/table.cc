#include "config/notation/table.h"

#include <algorithm>

namespace config {

void fail_missing(Reader& reader, const Node& map, const RowText& row, const std::string& values) {
  reader.missing_key(map.place(), row.name,
                     values.empty() ? ": " + std::string(row.doc) : "; it takes " + values);
}

void fail_unknown(Reader& reader, const Node& map, std::span<const std::string_view> names,
                  const OtherKey& other) {
  for (std::size_t i = 0; i < map.size() && !reader.full(); ++i) {
    const bool known = std::ranges::find(names, map.key(i).text()) != names.end();
    if (!known && !(other && other(reader, map.key(i)))) reader.unknown_key(map.key(i), names);
  }
}

std::string plain_text(const Json& value) {
  if (value.is_object()) return "";
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_array() && value.empty()) return "none";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string path_of(const std::string& section, std::string_view name) {
  return section.empty() ? std::string(name) : section + "." + std::string(name);
}

HelpRow help_row(const std::string& section, const RowText& row, std::string type, std::string values) {
  HelpRow line{path_of(section, row.name), std::move(type), std::move(values),
               std::string(row.required ? "required" : row.initial), std::string(row.doc)};
  if (!row.source.empty()) line.doc += " (" + std::string(row.source) + ")";
  line.frozen = row.frozen;
  return line;
}

}  // namespace config
