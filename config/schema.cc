#include "config/schema.h"

#include "config/bearers.h"
#include "config/cells.h"
#include "config/class_profiles.h"
#include "config/gtp_u.h"
#include "config/networks.h"
#include "config/notation/kinds.h"
#include "config/notation/syntax.h"
#include "config/profiles.h"

namespace config {
namespace {

constexpr std::array<std::string_view, 3> kPowerNames{"auto", "poll", "adaptive"};
constexpr std::array<std::string_view, 2> kLogFormatNames{"text", "json"};
constexpr std::array<std::string_view, 5> kLogLevels{"trace", "debug", "info", "warning", "error"};

// Unquoted digits may be a tool's decimal number: 0660 dumped as 432.
struct PermissionsKind {
  std::string type() const { return "permissions"; }
  std::string values() const { return std::string(kModeForm); }
  Json print(const std::uint32_t& mode) const { return write_permissions(mode); }
  dp::Result<std::uint32_t> parse(const Node& node, bool strict) const {
    const auto as_text = parse_permissions(node.is_scalar() ? node.text() : std::string_view{});
    if (node.style() == Style::text) return as_text;
    const auto number = node.is_scalar() ? parse_quantity(dp::Unit::count, node.text()) : dp::Error{""};
    const bool led = node.text().starts_with('0');
    if (!number || (led && !strict)) return as_text;
    std::string meant;
    if (*number <= 0777)
      meant = " as a decimal number it is \"" + write_permissions(static_cast<std::uint32_t>(*number)) + "\"";
    if (as_text)
      meant +=
          std::string(meant.empty() ? "" : ",") + " as octal digits \"" + write_permissions(*as_text) + "\"";
    return dp::Error{std::string(kModeForm) + ", in quotes" +
                     (meant.empty() ? "" : ";" + meant + ": write what is meant")};
  }
};

constexpr Checkable<std::string> kDevice{"device", kDeviceForm, parse_device, write_text};

template <std::size_t kSide>
constexpr auto kDeviceOf = [](auto& dataplane) -> auto& {
  return dataplane.devices[kSide];
};

constexpr dp::FieldTable kCoreRows{
    frozen(Row{"device", kDeviceOf<0>, kDevice, "the port towards the core", true})};
constexpr dp::FieldTable kRadioRows{
    frozen(Row{"device", kDeviceOf<1>, kDevice, "the port towards the UEs", true})};
constexpr dp::FieldTable kPortRows{
    Row{"core", std::identity{}, Section{kCoreRows}, "the core's side of the wire", true},
    Row{"radio", std::identity{}, Section{kRadioRows}, "the radio access's side of the wire", true},
};

constexpr dp::FieldTable kWireRows{
    frozen(
        Row{"on_failure", &dp::WireConfig::on_failure, OneOf<dp::OnFailure>{dp::kOnFailureNames},
            "when rncd is dead, hangs or ends, frames of AF_XDP ports go to the other port within the kernel "
            "(open), or nowhere (closed)"}),
    frozen(
        Row{"failure_scope", &dp::WireConfig::failure_scope, OneOf<dp::FailureScope>{dp::kFailureScopeNames},
            "with several workers: whose frames these are when one of them hangs: those of its UEs (worker), "
            "or all (wire), as also where a port has fewer queues than there are workers"}),
    frozen(Row{
        "stale_after", &dp::WireConfig::stale_after,
        Quantity<dp::Duration>{dp::Unit::duration, std::chrono::milliseconds(10), std::chrono::seconds(10)},
        "a worker that has made no progress for so long hangs"}),
    Row{"shortcut", &dp::WireConfig::shortcut, OneOf<dp::Shortcut>{dp::kShortcutNames},
        "what goes to the other port within the kernel while the workers live, at no cost to them: nothing "
        "(none), frames that are no IP packet (unparsed), or these and IP packets of UEs that have no bearer "
        "and no rule to learn one (strangers). Not in the mode block; needs two AF_XDP ports"},
};

constexpr dp::FieldTable kDataplaneRows{
    Row{"ports", std::identity{}, Section{kPortRows}, "the two ports that rncd joins", true},
    frozen(Row{
        "workers", &Dataplane::workers, OrAuto<Quantity<std::uint32_t>>{{dp::Unit::count, 1, kMaxWorkers}},
        "threads that move packets, each a share of the UEs; auto: one for each CPU that `cpus` names for "
        "them, else one"}),
    frozen(Row{"cpus", &Dataplane::cpus,
               ListOrAuto<Quantity<unsigned>>{{{dp::Unit::count, 0, 1023}, "CPU numbers such as [0, 1]"}},
               "the CPUs to run on: the main one first, then one a worker; with fewer they are shared"}),
    Row{"mode", &Dataplane::mode, OneOf<dp::Mode>{dp::kModeNames},
        "inline: shape; tap: forward at once, still classify and count; bypass: forward without looking; "
        "block: "
        "let nothing through"},
    Row{"unknown", &Dataplane::unknown, OneOf<dp::Unknown>{dp::kUnknownNames}, "frames of no bearer"},
    frozen(Row{"power", &Dataplane::power, OneOf<PowerChoice>{kPowerNames},
               "poll: never sleep; adaptive: sleep when idle; auto: adaptive on fewer than 4 CPUs"}),
    frozen(Row{
        "memory", &Dataplane::memory,
        OrAuto<Quantity<std::uint64_t>>{{dp::Unit::bytes, std::uint64_t{1} << 20, std::uint64_t{1} << 40}},
        "memory for frames"}),
    frozen(Row{"huge_pages", &Dataplane::huge_pages, OrAuto<YesNo>{}, "auto: when there are enough"}),
    Row{"rebalance", &Dataplane::rebalance, Quantity<double>{dp::Unit::ratio, 0.1, 1},
        "a worker that is busy for more than this part of the time hands bearers to one that is not; 100%: "
        "never"},
    frozen(
        Row{"proxy_store", &Dataplane::proxy_store, Quantity<double>{dp::Unit::ratio, 0, 1},
            "part of the frames that bearers' buffers may take which split proxies may promise to servers; "
            "what would need more passes unsplit"}),
    Row{"link_propagation", &Dataplane::link_propagation, YesNo{},
        "where the kernel interface of one port is down, has no carrier or is gone, the other is taken down, "
        "until a second after the first is back, or rncd ends; without effect on ports that have no kernel "
        "interface (PCI, pcap, null)"},
    Row{"gtp_u", &Dataplane::gtp_u, GtpUKind{},
        "looks into GTP-U tunnels between these peers: a bearer is then found by the packet within; none: a "
        "tunnel is a datagram like any other"},
    frozen(Row{"bypass_hook", &Dataplane::bypass_hook,
               Checkable<std::string>{"path", kOptionalFileForm, parse_optional_file, write_folder},
               "a program that steers a NIC with bypass relays; it is run as `normal` when frames come to "
               "rncd, as `tick` each second while all is well, and as `bypass` before rncd ends"}),
    Row{"wire", &Dataplane::wire, Section{kWireRows}, "what becomes of the wire without rncd"},
    frozen(Row{"max_bearers", &Dataplane::max_bearers,
               OrAuto<Quantity<std::uint32_t>>{{dp::Unit::count, 1, kMaxBearers}},
               "bearers there can be at a time, learnt ones included"}),
    frozen(Row{"eal", &Dataplane::eal,
               ListOf<Checkable<std::string>>{{"argument", "an EAL argument", parse_argument, write_text},
                                              "EAL arguments such as [\"--log-level=lib.eal:7\"]"},
               "more arguments for DPDK's EAL"}),
};

constexpr dp::FieldTable kModesRows{
    Row{"drain_timeout", &Modes::drain_timeout,
        Quantity<dp::Duration>{dp::Unit::duration, dp::Duration{0}, std::chrono::minutes(10)},
        "how long split proxies may take to let their connections go before the mode becomes tap or bypass, "
        "or "
        "rncd ends; what is at risk then is reset"},
};

constexpr dp::FieldTable kControlRows{
    frozen(Row{"socket", &Control::socket,
               Checkable<std::string>{"path", kSocketForm, parse_socket, write_text},
               "the control socket (JSON-RPC 2.0)"}),
    frozen(Row{"mode", &Control::mode, PermissionsKind{}, "who may open the socket"}),
    frozen(
        Row{"group", &Control::group, Checkable<std::string>{"group", kGroupForm, parse_group, write_folder},
            "the group that both sockets belong to, whose members need not be root; rncd has to be root or "
            "a member"}),
    frozen(Row{"read_only", &Control::read_only,
               Checkable<std::string>{"path", kOptionalSocketForm, parse_optional_socket, write_optional},
               "a second socket, which serves only methods that read; for dashboards"}),
    frozen(Row{"read_only_mode", &Control::read_only_mode, PermissionsKind{}, "who may open that one"}),
    frozen(Row{"state", &Control::state,
               Checkable<std::string>{"path", kOptionalFileForm, parse_optional_file, write_folder},
               "where what runs is saved: while it runs, at the end and by `rncctl save`; `rncd --restore` "
               "takes it up"}),
    Row{"traces", &Control::traces, Checkable<std::string>{"path", kFolderForm, parse_folder, write_folder},
        "where the error traces are that requests name; none: they may name none"},
};

constexpr dp::FieldTable kPerBearerRows{
    Row{"top", &Metrics::per_bearer_top, Quantity<std::uint32_t>{dp::Unit::count, 0, 1000},
        "series for so many bearers, those with the fullest buffers"},
};

constexpr dp::FieldTable kMetricsRows{
    frozen(Row{"listen", &Metrics::listen,
               Checkable<std::string>{"address", kListenForm, parse_listen, write_optional},
               "where Prometheus scrapes"}),
    Row{"per_bearer", std::identity{}, Section{kPerBearerRows}, "metrics with a UE in a label"},
};

// `metrics: off` is the same as `metrics: {listen: off}`.
struct MetricsKind : Section<decltype(kMetricsRows)> {
  void load(Reader& reader, const Node& node, Metrics& into) const {
    const bool off = is_text(node, reader.strict()) && node.text() == "off";
    if (off) {
      into.listen.clear();
    } else if (node.is_scalar()) {
      reader.expected(node, "`off`, or a map such as {listen: \"127.0.0.1:9464\"}");
    } else {
      Section::load(reader, node, into);
    }
  }
};

constexpr dp::FieldTable kLogRows{
    Row{"level", &Log::level, OneOf<std::string>{kLogLevels}, "the least severe event that is written"},
    Row{"format", &Log::format, OneOf<LogFormat>{kLogFormatNames},
        "key=value text, or one JSON object a line"},
};

constexpr dp::FieldTable kRootRows{
    Row{"version", std::identity{}, VersionKind{}, "the version of this notation", true},
    Row{"dataplane", &Config::dataplane, Section{kDataplaneRows}, "ports, worker, memory, mode", true},
    Row{"modes", &Config::modes, Section{kModesRows}, "how the mode changes"},
    Row{"profiles", &Config::profiles, ProfilesKind{}, "AQM parameters by rate, beside those of the program"},
    Row{"classes", &Config::classes, ClassesKind{}, "what bearers are made of"},
    Row{"cells", &Config::cells, CellsKind{}, "sectors whose slots bearers with the link `cell` share"},
    Row{"networks", &Config::networks, NetworksKind{},
        "names to which VLAN ids or tunnel endpoints are bound: UEs of different networks may have the same "
        "address"},
    Row{"bearers", std::identity{}, BearersKind{}, "who has a bearer, and of which class"},
    Row{"control", &Config::control, Section{kControlRows}, "the control socket"},
    Row{"metrics", &Config::metrics, MetricsKind{{kMetricsRows}},
        "the metrics exporter; `metrics: off`: none"},
    Row{"log", &Config::log, Section{kLogRows}, "the log, on standard error"},
};

}  // namespace

void load_config(Reader& reader, const Node& root, Config& into) {
  reader.set_profiles(&into.profiles);  // loaded before the classes, whatever their order in the file
  load_keys(reader, root, into, kRootRows);
}

std::vector<std::string> frozen_differences(const Config& running, const Config& wanted) {
  std::vector<std::string> out;
  list_frozen(out, "", running, wanted, kRootRows);
  return out;
}

void take_frozen(Config& running, const Config& wanted) { take_frozen(running, wanted, kRootRows); }

Json print_config(const Config& config) { return print_keys(config, kRootRows); }

std::vector<HelpRow> list_config() {
  std::vector<HelpRow> out;
  list_keys(out, "", Config{}, kRootRows);
  return out;
}

}  // namespace config
