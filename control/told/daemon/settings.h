// The configuration of rncd-told: a file of its own, in the notation of rncd's.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/model.h"
#include "config/notation/document.h"
#include "control/told/class_map.h"
#include "control/told/radius/clients.h"
#include "control/told/source.h"
#include "dataplane/base/address.h"
#include "dataplane/base/result.h"

namespace control::told {

struct ClientSettings {
  dp::Prefix network;
  std::string secret_file;
  std::string secret;  // the file's content, read after the configuration
};

// PFCP that a mirror of an interface shows. Without an interface: none.
struct PfcpMirror {
  std::string interface;
};

// RADIUS that is sent to us. Without clients: none.
struct RadiusListen {
  Endpoint listen{.port = 1813};
  std::optional<Endpoint> coa{};  // a further address, for disconnect and CoA requests
  std::vector<ClientSettings> clients;
  bool answer = true;
};

struct SocketSettings {
  std::string socket = "/run/rncd-told/told.sock";
  std::uint32_t mode = 0660;
  std::string group;  // empty: none
};

struct ToldSettings {
  std::string rncd = "/run/rncd/rncd.sock";
  PfcpMirror pfcp;
  RadiusListen radius;
  std::vector<ClassRow> classes;
  std::string default_class;
  std::uint32_t max_sessions = 100'000;
  bool tunnels = true;
  SocketSettings control;
  std::string metrics = "127.0.0.1:9465";  // empty: off
};

struct ToldConfig {
  ToldSettings told;
  config::Log log;
};

// Reads the secrets, too.
config::Checked<ToldConfig> load_config_text(std::string_view text, const std::string& name);
config::Checked<ToldConfig> load_config_file(const std::string& path);

// An IP network of any addresses, which dp::parse_prefix() takes of UEs only: 127.0.0.0/8, ::1/128. An
// address alone is one of its own. Bits beyond the length have to be 0.
dp::Result<dp::Prefix> parse_network(std::string_view text);
// "0.0.0.0:1813", "[::]:1813".
dp::Result<Endpoint> parse_endpoint(std::string_view text);
std::string to_string(const Endpoint& endpoint);
// The first line of the file. An error where others may read it.
dp::Result<std::string> read_secret(const std::string& path);

}  // namespace control::told
