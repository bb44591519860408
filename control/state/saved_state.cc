#include "control/state/saved_state.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>
#include <variant>

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/dedicated.h"
#include "config/load.h"
#include "config/notation/files.h"
#include "config/notation/strict_json.h"
#include "config/print.h"
#include "config/schema.h"
#include "control/host/own_file.h"
#include "control/loop/version.h"
#include "control/state/claim_json.h"

namespace control {
namespace {

using Json = nlohmann::json;

constexpr int kFormat = 1;
constexpr std::size_t kMostOfAFile = std::size_t{1} << 30;  // a thousand octets for each of a million bearers
constexpr std::size_t kMostOfALine = config::kMaxFileBytes;
// The control socket's limits, except for the size of a head, which may have very many classes.
constexpr config::JsonBounds kLineBounds{.depth = config::JsonBounds{}.depth, .values = std::size_t{1} << 22};

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

// Reads the lines of a regular file, without line ends. Throws Broken if one is too long.
class LineReader {
 public:
  explicit LineReader(int fd) : fd_(fd) {}

  // None at the end of the file. The text is valid until the next call.
  std::optional<std::string_view> next() {
    for (std::size_t looked = begin_;;) {
      if (const auto end = held_.find('\n', looked); end != std::string::npos) {
        const std::size_t begin = std::exchange(begin_, end + 1);
        return std::string_view(held_).substr(begin, end - begin);
      }
      held_.erase(0, std::exchange(begin_, 0));
      looked = held_.size();
      if (looked > kMostOfALine) throw Broken{fmt::format("a line of more than {} MiB", kMostOfALine >> 20)};
      if (!more()) return std::nullopt;
    }
  }

 private:
  bool more() {
    char chunk[1 << 14];
    const ssize_t got = ::read(fd_, chunk, sizeof(chunk));
    if (got < 0 && errno != EINTR) throw Broken{std::strerror(errno)};
    if (got > 0) held_.append(chunk, static_cast<std::size_t>(got));
    return got != 0;
  }

  int fd_;
  std::string held_;
  std::size_t begin_ = 0;  // start of the next line in it
};

// The functions below throw Broken.
std::string text_in(const Json& line, const char* key, bool must) {
  const auto at = line.find(key);
  if (at == line.end() && !must) return {};
  if (at == line.end() || !at->is_string()) throw Broken{fmt::format("no text \"{}\"", key)};
  return at->get<std::string>();
}

std::optional<std::uint32_t> teid_in(const Json& line, const char* key) {
  const auto at = line.find(key);
  if (at == line.end()) return std::nullopt;
  if (at->is_number_unsigned() && at->get<std::uint64_t>() <= 0xffff'ffff) return at->get<std::uint32_t>();
  throw Broken{fmt::format("no TEID in \"{}\"", key)};
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

SavedBearer read_bearer(const Json& line, const config::Networks& networks) {
  const auto ue = config::parse_bearer(text_in(line, "ue", true), networks);
  if (!ue) throw Broken{ue.error().message};
  SavedBearer bearer{*ue, text_in(line, "class", true), text_in(line, "cell", false),
                     text_in(line, "listed_cell", false)};
  const std::string origin = text_in(line, "origin", true);
  const auto at = std::ranges::find(kOriginNames, origin);
  if (at == kOriginNames.end()) throw Broken{"the origin \"" + origin + "\""};
  bearer.origin = static_cast<Origin>(at - kOriginNames.begin());
  if (const auto legs = line.find("legs"); legs != line.end()) bearer.legs = *legs;
  bearer.downlink_teid = teid_in(line, "downlink_teid").value_or(0);
  bearer.listed_downlink_teid = teid_in(line, "listed_downlink_teid");
  if (const auto claim = line.find("claim"); claim != line.end()) {
    const auto read = read_claim(*claim, Claim::Clock::now());
    if (!read) throw Broken{read.error().message};
    bearer.claim = *read;
  }
  return bearer;
}

// True for the end line, which must be correct.
bool read_end(const Json& line, const SavedState& state) {
  const auto end = line.find("bearers");
  if (end == line.end()) return false;
  if (*end != state.bearers.size()) {
    throw Broken{fmt::format("an end after {} bearers that speaks of {}", state.bearers.size(), end->dump())};
  }
  return true;
}

Json parse_line(std::string_view text) {
  auto parsed = config::parse_json(text, kLineBounds);
  if (const auto* fault = std::get_if<config::JsonFault>(&parsed))
    throw Broken{"a line that is refused: " + fault->text};
  Json& line = std::get<Json>(parsed);
  if (!line.is_object()) throw Broken{"no JSON object"};
  return std::move(line);
}

SavedState read_lines(LineReader& in, std::size_t& number) {
  std::optional<SavedState> state;
  while (const auto text = in.next()) {
    ++number;
    const Json line = parse_line(*text);
    if (!state) {
      state = read_head(line);
    } else if (read_end(line, *state)) {
      return std::move(*state);
    } else {
      state->bearers.push_back(read_bearer(line, state->running.networks));
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
    hash = mixed(hash, static_cast<std::uint64_t>(bearer.ue.dedicated) << 32 ^ bearer.ue.id);
    hash = mixed(hash, bearer.downlink_teid);
    hash = mixed(hash, static_cast<std::uint64_t>(bearer.ue.kind) << 48 ^
                           std::uint64_t{bearer.ue.network} << 56 ^ std::uint64_t{bearer.cls} << 32 ^
                           bearer.cell);
  }
  return hash;
}

// The magic comes first, which identifies a saved state.
std::string head_line(const config::Config& running, const config::Config& file, std::uint64_t disk) {
  const Json rest{{"version", kVersion},
                  {"running", config::to_json(without_bearers(running))},
                  {"file", config::to_json(without_bearers(file))},
                  {"disk", fmt::format("{:x}", disk)}};
  return fmt::format("{}{},{}\n", kStateMagic, kFormat, std::string_view(rest.dump()).substr(1));
}

// A dedicated bearer's QFI or TEID stands behind its UE: an rncd that knows none refuses such a state instead
// of taking the bearer for the UE's default one.
std::string bearer_line(const SavedBearer& bearer, const config::Networks& networks) {
  std::string line =
      fmt::format(R"({{"ue":"{}","class":"{}","origin":"{}")", config::text_of(bearer.ue, networks),
                  bearer.cls, kOriginNames[dp::index(bearer.origin)]);
  // Names of classes, cells and networks contain no characters that JSON must escape.
  if (!bearer.cell.empty()) line += fmt::format(R"(,"cell":"{}")", bearer.cell);
  if (!bearer.listed_cell.empty()) line += fmt::format(R"(,"listed_cell":"{}")", bearer.listed_cell);
  if (bearer.downlink_teid != 0) line += fmt::format(R"(,"downlink_teid":{})", bearer.downlink_teid);
  if (const auto listed = bearer.listed_downlink_teid)
    line += fmt::format(R"(,"listed_downlink_teid":{})", *listed);
  if (bearer.claim) line += ",\"claim\":" + claim_text(*bearer.claim, Claim::Clock::now());
  if (!bearer.legs.is_null()) line += fmt::format(R"(,"legs":{})", bearer.legs.dump());
  return line + "}\n";
}

std::string end_line(std::size_t bearers) { return fmt::format("{{\"bearers\":{}}}\n", bearers); }

namespace {

dp::Error not_restored(const std::string& place, const std::string& found) {
  return {
      fmt::format("{}: found {}, expected a state as `rncctl save` writes it; the configuration file alone "
                  "says what runs",
                  place, found)};
}

// True for a descriptor inherited at start: its file is from the process that started rncd.
bool is_inherited(const std::string& path) { return path.starts_with("/proc/self/fd/"); }

// The reason not to trust the file; empty if there is none.
std::string distrust(const struct stat& file, const std::string& path) {
  if (file.st_size > static_cast<off_t>(kMostOfAFile))
    return fmt::format("{} bytes, more than {} MiB", file.st_size, kMostOfAFile >> 20);
  if (is_inherited(path)) return {};
  if (file.st_uid != 0 && file.st_uid != ::geteuid())
    return fmt::format("a file of user {}, who is neither root nor the user of rncd ({})", file.st_uid,
                       ::geteuid());
  if ((file.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return fmt::format("a file that other users may write (mode {:04o})", file.st_mode & 07777);
  return {};
}

}  // namespace

dp::Result<std::optional<SavedState>> read_state(const std::string& path) {
  const auto file = config::RegularFile::open(
      {.name = path, .shown = path, .what = std::string(kStateKind.what), .most = kMostOfAFile});
  if (!file && file.problems.front().os_error == ENOENT) return std::optional<SavedState>();
  if (!file) return dp::Error{config::to_string(file.problems.front())};
  if (const std::string why = distrust(file->status(), path); !why.empty()) return not_restored(path, why);
  std::size_t number = 0;
  LineReader lines(file->descriptor());
  try {
    return std::optional(read_lines(lines, number));
  } catch (const Broken& broken) {
    return not_restored(fmt::format("{}:{}", path, number), broken.why);
  } catch (const Json::exception& e) {
    return not_restored(fmt::format("{}:{}", path, number), e.what());
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
                              cell ? static_cast<config::CellId>(*cell) : config::kNoCell,
                              bearer.listed_downlink_teid.value_or(bearer.downlink_teid)});
  }
  return config;
}

}  // namespace control
