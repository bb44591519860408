// What runs, as a file: the configuration, what the configuration file last said, and every bearer with what
// was set of it over the socket. `rncd --restore` takes it up. JSON, an object a line: a head, a bearer each,
// and an end that says how many, so that a part of a file is not taken for the whole.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "config/networks.h"
#include "control/plane/bearer_registry.h"
#include "dataplane/base/result.h"

namespace control {

inline constexpr std::array<std::string_view, 3> kOriginNames{"file", "socket", "learnt"};

struct SavedBearer {
  dp::UeAddress ue;  // of the networks of the running configuration
  std::string cls;
  std::string cell{};         // in which it shares slots; empty: in none
  std::string listed_cell{};  // in which the configuration has it, if that is another
  Origin origin = Origin::socket;
  nlohmann::json legs{};  // what it has of its own, as for `bearer.set`; null: all is as its class says
};

struct SavedState {
  config::Config running;  // without bearers
  config::Config file;     // what the file last said, without bearers
  std::uint64_t disk = 0;  // fingerprint() of what was on disk
  std::vector<SavedBearer> bearers;
};

// Of everything that a configuration says. Different ones have different ones, but for an accident.
std::uint64_t fingerprint(const config::Config& config);
std::uint64_t fingerprint(std::string_view text);

// The lines of the file, each with its end.
std::string head_line(const config::Config& running, const config::Config& file, std::uint64_t disk);
std::string bearer_line(const SavedBearer& bearer, const config::Networks& networks);
std::string end_line(std::size_t bearers);

// An error says what was found, in which line. None, without an error, where there is no such file.
dp::Result<std::optional<SavedState>> read_state(const std::string& path);

// What rncd starts with: what ran, but what cannot change while it runs as the file says now. Bearers that
// the file lists, or listed, are in it.
config::Config to_start_with(const SavedState& saved, const config::Config& file);

}  // namespace control
