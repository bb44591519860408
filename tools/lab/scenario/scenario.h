// A scenario as plain values: bearers and their classes as in rncd's configuration, with servers, wires,
// flows and changes around them. It is loaded from YAML by rncd's code, with its keys, units and messages.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/load.h"
#include "config/model.h"
#include "config/notation/problem.h"
#include "config/notation/table.h"
#include "dataplane/packet/parse.h"
#include "dataplane/sched/cell_settings.h"
#include "dataplane/sched/radio/settings.h"
#include "dataplane/tcp/settings.h"
#include "tools/lab/scenario/traffic.h"
#include "tools/lab/scenario/tunnels.h"

namespace lab {

// A wire with two directions, each with its own queue, jitter and losses.
struct Wire {
  std::string name;
  std::optional<std::uint64_t> rate;  // bit/s of IP bytes; none: unlimited
  // A recorded link instead of a rate; null: none.
  std::shared_ptr<const dp::RadioTrace> trace;
  dp::Duration delay{};
  dp::Duration jitter{};               // the delay varies uniformly by at most this; packets stay in order
  std::optional<std::uint32_t> queue;  // packets, including the one in transmission; none: unlimited
  double loss = 0;                     // independent loss of each packet after its transmission
  std::optional<std::size_t> to;  // in Scenario::wires, one before it: where it leads instead of the core
                                  // port, from the servers on
};

// The wires between the radio port and each UE of a class; each UE has its own.
struct Radio {
  std::optional<std::size_t> wire;  // index in Scenario::wires: to the UE
  std::optional<std::size_t> back;  // and from the UE
};

// The cell with room for this many bearers.
inline dp::CellSettings with_members(dp::CellSettings cell, std::size_t bearers) {
  cell.members = static_cast<std::uint32_t>(std::max<std::size_t>(bearers, 1));
  return cell;
}

struct Server {
  std::string name;
  dp::IpAddress address{};
  std::size_t wire = 0;  // index in Scenario::wires: from the server to the core port
  std::size_t back = 0;  // from the core port to the server
};

struct Flow {
  std::string name;
  std::size_t server = 0;  // index in Scenario::servers
  std::size_t bearer = 0;  // index in Scenario::bearers
  std::uint32_t count = 1;
  dp::Duration start{};
  dp::Duration spread{};  // each starts later by a random time up to this
  Traffic traffic = Bulk::Config{};
  dp::TcpSenderSettings tcp;
  dp::TcpReceiverSettings sink;
};

// The bearer's settings from `at` on.
struct Change {
  dp::Duration at{};
  std::size_t bearer = 0;
  dp::BearerSettings settings;
};

// From `at` on the bearer's downlink packets come by another tunnel, to another base station.
struct Handover {
  dp::Duration at{};
  std::size_t bearer = 0;
};

struct Scenario {
  dp::Duration duration{};
  dp::Duration measure_from{};
  std::uint32_t runs = 20;
  std::uint64_t seed = 1;
  std::vector<config::Class> classes;
  std::vector<config::Bearer> bearers;
  std::vector<Wire> wires;
  std::vector<Radio> radio;                                    // by class; empty: no wires
  dp::CellSettings cell{.newcomer = dp::CellNewcomer::paper};  // cell of all bearers with the link `cell`
  std::vector<Server> servers;
  std::vector<Flow> flows;
  std::vector<Change> changes;          // in order of time
  std::optional<TunnelSettings> gtp_u;  // none: packets cross the box without tunnels
  std::vector<Handover> handovers;      // in order of time; empty without `gtp_u`
};

// The lab's default TCP settings: those of the papers (tools/lab/MODELS.md).
dp::TcpSenderSettings lab_sender();
dp::TcpReceiverSettings lab_receiver();

// The largest IP packet that the lab's frames hold.
inline constexpr std::uint32_t kMaxPacket = 2000;

// All problems with line and reason, or a scenario that can run. Overrides can set every key, list items by
// their number: classes.bearer.downlink.rate=128k, flows.0.count=4.
config::Checked<Scenario> load_scenario(std::string_view yaml, const std::string& file_name,
                                        const config::Overrides& overrides = {});
config::Checked<Scenario> load_scenario_file(const std::string& path,
                                             const config::Overrides& overrides = {});

// Every key with type, range, default and meaning.
std::vector<config::HelpRow> list_scenario();

}  // namespace lab
