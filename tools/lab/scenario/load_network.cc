
#include <arpa/inet.h>

#include "config/notation/syntax.h"
#include "config/radio.h"
#include "dataplane/packet/bytes.h"
#include "tools/lab/scenario/draft.h"

namespace lab {
namespace {

using config::Checkable;
using config::Node;
using config::Quantity;
using config::Reader;
using config::Row;

constexpr dp::FieldTable kWireRows{
    Row{"rate", &Wire::rate, OrWord<Quantity<std::uint64_t>>{{dp::Unit::rate, dp::kMinRate, dp::kMaxRate}},
        "in IP bytes, each direction by itself"},
    Row{"trace", &Wire::trace, config::RadioTraceKind{},
        "in place of a rate: a recorded link, in the format of mahimahi; each direction by itself"},
    Row{"delay", &Wire::delay,
        Quantity<dp::Duration>{dp::Unit::duration, dp::Duration{0}, dp::Duration{100'000'000'000}},
        "from the last bit sent to its arrival"},
    Row{"jitter", &Wire::jitter,
        Quantity<dp::Duration>{dp::Unit::duration, dp::Duration{0}, dp::Duration{100'000'000'000}},
        "the delay is up to so much shorter or longer, uniformly; packets stay in order"},
    Row{"queue", &Wire::queue, OrWord<Quantity<std::uint32_t>>{{dp::Unit::count, 1, 1'000'000}},
        "packets that wait or are being sent; one more is lost"},
    Row{"loss", &Wire::loss, Quantity<double>{dp::Unit::ratio, 0, 0.99}, "of packets sent, each by itself"},
};

dp::Result<dp::IpAddress> parse_address(std::string_view text) {
  const std::string copy(text);
  std::byte raw[16];
  if (inet_pton(AF_INET, copy.c_str(), raw) == 1) return dp::IpAddress{false, 0, dp::load32(raw)};
  if (inet_pton(AF_INET6, copy.c_str(), raw) == 1) {
    return dp::IpAddress{true, dp::load64(raw), dp::load64(raw + 8)};
  }
  return dp::Error{"an IPv4 or IPv6 address such as 192.0.2.1"};
}

std::string write_address(const dp::IpAddress& address) {
  return dp::address_text(address.ipv6, address.hi, address.lo);
}

constexpr Checkable<dp::IpAddress> kAddress{"address", "an IPv4 or IPv6 address", parse_address,
                                            write_address};

struct WireEntry : Wire {
  std::optional<Node> to_node;
};

const auto kWireEntryRows = dp::joined(
    kWireRows,
    dp::FieldTable{Row{"to", &WireEntry::to_node, config::Later{"name", "a name among `wires`"},
                       "a wire above it, into which it leads from servers on instead of the core port"}});

struct RadioEntry {
  std::optional<Node> wire, back;
};

constexpr dp::FieldTable kRadioRows{
    Row{"wire", &RadioEntry::wire, config::Later{"name", "a name among `wires`"},
        "from the radio port to the UE"},
    Row{"back", &RadioEntry::back, config::Later{"name", "a name among `wires`"},
        "from the UE to the radio port"},
};

struct ServerEntry {
  dp::IpAddress address{};
  std::optional<Node> wire, back;
};

constexpr dp::FieldTable kServerRows{
    Row{"address", &ServerEntry::address, kAddress, "where its packets come from", true},
    Row{"wire", &ServerEntry::wire, config::Later{"name", "a name among `wires`"},
        "what joins it to the core port", true},
    Row{"back", &ServerEntry::back, config::Later{"name", "a name among `wires`"},
        "what joins the core port to it; the same wire if not given"},
};

constexpr std::string_view kNoTunnels = "none";

constexpr dp::FieldTable kTunnelRows{
    Row{"core", &TunnelSettings::core, kAddress, "the gateway: the tunnels' end at the core port"},
    Row{"radio", &TunnelSettings::radio, kAddress,
        "the base station: their end at the radio port. A handover leads to the one with the next higher "
        "address, and the next handover back"},
    Row{"qfi", &TunnelSettings::qfi, OrWord<Quantity<std::uint8_t>>{{dp::Unit::count, 0, 63}, kNoTunnels},
        "the QoS flow in each packet's PDU session container, as in 5G; none: no container, as in 3G and 4G",
        false, "", "TS 38.415 clause 5.5.2"},
    Row{"checksum", &TunnelSettings::checksum, config::YesNo{}, "the outer UDP checksum; no: it is 0", false,
        "", "RFC 6935"},
    Row{"on_handover", &TunnelSettings::on_handover, config::OneOf<dp::OnHandover>{dp::kOnHandoverNames},
        "what becomes of packets that wait when their UE gets another tunnel, as in `dataplane.gtp_u`"},
};

bool check_name(Reader& reader, const Node& key, std::string_view thing) {
  if (config::is_class_name(key.text())) return true;
  reader.expected(key, "a " + std::string(thing) + "'s name: " + std::string(config::kNameForm));
  return false;
}

template <class Place>
void find_wire(Reader& reader, std::string_view key, const std::optional<Node>& node,
               const std::vector<Wire>& wires, Place& into) {
  if (!node) return;
  const Reader::Scope scope(reader, key);
  std::vector<std::string> names;
  for (const auto& wire : wires) names.push_back(wire.name);
  if (const auto at = find_named(reader, *node, names, "wire", "wires")) into = *at;
}

}  // namespace

void WiresKind::load(Reader& reader, const Node& node, Draft& into) const {
  if (!reader.expect_map(node, {})) return;
  for (std::size_t i = 0; i < node.size() && !reader.full(); ++i) {
    check_name(reader, node.key(i), "wire");
    const Reader::Scope scope(reader, node.key(i).text());
    WireEntry wire;
    wire.name = node.key(i).text();
    config::load_keys(reader, node.value(i), wire, kWireEntryRows);
    find_wire(reader, "to", wire.to_node, into.scenario.wires, wire.to);
    into.scenario.wires.push_back(wire);
    if (wire.rate && wire.trace) {
      const Reader::Scope key(reader, "rate");
      reader.fail(node.value(i).find("rate")->place(),
                  "found a rate beside a trace, which has rates of its own; remove one of them");
    }
    if (wire.jitter <= wire.delay) continue;
    const Reader::Scope key(reader, "jitter");
    reader.expected(*node.value(i).find("jitter"),
                    "at most the wire's delay; nothing arrives before it was sent");
  }
}

void RadioKind::load(Reader& reader, const Node& node, Draft& into) const {
  if (!reader.expect_map(node, {})) return;
  std::vector<std::string> classes;
  for (const auto& c : into.network.classes) classes.push_back(c.name);
  into.scenario.radio.resize(classes.size());
  for (std::size_t i = 0; i < node.size() && !reader.full(); ++i) {
    const auto cls = find_named(reader, node.key(i), classes, "class", "classes");
    const Reader::Scope scope(reader, node.key(i).text());
    RadioEntry entry;
    config::load_keys(reader, node.value(i), entry, kRadioRows);
    if (!cls) continue;
    find_wire(reader, "wire", entry.wire, into.scenario.wires, into.scenario.radio[*cls].wire);
    find_wire(reader, "back", entry.back, into.scenario.wires, into.scenario.radio[*cls].back);
  }
}

void ServersKind::load(Reader& reader, const Node& node, Draft& into) const {
  if (!reader.expect_map(node, {})) return;
  for (std::size_t i = 0; i < node.size() && !reader.full(); ++i) {
    check_name(reader, node.key(i), "server");
    const Reader::Scope scope(reader, node.key(i).text());
    ServerEntry entry;
    config::load_keys(reader, node.value(i), entry, kServerRows);
    Server server{std::string(node.key(i).text()), entry.address};
    find_wire(reader, "wire", entry.wire, into.scenario.wires, server.wire);
    server.back = server.wire;
    find_wire(reader, "back", entry.back, into.scenario.wires, server.back);
    into.scenario.servers.push_back(std::move(server));
  }
}

void TunnelsKind::load(Reader& reader, const Node& node, std::optional<TunnelSettings>& into) const {
  into.reset();
  if (config::is_text(node, reader.strict()) && node.text() == kNoTunnels) return;
  if (node.is_scalar()) return reader.expected(node, values());
  config::load_keys(reader, node, into.emplace(), kTunnelRows);
}

void TunnelsKind::list(std::vector<config::HelpRow>& out, const std::string& path,
                       const std::optional<TunnelSettings>&) const {
  config::list_keys(out, path, TunnelSettings{}, kTunnelRows);
}

void WiresKind::list(std::vector<config::HelpRow>& out, const std::string& path, const Draft&) const {
  config::list_keys(out, path + ".NAME", WireEntry{}, kWireEntryRows);
}

void RadioKind::list(std::vector<config::HelpRow>& out, const std::string& path, const Draft&) const {
  config::list_keys(out, path + ".CLASS", RadioEntry{}, kRadioRows);
}

void ServersKind::list(std::vector<config::HelpRow>& out, const std::string& path, const Draft&) const {
  config::list_keys(out, path + ".NAME", ServerEntry{}, kServerRows);
}

}  // namespace lab
