// The methods of the control socket, in one table: name, parameters and text for rpc.methods, and what to
// call.
#pragma once
#include <span>
#include <string_view>

#include "config/notation/document.h"
#include "control/loop/background.h"
#include "control/loop/client.h"
#include "control/loop/connection.h"
#include "control/loop/slices.h"
#include "control/metrics/view.h"
#include "control/plane/data_plane.h"
#include "control/rpc/codec.h"
#include "control/rpc/rows.h"
#include "control/rpc/uploads.h"

namespace control {

class Commit;
class StateKeeper;
class Successor;

// Everything a method may touch. What a null stands for there is none of.
struct Services {
  DataPlane& plane;
  LatestView& view;
  Background* beside = nullptr;  // null: everything on the control thread
  StateKeeper* keeper = nullptr;
  Commit* commit = nullptr;
  Successor* successor = nullptr;
  config::Overrides overrides{};      // of the environment and the flags, for every configuration
  Background* beside_long = nullptr;  // for texts that take seconds; null: as `beside`
  rpc::Uploads uploads{};
};

namespace rpc {

// The most that a configuration in a request may have. A longer one comes by config.upload, and is read on a
// thread of its own.
inline constexpr std::size_t kMaxConfigBytes = std::size_t{1} << 20;

// A call's parameters, who sent it, and where the outcome goes: exactly once, now or later. A Fault thrown is
// an outcome too. What takes longer than a moment goes on in slices.
struct Request {
  Services& services;
  std::shared_ptr<const Json> kept;  // the parameters, for what outlives the call
  const Peer& peer;
  Client client;
  std::size_t room;  // bytes that a result may have
  Slices& rest;      // set by the method: what it has not yet done, a Fault of which is an outcome too
  Done done;
  const Json& params = *kept;
};

// Whether a method tells what is, without more work than its answer needs, or may change something. Only
// those that read are served on the read-only socket.
enum class Access : bool { reads, changes };

struct Method {
  std::string_view name;
  Access access;
  std::array<std::optional<Rows>, 2> forms;  // one of these
  std::string_view doc;
  void (*call)(const Request&);
};

std::span<const Method> methods();
// The same, those that change replaced by a refusal.
std::span<const Method> read_only_methods();

// What it takes, as rpc.methods and the reference say it.
std::string params_of(const Method& method);

// Replaces paths of this host (of sockets, files, traces): the read-only socket is everybody's.
void hide_paths(Json& json);

void version(const Request&);
void list_methods(const Request&);

void bearer_set(const Request&);
void bearer_get(const Request&);
void bearer_list(const Request&);
void bearer_remove(const Request&);
void bearer_move(const Request&);
void rrc_reconfigure(const Request&);
void rrc_relocate(const Request&);
void cell_list(const Request&);
void cell_get(const Request&);
void cell_add(const Request&);
void cell_set(const Request&);
void cell_remove(const Request&);
void cell_report(const Request&);
void flow_list(const Request&);
void profile_get(const Request&);

void mode_set(const Request&);
void proxy_show(const Request&);
void proxy_drain(const Request&);
void config_get(const Request&);
void config_get_without_paths(const Request&);
void config_upload(const Request&);
void config_check(const Request&);
void config_diff(const Request&);
void config_apply(const Request&);
void config_confirm(const Request&);
void config_rollback(const Request&);
void state_save(const Request&);
void process_upgrade(const Request&);
void stats_get(const Request&);

}  // namespace rpc
}  // namespace control
