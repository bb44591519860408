#include "control/state/saved_state.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

#include <fmt/core.h>

#include "config/load.h"
#include "config/print.h"
#include "config/schema.h"
#include "control/loop/version.h"

namespace control {
namespace {

using Json = nlohmann::json;

constexpr int kFormat = 1;

std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 32;
}

config::Config without_bearers(const config::Config& config) {
  config::Config rest = config;
  rest.bearers.clear();
  return rest;
}

struct Broken {
  std::string why;
};

// All of these throw Broken.
std::string text_in(const Json& line, const char* key, bool must) {
  const auto at = line.find(key);
  if (at == line.end() && !must) return {};
  if (at == line.end() || !at->is_string()) throw Broken{fmt::format("no text \"{}\"", key)};
  return at->get<std::string>();
}

config::Config config_in(const Json& line, const char* key) {
  const auto at = line.find(key);
  if (at == line.end()) throw Broken{fmt::format("no \"{}\"", key)};
  auto loaded = config::load_text(at->dump(), key);
  if (!loaded) throw Broken{config::to_string(loaded.problems.front())};
  return std::move(*loaded);
}

SavedState read_head(const Json& line) {
  if (line.value("rncd_state", 0) != kFormat) {
    throw Broken{fmt::format("no head with \"rncd_state\": {}, this rncd's format", kFormat)};
  }
  SavedState state{config_in(line, "running"), config_in(line, "file"), 0, {}};
  const std::string disk = text_in(line, "disk", true);
  if (std::sscanf(disk.c_str(), "%lx", &state.disk) != 1) throw Broken{"no number in \"disk\""};
  return state;
}

SavedBearer read_bearer(const Json& line) {
  const auto ue = dp::parse_ue(text_in(line, "ue", true));
  if (!ue) throw Broken{ue.error().message};
  SavedBearer bearer{*ue, text_in(line, "class", true), text_in(line, "cell", false),
                     text_in(line, "listed_cell", false)};
  const std::string origin = text_in(line, "origin", true);
  const auto at = std::ranges::find(kOriginNames, origin);
  if (at == kOriginNames.end()) throw Broken{"the origin \"" + origin + "\""};
  bearer.origin = static_cast<Origin>(at - kOriginNames.begin());
  if (const auto legs = line.find("legs"); legs != line.end()) bearer.legs = *legs;
  return bearer;
}

// True at the end, which has to be right.
bool read_end(const Json& line, const SavedState& state) {
  const auto end = line.find("bearers");
  if (end == line.end()) return false;
  if (*end != state.bearers.size()) {
    throw Broken{fmt::format("an end after {} bearers that speaks of {}", state.bearers.size(), end->dump())};
  }
  return true;
}

SavedState read_lines(std::istream& in, std::size_t& number) {
  std::optional<SavedState> state;
  for (std::string text; std::getline(in, text);) {
    ++number;
    const Json line = Json::parse(text, nullptr, false);
    if (!line.is_object()) throw Broken{"no JSON object"};
    if (!state) {
      state = read_head(line);
    } else if (read_end(line, *state)) {
      return std::move(*state);
    } else {
      state->bearers.push_back(read_bearer(line));
    }
  }
  ++number;
  throw Broken{"the end of the file where more was to come"};
}

template <class T>
std::optional<std::size_t> place_of(const std::vector<T>& all, const std::string& name) {
  const auto at = std::ranges::find(all, name, &T::name);
  if (at == all.end()) return std::nullopt;
  return static_cast<std::size_t>(at - all.begin());
}

}  // namespace

std::uint64_t fingerprint(std::string_view text) {
  std::uint64_t hash = text.size();
  for (; text.size() >= 8; text.remove_prefix(8)) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data(), 8);
    hash = mixed(hash, word);
  }
  for (const char c : text) hash = mixed(hash, static_cast<unsigned char>(c));
  return hash;
}

std::uint64_t fingerprint(const config::Config& config) {
  std::uint64_t hash = fingerprint(config::to_json(without_bearers(config)).dump());
  for (const config::Bearer& bearer : config.bearers) {
    hash = mixed(hash, bearer.ue.hi);
    hash = mixed(hash, bearer.ue.lo);
    hash = mixed(hash, static_cast<std::uint64_t>(bearer.ue.kind) << 48 ^ std::uint64_t{bearer.cls} << 32 ^
                           bearer.cell);
  }
  return hash;
}

std::string head_line(const config::Config& running, const config::Config& file, std::uint64_t disk) {
  const Json head{{"rncd_state", kFormat},
                  {"version", kVersion},
                  {"running", config::to_json(without_bearers(running))},
                  {"file", config::to_json(without_bearers(file))},
                  {"disk", fmt::format("{:x}", disk)}};
  return head.dump() + "\n";
}

std::string bearer_line(const SavedBearer& bearer) {
  std::string line = fmt::format(R"({{"ue":"{}","class":"{}","origin":"{}")", dp::to_string(bearer.ue),
                                 bearer.cls, kOriginNames[dp::index(bearer.origin)]);
  // Names of classes and cells have no character that JSON would have to escape.
  if (!bearer.cell.empty()) line += fmt::format(R"(,"cell":"{}")", bearer.cell);
  if (!bearer.listed_cell.empty()) line += fmt::format(R"(,"listed_cell":"{}")", bearer.listed_cell);
  if (!bearer.legs.is_null()) line += fmt::format(R"(,"legs":{})", bearer.legs.dump());
  return line + "}\n";
}

std::string end_line(std::size_t bearers) { return fmt::format("{{\"bearers\":{}}}\n", bearers); }

dp::Result<std::optional<SavedState>> read_state(const std::string& path) {
  errno = 0;
  std::ifstream in(path);
  if (!in && errno == ENOENT) return std::optional<SavedState>();
  if (!in) return dp::Error{fmt::format("{}: {}, expected a saved state", path, std::strerror(errno))};
  std::size_t number = 0;
  try {
    return std::optional(read_lines(in, number));
  } catch (const Broken& broken) {
    return dp::Error{fmt::format(
        "{}:{}: found {}, expected a state as `rncctl save` writes it; the configuration file alone says "
        "what runs",
        path, number, broken.why)};
  } catch (const Json::exception& e) {
    return dp::Error{
        fmt::format("{}:{}: {}; the configuration file alone says what runs", path, number, e.what())};
  }
}

config::Config to_start_with(const SavedState& saved, const config::Config& file) {
  config::Config config = saved.running;
  config::take_frozen(config, file);
  for (const SavedBearer& bearer : saved.bearers) {
    if (bearer.origin != Origin::file) continue;
    const auto cls = place_of(config.classes, bearer.cls);
    const std::string& listed = bearer.listed_cell.empty() ? bearer.cell : bearer.listed_cell;
    const auto cell = place_of(config.cells, listed);
    if (!cls || (!listed.empty() && !cell)) continue;
    config.bearers.push_back({bearer.ue, static_cast<dp::ClassId>(*cls),
                              cell ? static_cast<config::CellId>(*cell) : config::kNoCell});
  }
  return config;
}

}  // namespace control
