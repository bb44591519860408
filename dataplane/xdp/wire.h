// The fail-safe of the wire (fail-to-wire): an XDP program on each of its interfaces, and their maps. It
// hands frames to the workers' AF_XDP sockets while the workers' hearts beat, and else to the other
// interface, within the kernel. It stays on the interfaces when rncd ends, however it ends: the next one that
// starts on them takes it over with its maps, its counts and what it does. Its maps are found by the program,
// and the program by the interface; no file names them.
//
// An interface of a wire takes every frame, whoever it is for, until the program is removed.
//
// With one interface only (the other port is of another kind) there is no way across: the program goes with
// its owner (dataplane/decisions/063).
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "dataplane/base/ids.h"
#include "dataplane/base/result.h"
#include "dataplane/base/wire.h"
#include "dataplane/xdp/descriptor.h"
#include "dataplane/xdp/shortcut.h"
#include "dataplane/xdp/wire_layout.h"
#include "dataplane/xdp/wire_program.h"

namespace dp::xdp {

class Wire {
 public:
  // Of two interfaces of the caller's network namespace, by Side; an empty name: that port is no interface
  // with XDP. Touches nothing. Requires: one has a name.
  Wire(std::array<std::string, 2> interfaces, const WireConfig& config);
  ~Wire();
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  // Sees to it that the program is on the interface of a side: takes over the one that is there, or on the
  // other side, and else loads it; puts it in the place of an AF_XDP forwarder's that was killed. Fails where
  // the interface has the program of somebody else. Requires: that side has an interface.
  Status attach(Side side);
  // Frames of a queue go to this socket from here on, or to none. Requires: attached; queue < WIRE_QUEUES.
  Status give(Side side, unsigned queue, int socket);
  void take_back(Side side, unsigned queue);

  // The program stays from here on when this goes, if it has two interfaces. One that was taken over stays
  // anyway.
  void keep() { kept_ = true; }
  // Takes the program off where it is not to stay. Requires: nobody needs it any more.
  void let_go();

  // The id of a side's program; 0 before it is there.
  std::uint32_t program(Side side) const { return ids_[index(side)]; }
  // The hearts of so many workers count from here on. apart: each has a queue of each port; else one that
  // hangs holds up what the others send, so that it takes all frames with it, whatever the configuration
  // says. Requires: attached; 0 < workers <= WIRE_WORKERS.
  Status expect(unsigned workers, bool apart);
  // Where a worker tells that it makes progress, at most 10 ms apart; null before the program is there. It
  // stays for as long as this lives. Requires: worker < WIRE_WORKERS.
  WireHeartbeat* heartbeat(unsigned worker);
  // Which worker has a queue. Requires: attached; queue < WIRE_QUEUES, worker < WIRE_WORKERS.
  Status assign(Side side, unsigned queue, unsigned worker);

  // What frames do from here on, whatever the workers do; normal: what follows from these. It stays until
  // another is ordered, also when rncd ends and starts. Requires: the program is there.
  Status order(WireWay way);

  // Nothing takes the short-cut after the first attach(), whatever was before, and who is in its set from
  // before is still in it. Null with one interface, which has no other side. Requires: attached.
  WireShortcut* shortcut() const;

  Result<WireReport> report() const;

  // For those who manage the wire without a worker: takes over the program that is on the interfaces. An
  // error where there is none.
  static Result<std::unique_ptr<Wire>> find(std::array<std::string, 2> interfaces);
  // All of the caller's network namespace.
  static Result<std::vector<std::unique_ptr<Wire>>> find_all();
  const std::array<std::string, 2>& interfaces() const { return interfaces_; }
  // Takes it off both interfaces. Frames are the kernel's again.
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
  std::uint32_t id_ = 0;                // of the wire (wire_id_of); 0: it has no maps yet
  std::array<Descriptor, 2> programs_;  // by Side, of interfaces that have it
  std::array<std::uint32_t, 2> ids_{};  // theirs
  std::mutex changing_;  // the settings: a port may come back while control changes the short-cut
  wire_settings settings_{};
  std::unique_ptr<KernelShortcut> shortcut_;
  bool owns_ = false;  // has attached it, and did not only look
  bool kept_ = false;
  WireHeartbeat* beats_ = nullptr;  // WIRE_WORKERS of them, mapped
  std::uint64_t inherited_risk_ = 0;
};

}  // namespace dp::xdp
