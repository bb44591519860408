// The fail-safe of the wire (fail-to-wire): an XDP program on each of its interfaces, and their maps. It
// hands frames to the workers' AF_XDP sockets while the workers' heartbeats continue, and else to the other
// interface, within the kernel. It stays on the interfaces when rncd ends, however it ends: the next rncd
// that starts on them takes it over with its maps, its counters and its mode. The maps are found by the
// program, and the program by the interface; no file names them.
//
// An interface of a wire takes every frame, whatever its destination, until the program is removed.
//
// With one interface only (the other port is of another kind) frames cannot cross in the kernel: the program
// goes with its owner (dataplane/decisions/063).
// Tests: tests/system/test_wire.py
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "dataplane/base/gtp_u_settings.h"
#include "dataplane/base/ids.h"
#include "dataplane/base/result.h"
#include "dataplane/base/wire.h"
#include "dataplane/xdp/descriptor.h"
#include "dataplane/xdp/prefix_tries.h"
#include "dataplane/xdp/shortcut.h"
#include "dataplane/xdp/wire_layout.h"
#include "dataplane/xdp/wire_program.h"

namespace dp::xdp {

class Wire {
 public:
  // A wire of two interfaces of the caller's network namespace, by Side; an empty name: that port is no
  // interface with XDP. Touches nothing. Requires: one has a name.
  Wire(std::array<std::string, 2> interfaces, const WireConfig& config);
  ~Wire();
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  // Ensures that the program is on the interface of a side: takes over the one that is there, or on the other
  // side, and else loads it; replaces the program of an AF_XDP forwarder that was killed. Fails if the
  // interface has another owner's program. Requires: that side has an interface.
  Status attach(Side side);
  // Frames of a queue go to this socket from here on, or to none. Requires: attached; queue < WIRE_QUEUES.
  Status give(Side side, unsigned queue, int socket);
  void take_back(Side side, unsigned queue);

  // From here on the program stays when this object is destroyed, if it has two interfaces. A program that
  // was taken over always stays.
  void keep() { kept_ = true; }
  // Takes the program off if it is not to stay. Requires: nobody needs it any more.
  void let_go();

  // The id of a side's program; 0 before it is there.
  std::uint32_t program(Side side) const { return ids_[index(side)]; }
  // The heartbeats of `workers` workers count from here on. apart: each has a queue of each port; else one
  // that hangs holds up the frames of the others, so that its failure diverts all frames, whatever the
  // configuration says. Requires: attached; 0 < workers <= WIRE_WORKERS.
  Status expect(unsigned workers, bool apart);
  // The memory in which a worker reports its progress, at most 10 ms apart; null before the program is
  // attached. Valid for the lifetime of this object. Requires: worker < WIRE_WORKERS.
  WireHeartbeat* heartbeat(unsigned worker);
  // Sets the worker that has a queue. Requires: attached; queue < WIRE_QUEUES, worker < WIRE_WORKERS.
  Status assign(Side side, unsigned queue, unsigned worker);

  // Orders a way for all frames from here on, whatever the workers do; normal: the way follows from the
  // workers. It stays until another is ordered, also when rncd ends and starts. Requires: the program is
  // there.
  Status order(WireWay way);

  // After the first attach() nothing takes the short-cut, whatever its setting was before, while the entries
  // of its set remain. Null with one interface, which has no other side. Requires: attached.
  WireShortcut* shortcut() const;

  // The tunnels whose packets count in place of the frames that carry them: for the short-cut, and for the
  // worker that has a frame; without peers none. A wire that was taken over has those of the process before
  // until then. Call it before the workers are told of other settings. On an error all UDP goes to the
  // workers, until a call succeeds. Requires: attached; at most kMostPeers and kMostPorts.
  Status set_gtp_u(const GtpUSettings& gtp_u);

  Result<WireReport> report() const;

  // For programs that manage the wire without a worker: takes over the program that is on the interfaces. An
  // error if there is none.
  static Result<std::unique_ptr<Wire>> find(std::array<std::string, 2> interfaces);
  // All wires of the caller's network namespace.
  static Result<std::vector<std::unique_ptr<Wire>>> find_all();
  const std::array<std::string, 2>& interfaces() const { return interfaces_; }
  // Takes the program off both interfaces. The kernel handles their frames again.
  Status remove();

 private:
  Result<bool> take_over(std::uint32_t program);
  Status settle(WireMaps maps);
  bool is_there() const { return id_ != 0; }
  void inherit_risk();
  Status report_port(Side side, std::uint64_t now, WireReport::Port& port) const;
  void read_names();
  Status write_settings();
  Status put_settings();
  Status take_shortcut(Shortcut which);
  Status put_on(Side side);
  Status load_on(Side side, std::uint32_t found);
  Status take_every_frame(Side side);
  bool has_both() const { return !interfaces_[0].empty() && !interfaces_[1].empty(); }

  std::array<std::string, 2> interfaces_;
  WireConfig config_;
  WireMaps maps_;
  std::uint32_t id_ = 0;                // id of the wire (wire_id_of); 0: it has no maps yet
  std::array<Descriptor, 2> programs_;  // by Side, for interfaces that have one
  std::array<std::uint32_t, 2> ids_{};  // ids of the programs
  std::mutex changing_;  // guards the settings: a port may come back while control changes them
  wire_settings settings_{};
  std::unique_ptr<KernelShortcut> shortcut_;
  std::optional<PrefixTries> peers_;  // tunnel endpoints
  bool owns_ = false;                 // has attached the program, and did not only find it
  bool kept_ = false;
  WireHeartbeat* beats_ = nullptr;  // WIRE_WORKERS of them, mapped
  std::uint64_t inherited_risk_ = 0;
};

}  // namespace dp::xdp
