// A scenario as plain values: bearers and their classes as in rncd's configuration, and around them servers,
// wires, flows and what changes when. Loaded from YAML by the same code, so keys, units and messages are the
// same.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/load.h"
#include "config/model.h"
#include "config/problem.h"
#include "dataplane/packet/parse.h"
#include "dataplane/tcp/settings.h"

namespace lab {

// One direction and its mirror; each has its own queue, jitter and losses.
struct Wire {
  std::string name;
  std::optional<std::uint64_t> rate;  // bit/s of IP bytes; none: unlimited
  dp::Duration delay{};
  dp::Duration jitter{};               // half of the range, uniform; packets stay in order
  std::optional<std::uint32_t> queue;  // packets, that in transmission included; none: unlimited
  double loss = 0;                     // of each packet, independently, once it was sent
};

struct Server {
  std::string name;
  dp::IpAddress address{};
  std::size_t wire = 0;  // in Scenario::wires: from the server to the core port
  std::size_t back = 0;  // and from the core port to the server
};

// What a server sends.
struct Bulk {};  // without end
struct Files {   // one after the other, each over a connection of its own
  std::uint64_t size = 0;
  dp::Duration gap{};                  // exponential, from one's last byte to the request for the next; mean
  std::optional<std::uint32_t> times;  // none: without end
};
struct Web {                            // pages of objects, each object over a connection of its own
  dp::Duration gap{15'000'000'000};     // exponential, from page to page; mean
  double objects = 5;                   // of a page, exponential, at least one; mean
  dp::Duration object_gap{10'000'000};  // exponential, from object to object; mean
  std::uint64_t size = 12'000;          // Pareto, cut at `max`; mean before the cut
  double shape = 1.2;                   // of the Pareto distribution
  std::uint64_t max = 1'000'000;        // no object is larger
};
using Traffic = std::variant<Bulk, Files, Web>;

struct Flow {
  std::string name;
  std::size_t server = 0;  // in Scenario::servers
  std::size_t bearer = 0;  // in Scenario::bearers
  std::uint32_t count = 1;
  dp::Duration start{};
  Traffic traffic = Bulk{};
  dp::TcpSenderSettings tcp;
  dp::TcpReceiverSettings sink;
};

// From `at` on the bearer is made like this.
struct Change {
  dp::Duration at{};
  std::size_t bearer = 0;
  dp::BearerSettings settings;
};

struct Scenario {
  dp::Duration duration{};
  dp::Duration measure_from{};
  std::uint32_t runs = 20;
  std::uint64_t seed = 1;
  std::vector<config::Class> classes;
  std::vector<config::Bearer> bearers;
  std::vector<Wire> wires;
  std::vector<Server> servers;
  std::vector<Flow> flows;
  std::vector<Change> changes;  // in order of time
};

// What the lab's TCP is before the file says otherwise: the papers' (tools/lab/README.md).
dp::TcpSenderSettings lab_sender();
dp::TcpReceiverSettings lab_receiver();

// All problems with line and reason, or a scenario that can run. Overrides reach every key, list items by
// their number: classes.bearer.downlink.rate=128k, flows.0.count=4.
config::Checked<Scenario> load_scenario(std::string_view yaml, const std::string& file_name,
                                        const config::Overrides& overrides = {});
config::Checked<Scenario> load_scenario_file(const std::string& path,
                                             const config::Overrides& overrides = {});

}  // namespace lab
