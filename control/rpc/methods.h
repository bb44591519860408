// The methods of the control socket, in one table: name, parameters and text for rpc.methods, and the
// function to call.
// Tests: tests/unit/control/rpc/params_test.cc, tests/unit/control/rpc/dispatcher_test.cc
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

class BoxWatch;
class Commit;
class StateKeeper;
class Successor;

// Everything that a method may use. A null pointer stands for a service that does not exist.
struct Services {
  DataPlane& plane;
  LatestView& view;
  Background* beside = nullptr;  // null: everything on the control thread
  StateKeeper* keeper = nullptr;
  Commit* commit = nullptr;
  Successor* successor = nullptr;
  config::Overrides overrides{};      // from the environment and the flags, for every configuration
  Background* beside_long = nullptr;  // for texts that take seconds; null: as `beside`
  const BoxWatch* box = nullptr;      // null: nothing is known of its ports and workers
  rpc::Uploads uploads{};
};

namespace rpc {

// The longest configuration that a request may contain. A longer one comes by config.upload, and is read on a
// thread of its own.
inline constexpr std::size_t kMaxConfigBytes = std::size_t{1} << 20;

// A call's parameters, its client, and the receiver of its outcome, which is called exactly once, now or
// later. A Fault thrown is an outcome too. Work that takes longer than a moment continues in slices.
struct Request {
  Services& services;
  std::shared_ptr<const Json> kept;  // the parameters, for work that outlives the call
  const Peer& peer;
  Client client;
  std::size_t room;  // bytes that a result may have
  Slices& rest;      // set by the method: its remaining work, a Fault of which is an outcome too
  Done done;
  const Json& params = *kept;
};

// `reads`: the method only reports state, without more work than its answer needs; `changes`: it may change
// something. Only methods that read are served on the read-only socket.
enum class Access : bool { reads, changes };

struct Method {
  std::string_view name;
  Access access;
  std::array<std::optional<Rows>, 2> forms;  // one of these
  std::string_view doc;
  void (*call)(const Request&);
};

std::span<const Method> methods();
// The table of the read-only socket: methods that change are replaced by a refusal.
std::span<const Method> read_only_methods();

// The parameters of a method, as rpc.methods and the reference print them.
std::string params_of(const Method& method);

// Replaces paths of this host (of sockets, files, traces): the read-only socket is everybody's.
void hide_paths(Json& json);

void version(const Request&);
void list_methods(const Request&);

void bearer_set(const Request&);
void bearer_get(const Request&);
void bearer_list(const Request&);
void bearer_release(const Request& request);
void bearer_remove(const Request&);
void bearer_move(const Request&);
void bearer_top(const Request&);
void bearer_why(const Request&);
void rrc_reconfigure(const Request&);
void rrc_relocate(const Request&);
void cell_list(const Request&);
void cell_get(const Request&);
void cell_add(const Request&);
void cell_set(const Request&);
void cell_remove(const Request&);
void cell_report(const Request&);
void flow_list(const Request&);
void tunnel_list(const Request&);
void event_list(const Request&);
void event_list_without_paths(const Request&);
void profile_get(const Request&);
void capture_start(const Request&);
void capture_read(const Request&);
void capture_stop(const Request&);

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
