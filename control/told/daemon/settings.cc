#include "control/told/daemon/settings.h"

#include <functional>

#include <fmt/core.h>
#include <fnmatch.h>
#include <net/if.h>
#include <sys/stat.h>

#include "config/notation/files.h"
#include "config/notation/kinds.h"
#include "config/notation/syntax.h"

namespace control::told {
namespace {

using config::Checkable;
using config::ListOf;
using config::Node;
using config::NodeKind;
using config::OneOf;
using config::Quantity;
using config::Reader;
using config::Row;
using config::Section;
using config::YesNo;

constexpr std::size_t kMostSecret = 128;  // octets
constexpr std::string_view kLogLevels[] = {"debug", "info", "warning", "error"};
constexpr std::string_view kLogFormats[] = {"text", "json"};

dp::Result<std::string> parse_path(std::string_view text) {
  if (!text.starts_with('/')) return dp::Error{"the absolute path of a file"};
  return std::string(text);
}

dp::Result<std::string> parse_class(std::string_view text) {
  if (!config::is_class_name(text)) return dp::Error{"a class of rncd's: " + std::string(config::kNameForm)};
  return std::string(text);
}

dp::Result<std::string> parse_interface(std::string_view text) {
  if (text.empty() || text.size() >= IFNAMSIZ || text.find('/') != text.npos)
    return dp::Error{fmt::format("the name of an interface, at most {} octets", IFNAMSIZ - 1)};
  return std::string(text);
}

constexpr Checkable<std::string> kClassName{"name", "a class of rncd's", parse_class, config::write_text};
constexpr Checkable<std::string> kSocketPath{"path", config::kSocketForm, config::parse_socket,
                                             config::write_text};

constexpr dp::FieldTable kClientRows{
    Row{"network", &ClientSettings::network,
        Checkable<dp::Prefix>{"network", "a network such as 192.0.2.0/24", parse_network,
                              [](const dp::Prefix& network) { return dp::to_string(network); }},
        "the addresses of the clients; of several networks with an address the longest counts", true},
    Row{"secret_file", &ClientSettings::secret_file,
        Checkable<std::string>{"path", "absolute path of a file", parse_path, config::write_text},
        "the file whose first line is the secret that they share; others must not be able to read it", true},
};

constexpr dp::FieldTable kPfcpRows{
    Row{"interface", &PfcpMirror::interface,
        Checkable<std::string>{"name", "the name of an interface", parse_interface, config::write_text},
        "the interface whose frames show the signalling between CP and UP functions, such as that of a "
        "mirror port",
        true},
};

// `off` is none.
dp::Result<std::optional<Endpoint>> parse_coa(std::string_view text) {
  if (text == "off") return std::optional<Endpoint>{};
  const auto endpoint = parse_endpoint(text);
  if (!endpoint) return endpoint.error();
  return std::optional(*endpoint);
}
std::string write_coa(const std::optional<Endpoint>& coa) { return coa ? to_string(*coa) : "off"; }

constexpr dp::FieldTable kRadiusRows{
    Row{"listen", &RadiusListen::listen,
        Checkable<Endpoint>{"address", "ADDRESS:PORT such as 0.0.0.0:1813 or [::]:1813", parse_endpoint,
                            to_string},
        "where accounting requests come to, and disconnect and CoA requests too"},
    Row{"coa", &RadiusListen::coa,
        Checkable<std::optional<Endpoint>>{"address", "ADDRESS:PORT such as 0.0.0.0:3799, or off", parse_coa,
                                           write_coa},
        "a further address for disconnect and CoA requests, whose port is 3799 (RFC 5176)"},
    Row{"clients", &RadiusListen::clients, ListOf<Section<decltype(kClientRows)>>{{kClientRows}, "clients"},
        "who may send requests", true},
    Row{"answer", &RadiusListen::answer, YesNo{},
        "yes: requests are answered; no: they are copies, which somebody else answers"},
};

// A row of the table of classes: {qfi: 1, class: voice} or {match: {class_attribute: "gold-*"}, class: gold}.
struct ClassRowKind {
  std::string type() const { return "map"; }
  std::string values() const {
    return "{qfi: 1, class: voice} or {match: {class_attribute: \"gold-*\"}, class: gold}";
  }
  config::Json print(const ClassRow& row) const {
    config::Json out{{"class", row.class_name}};
    if (row.qfi) out["qfi"] = *row.qfi;
    if (row.class_attribute) out["match"] = {{"class_attribute", *row.class_attribute}};
    return out;
  }
  void load(Reader& reader, const Node& node, ClassRow& into) const {
    constexpr std::string_view kNames[] = {"qfi", "match", "class"}, kMatch[] = {"class_attribute"};
    if (!reader.expect_map(node, kNames)) return;
    for (std::size_t i = 0; i < node.size(); ++i) {
      const std::string_view key = node.key(i).text();
      const Reader::Scope scope(reader, key);
      if (key == "class") {
        load_value(reader, node.value(i), kClassName, into.class_name);
      } else if (key == "qfi") {
        std::uint8_t qfi = 0;
        load_value(reader, node.value(i), Quantity<std::uint8_t>{dp::Unit::count, 0, 63}, qfi);
        into.qfi = qfi;
      } else if (key != "match") {
        reader.unknown_key(node.key(i), kNames);
      } else if (reader.expect_map(node.value(i), kMatch)) {
        load_match(reader, node.value(i), into);
      }
    }
    if (!node.find("class")) reader.missing_key(node.place(), "class", "; it takes a class of rncd's");
    if (!node.find("qfi") && !node.find("match"))
      reader.missing_key(node.place(), "match", " and qfi; give one");
  }

 private:
  static void load_match(Reader& reader, const Node& match, ClassRow& into) {
    constexpr std::string_view kMatch[] = {"class_attribute"};
    for (std::size_t i = 0; i < match.size(); ++i) {
      if (match.key(i).text() != kMatch[0]) reader.unknown_key(match.key(i), kMatch);
    }
    const auto pattern = match.find(kMatch[0]);
    if (!pattern)
      return reader.missing_key(match.place(), kMatch[0], "; it takes a pattern such as \"gold-*\"");
    if (!config::is_text(*pattern, reader.strict()))
      return reader.expected(*pattern, "a pattern such as \"gold-*\"");
    into.class_attribute = std::string(pattern->text());
  }
};

constexpr dp::FieldTable kSocketRows{
    Row{"socket", &SocketSettings::socket, kSocketPath, "the control socket, for rncctl -s"},
    Row{"mode", &SocketSettings::mode,
        Checkable<std::uint32_t>{"permissions", config::kModeForm, config::parse_permissions,
                                 config::write_permissions},
        "who may open the socket, in quotes"},
    Row{"group", &SocketSettings::group,
        Checkable<std::string>{"group", config::kGroupForm, config::parse_group, config::write_folder},
        "the group that it belongs to"},
};

constexpr dp::FieldTable kMetricsListen{
    Row{"listen", std::identity{},
        Checkable<std::string>{"address", config::kListenForm, config::parse_listen, config::write_optional},
        "where Prometheus scrapes"},
};

constexpr dp::FieldTable kToldRows{
    Row{"rncd", &ToldSettings::rncd, kSocketPath, "rncd's control socket"},
    Row{"pfcp", &ToldSettings::pfcp, Section{kPfcpRows}, "PFCP (TS 29.244), by a mirror"},
    Row{"radius", &ToldSettings::radius, Section{kRadiusRows}, "RADIUS accounting (RFC 2866)"},
    Row{"classes", &ToldSettings::classes, ListOf<ClassRowKind>{{}, "rows"},
        "classes of sessions and flows; the first row that fits counts"},
    Row{"default_class", &ToldSettings::default_class, kClassName, "the class where no row fits", true},
    Row{"max_sessions", &ToldSettings::max_sessions, Quantity<std::uint32_t>{dp::Unit::count, 1, 1'000'000},
        "sessions there can be at a time"},
    Row{"tunnels", &ToldSettings::tunnels, YesNo{}, "no: rncd looks into no tunnels (dataplane.gtp_u: none)"},
    Row{"control", &ToldSettings::control, Section{kSocketRows}, "the control socket"},
    Row{"metrics", &ToldSettings::metrics, Section{kMetricsListen}, "the metrics exporter"},
};

constexpr dp::FieldTable kLogRows{
    Row{"level", &config::Log::level, OneOf<std::string>{kLogLevels},
        "the least severe event that is written"},
    Row{"format", &config::Log::format, OneOf<config::LogFormat>{kLogFormats}, "key=value text, or JSON"},
};

constexpr dp::FieldTable kFileRows{
    Row{"version", std::identity{}, config::VersionKind{}, "the version of this notation", true},
    Row{"told", &ToldConfig::told, Section{kToldRows}, "sources of sessions, and the bearers they get", true},
    Row{"log", &ToldConfig::log, Section{kLogRows}, "the log, on standard error"},
};

void read_secrets(Reader& reader, const Node& root, ToldConfig& config) {
  std::optional<Node> list = root;
  for (const char* key : {"told", "radius", "clients"}) list = list ? list->find(key) : list;
  const Reader::Scope scope(reader, "told.radius.clients");
  std::vector<ClientSettings>& clients = config.told.radius.clients;
  if (!list || reader.failed() || list->size() != clients.size()) return;
  if (clients.empty()) return reader.expected(*list, "at least one client");
  for (std::size_t i = 0; i < clients.size() && !reader.full(); ++i) {
    const Reader::Scope item(reader, i);
    auto secret = read_secret(clients[i].secret_file);
    if (secret) {
      clients[i].secret = std::move(*secret);
    } else {
      const Reader::Scope key(reader, "secret_file");
      reader.fail(list->item(i).find("secret_file")->place(), secret.error().message);
    }
  }
}

void check_sources(Reader& reader, const Node& root, const ToldSettings& told) {
  if (reader.failed() || !told.pfcp.interface.empty() || !told.radius.clients.empty()) return;
  const Reader::Scope scope(reader, "told");
  reader.fail(root.find("told")->place(),
              "found neither `pfcp` nor `radius`, expected at least one: whom to listen to");
}

}  // namespace

dp::Result<std::string> read_secret(const std::string& path) {
  const auto file = config::RegularFile::open(
      {.name = path, .shown = path, .what = "a secret", .most = std::size_t{1} << 20});
  if (!file) return dp::Error{config::to_string(file.problems.front())};
  const auto mode = static_cast<unsigned>(file->status().st_mode) & 0777u;
  if ((mode & 0007u) != 0) {
    return dp::Error{fmt::format(
        "found {} with the mode {:04o}, expected a secret that others cannot read; chmod {:04o} {}", path,
        mode, mode & 0770u, path)};
  }
  const auto text = file->text();
  if (!text) return dp::Error{config::to_string(text.problems.front())};
  std::string secret = text->substr(0, text->find('\n'));
  if (secret.ends_with('\r')) secret.pop_back();
  if (secret.empty() || secret.size() > kMostSecret) {
    return dp::Error{fmt::format("found a first line of {} octets in {}, expected a secret of 1 to {}",
                                 secret.size(), path, kMostSecret)};
  }
  return secret;
}

config::Checked<ToldConfig> load_config_text(std::string_view text, const std::string& name) {
  return config::load_document<ToldConfig>(text, name, {}, [](Reader& reader, const Node& root) {
    ToldConfig config;
    load_keys(reader, root, config, kFileRows);
    read_secrets(reader, root, config);
    check_sources(reader, root, config.told);
    return config;
  });
}

config::Checked<ToldConfig> load_config_file(const std::string& path) {
  const auto text = config::read_file(path);
  if (!text) return {std::nullopt, text.problems};
  return load_config_text(*text, path);
}

}  // namespace control::told
