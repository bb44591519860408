// Overrides from flags and the environment (config/load.h).
#include <algorithm>

#include "config/load.h"
#include "config/schema.h"

namespace config {
namespace {

constexpr std::string_view kPrefix = "RNCD_";

// dataplane.max_bearers -> RNCD_DATAPLANE_MAX_BEARERS
std::string variable_of(std::string_view key) {
  std::string out(kPrefix);
  for (char c : key) out += c == '.' ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return out;
}

bool has_variable(const HelpRow& row) {
  return !row.section && row.path.find("NAME") == std::string::npos &&
         row.path.find("[]") == std::string::npos;
}

}  // namespace

dp::Result<Override> override_from_flag(std::string_view argument) {
  const auto equals = argument.find('=');
  const auto key = argument.substr(0, equals);
  const bool bad = key.empty() || key.size() > 200 || key.front() == '.' || key.back() == '.' ||
                   key.find("..") != std::string_view::npos;
  if (bad || equals == std::string_view::npos) {
    return dp::Error{"found '" + std::string(argument) + "', expected KEY=VALUE such as dataplane.mode=tap",
                     2};
  }
  return Override{"--set " + std::string(argument), std::string(key),
                  std::string(argument.substr(equals + 1))};
}

Environment overrides_from_environment(const char* const* environment) {
  Environment out;
  const auto rows = list_config();
  for (; *environment != nullptr; ++environment) {
    const std::string_view entry = *environment;
    const auto name = entry.substr(0, entry.find('='));
    if (!name.starts_with(kPrefix) || name.size() == entry.size()) continue;
    const auto row = std::ranges::find_if(
        rows, [&](const HelpRow& r) { return has_variable(r) && variable_of(r.path) == name; });
    if (row == rows.end()) {
      out.unknown.emplace_back(name);
    } else {
      out.overrides.push_back({std::string(name), row->path, std::string(entry.substr(name.size() + 1))});
    }
  }
  return out;
}

}  // namespace config
