// The methods of the control socket, in one table: name, parameters and text for rpc.methods, and what to
// call.
#pragma once
#include <span>
#include <string_view>

#include "control/codec.h"
#include "control/connection.h"
#include "control/plane.h"
#include "control/view.h"

namespace control {

// Everything a method may touch.
struct Services {
  Plane& plane;
  ViewCell& view;
};

namespace rpc {

// A call's parameters, who sent it, and where the outcome goes: exactly once, now or later. A Fault thrown is
// an outcome too.
struct Request {
  Services& services;
  const Json& params;
  const Peer& peer;
  Done done;
};

// Whether a method tells what is, without more work than its answer needs, or may change something. Only
// those that read are served on the read-only socket.
enum class Access : bool { reads, changes };

struct Method {
  std::string_view name;
  Access access;
  std::string_view params;
  std::string_view doc;
  void (*call)(const Request&);
};

std::span<const Method> methods();
// The same, those that change replaced by a refusal.
std::span<const Method> read_only_methods();

void version(const Request&);
void list_methods(const Request&);

void bearer_set(const Request&);
void bearer_get(const Request&);
void bearer_list(const Request&);
void bearer_remove(const Request&);
void rrc_reconfigure(const Request&);
void flow_list(const Request&);
void profile_get(const Request&);

void mode_set(const Request&);
void config_get(const Request&);
void config_check(const Request&);
void stats_get(const Request&);

}  // namespace rpc
}  // namespace control
