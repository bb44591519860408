// The running state as a file: the configuration, the last content of the configuration file, and every
// bearer with its settings made over the socket. `rncd --restore` reads it. JSON, one object a line: a head,
// the bearers, and an end with their number, so that a truncated file is detected.
// Tests: tests/unit/control/state/state_test.cc
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "config/networks.h"
#include "control/bearers/bearer_registry.h"
#include "dataplane/base/result.h"

namespace control {

inline constexpr std::array<std::string_view, 3> kOriginNames{"file", "socket", "learnt"};

struct SavedBearer {
  dp::UeAddress ue;  // in the networks of the running configuration
  std::string cls;
  std::string cell{};         // the cell in which it shares slots; empty: none
  std::string listed_cell{};  // its cell in the configuration, if different
  Origin origin = Origin::socket;
  nlohmann::json legs{};            // its own settings, as for `bearer.set`; null: all are its class's
  std::uint32_t downlink_teid = 0;  // TEID of the downlink of a bearer by TEID; 0: not known
  std::optional<std::uint32_t> listed_downlink_teid{};  // that of the configuration, if different
  std::optional<Claim> claim{};                         // who keeps it; a time goes on when it is read
};

struct SavedState {
  config::Config running;  // without bearers
  config::Config file;     // last content of the file, without bearers
  std::uint64_t disk = 0;  // fingerprint() of the file on disk
  std::vector<SavedBearer> bearers;
};

// Hash of all of a configuration.
std::uint64_t fingerprint(const config::Config& config);
std::uint64_t fingerprint(std::string_view text);

// The lines of the file, with line ends.
std::string head_line(const config::Config& running, const config::Config& file, std::uint64_t disk);
std::string bearer_line(const SavedBearer& bearer, const config::Networks& networks);
std::string end_line(std::size_t bearers);

// Reads the file; an error gives the line and what was found. None, without an error, if there is no such
// file.
dp::Result<std::optional<SavedState>> read_state(const std::string& path);

// The configuration to start with: the saved one, except for keys that cannot change while rncd runs, which
// are taken from the file. It includes bearers that the file lists, or listed.
config::Config to_start_with(const SavedState& saved, const config::Config& file);

}  // namespace control
