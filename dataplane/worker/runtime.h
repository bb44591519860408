// Control's interface to the running data plane: DPDK in production, plain threads in tests. Header only and
// abstract, so that code with and without RTTI can share it (dataplane/decisions/009).
// Tests: tests/system/dpdk_return_test.cc
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "dataplane/base/gtp_u_settings.h"
#include "dataplane/base/ids.h"
#include "dataplane/base/result.h"
#include "dataplane/base/wire.h"
#include "dataplane/packet/context.h"
#include "dataplane/worker/shared.h"

namespace dp {

struct PortReport {
  std::string device;           // as configured
  std::string driver;           // the PMD's name
  std::string description;      // further information: queues, MTU, offloads
  std::uint32_t max_frame = 0;  // largest frame that goes through whole, link header included
};

// Losses that happen in a driver, before receive or after transmit.
struct PortLosses {
  std::uint64_t missed = 0;   // received by the device, no descriptor free
  std::uint64_t errors = 0;   // received with errors
  std::uint64_t no_mbuf = 0;  // received, no mbuf to put it in
  std::uint64_t transmit_errors = 0;
};

struct PoolReport {
  std::uint64_t mbufs = 0;       // usable
  std::uint64_t in_use = 0;      // held by the driver, in caches, rings and buffers
  std::uint64_t buffer_cap = 0;  // limit of bearer buffers
  std::uint64_t parked = 0;      // withheld, since the driver would lose them (AF_XDP UMEM)
};

// A port's kernel objects, which control watches.
struct PortBinding {
  std::string interface {};       // as configured; empty: there is none to watch or to return
  bool makes_interface = false;   // the port itself creates the interface
  bool attached = false;          // there is a device that the worker may access
  bool still_there = false;       // it created the interface, which still exists, in any network namespace
  unsigned index = 0;             // index of the interface that it is or was attached to
  std::uint32_t xdp_program = 0;  // id of the XDP program that feeds or fed it; 0: it needs none
  PortLimit limit{};
};

class Runtime {
 public:
  virtual ~Runtime() = default;
  virtual std::size_t workers() const = 0;
  virtual WorkerShared& shared(std::size_t worker) = 0;
  // The kernel's id of the worker's thread; 0 if unknown.
  virtual int thread_id(std::size_t) const { return 0; }
  virtual PortReport port(Side) const = 0;
  virtual PortLosses losses(Side) const = 0;
  virtual bool carrier_up(Side) const = 0;
  virtual PortBinding binding(Side) const { return {}; }
  // Closes the device of a port whose interface or XDP program is gone, and frees its memory. Any thread, but
  // only one call of detach() and attach() at a time. Requires: the worker has answered SetPort{side,
  // attached = false}.
  virtual void detach(Side) {}
  // Opens it again, on the interface that has its name now. Requires: detached.
  virtual Status attach(Side side) {
    return Error{"port " + std::string(name(side)) + " does not come back"};
  }
  virtual PoolReport pool() const = 0;
  virtual double cycles_per_ns() const = 0;
  virtual std::string environment() const { return {}; }  // for the log: a description of its start-up
  virtual Time now() const = 0;                           // the workers' clock
  // Starts the flow of frames; commands are processed before. On error the frames of a port do not reach the
  // workers.
  virtual Status open() = 0;
  // Stops reception: frames take the wire's other path, if there is one, and frames here can still leave.
  // False while earlier frames are still to be received; call again then.
  virtual bool shut() { return true; }
  // The state of the wire that the ports' kernel interfaces form; none if they form none.
  virtual std::optional<WireReport> wire() const { return std::nullopt; }
  // The wire's short-cut, initially unused; null if frames cannot bypass the workers. Valid for the lifetime
  // of this object.
  virtual WireShortcut* shortcut() { return nullptr; }
  // The tunnels that the wire's XDP program looks into for the short-cut and for the worker that has a frame,
  // from here on; without peers none. Call it before the workers receive other settings (SetGtpU). On an
  // error the program leaves all UDP to the workers. Without a wire nothing happens.
  virtual Status set_wire_tunnels(const GtpUSettings&) { return ok(); }
  virtual bool running() const = 0;  // false once a worker has stopped on its own
  virtual void stop() = 0;           // ends the workers; flush queues by SetMode first
};

}  // namespace dp
