// A configuration as plain values: the validated content of the file or of a request, with `auto` values
// unresolved. Loaded by config/load.h, printed by config/print.h.
// Tests: tests/unit/config/load_test.cc, tests/unit/config/print_test.cc
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dataplane/base/address.h"
#include "dataplane/base/expect.h"
#include "dataplane/base/gtp_u_settings.h"
#include "dataplane/base/ids.h"
#include "dataplane/base/wire.h"
#include "dataplane/bearer/settings.h"
#include "dataplane/sched/cell_settings.h"

namespace config {

enum class PowerChoice : std::uint8_t { automatic, poll, adaptive };

inline constexpr std::uint32_t kMaxWorkers = 64;

// The tunnel endpoints of one prefix.
struct GtpUPeer {
  dp::Prefix prefix;
  std::string network{};  // name of the network of the UEs behind them; empty: none
  friend bool operator==(const GtpUPeer&, const GtpUPeer&) = default;
};

// GTP-U tunnels that are looked into. The members are as in dp::GtpUSettings.
struct GtpU {
  std::vector<GtpUPeer> peers;
  std::vector<std::uint16_t> ports{dp::GtpUSettings::kPort};
  dp::GtpUSequence sequence = dp::GtpUSequence::observe;
  dp::OnHandover on_handover = dp::OnHandover::keep;
  friend bool operator==(const GtpU&, const GtpU&) = default;
};

struct Dataplane {
  std::array<std::string, 2> devices;    // ports.core.device, ports.radio.device
  std::optional<std::uint32_t> workers;  // none: auto
  std::vector<unsigned> cpus;            // empty: auto
  dp::Mode mode = dp::Mode::inline_;
  dp::Unknown unknown = dp::Unknown::pass;
  PowerChoice power = PowerChoice::automatic;
  std::optional<bool> huge_pages;            // none: auto (yes if there are enough)
  std::optional<std::uint64_t> memory;       // bytes for frames; none: auto
  std::optional<std::uint32_t> max_bearers;  // none: auto
  double rebalance = 0.8;                    // busy share of a worker's time; 1: never
  double proxy_store = 0.25;                 // share of what a worker's buffers may hold
  bool link_propagation = false;             // between the interfaces of the two ports
  std::optional<GtpU> gtp_u{};               // none: tunnels are not looked into
  std::string bypass_hook{};                 // path of a program; empty: none
  dp::WireConfig wire{};
  std::vector<std::string> eal;  // extra EAL arguments
  friend bool operator==(const Dataplane&, const Dataplane&) = default;
};

struct Modes {
  dp::Duration drain_timeout = std::chrono::seconds(5);  // wait for split proxies before leaving mode inline
  friend bool operator==(const Modes&, const Modes&) = default;
};

// A template for bearers. The ClassId is its position.
struct Class {
  std::string name;
  dp::LegSettings downlink;
  dp::LegSettings uplink;
  std::string profile{};  // name of its profile; empty: none
  std::optional<dp::SplitConfig> proxy{};
  friend bool operator==(const Class&, const Class&) = default;
};

// A sector whose slots bearers share. Its CellId is its position.
struct Cell {
  std::string name;
  dp::CellSettings settings;
  friend bool operator==(const Cell&, const Cell&) = default;
};
using CellId = std::uint32_t;
inline constexpr CellId kNoCell = ~CellId{0};
inline constexpr std::uint32_t kMaxCells = 4096;

// VLAN ids from `first` to `last` (IEEE 802.1Q clause 9.6: 1 to 4094).
struct VlanRange {
  std::uint16_t first = 0, last = 0;
  friend bool operator==(const VlanRange&, const VlanRange&) = default;
};

// Distinguishes UEs with equal addresses by their VLAN. Its NetworkId is its position plus one.
struct Network {
  std::string name;
  std::vector<VlanRange> vlans{};  // disjoint from other networks'
  friend bool operator==(const Network&, const Network&) = default;
};

// A bearer and a learning rule have a cell if and only if the downlink's link of their class is `cell`.
// Dedicated bearers follow the default one of their UE.
struct Bearer {
  dp::UeAddress ue;
  dp::ClassId cls = 0;
  CellId cell = kNoCell;
  std::uint32_t downlink_teid = 0;  // TEID of the downlink tunnel of a bearer by TEID; 0: not known
  friend bool operator==(const Bearer&, const Bearer&) = default;
};

// A prefix whose UEs get a bearer with their first packet.
struct Learn {
  dp::Prefix prefix;
  dp::ClassId cls = 0;
  std::uint32_t limit = 4096;  // maximum number of bearers learnt from it
  dp::LearnFrom from = dp::LearnFrom::uplink;
  dp::Duration idle = std::chrono::hours(1);  // a bearer without traffic for this long is removed; 0: never
  CellId cell = kNoCell;
  dp::NetworkId network = dp::kNoNetwork;  // network of its UEs
  friend bool operator==(const Learn&, const Learn&) = default;
};

struct Control {
  std::string socket = "/run/rncd/rncd.sock";
  std::uint32_t mode = 0660;
  std::string group{};    // group of both sockets, by name or number; empty: rncd's own group
  std::string traces{};   // directory of the error traces that requests may name; empty: none
  std::string read_only;  // empty: off
  std::uint32_t read_only_mode = 0666;
  std::string state{};  // file for the saved state; empty: not saved
  friend bool operator==(const Control&, const Control&) = default;
};

struct Metrics {
  std::string listen = "127.0.0.1:9464";  // empty: off
  std::uint32_t per_bearer_top = 0;       // number of bearers with their own series, fullest first
  friend bool operator==(const Metrics&, const Metrics&) = default;
};

enum class LogFormat : std::uint8_t { text, json };

struct Log {
  std::string level = "info";
  LogFormat format = LogFormat::text;
  friend bool operator==(const Log&, const Log&) = default;
};

struct Config {
  Dataplane dataplane;
  Modes modes;
  std::vector<dp::AqmProfileRef> profiles;  // the operator's, in addition to the built-in ones
  std::vector<Class> classes;
  std::vector<Cell> cells;
  std::vector<Network> networks;
  std::vector<Bearer> bearers;
  std::vector<Learn> learn;
  Control control;
  Metrics metrics;
  Log log;
  friend bool operator==(const Config&, const Config&) = default;
};

// The settings of bearers of class `id`. Requires: the class exists.
inline dp::BearerSettings settings_of(const std::vector<Class>& classes, dp::ClassId id) {
  DP_EXPECT(id < classes.size());
  return {id, classes[id].downlink, classes[id].uplink, classes[id].proxy};
}

}  // namespace config
