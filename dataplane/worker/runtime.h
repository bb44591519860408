// What control sees of the running data plane, whoever runs it: DPDK in production, plain threads in tests.
// Header only and abstract, so that code with and without RTTI can share it (dataplane/decisions/009).
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "dataplane/base/ids.h"
#include "dataplane/base/result.h"
#include "dataplane/base/wire.h"
#include "dataplane/packet/context.h"
#include "dataplane/worker/shared.h"

namespace dp {

struct PortReport {
  std::string device;           // as configured
  std::string driver;           // the PMD's name
  std::string description;      // what there is to know beyond that: queues, MTU, offloads
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
  std::uint64_t in_use = 0;      // with the driver, in caches, rings and buffers
  std::uint64_t buffer_cap = 0;  // what bearer buffers may hold
  std::uint64_t parked = 0;      // withheld because the driver would lose them (AF_XDP UMEM)
};

// What a port holds of the kernel, so that control can watch it.
struct PortBinding {
  std::string interface {};       // as configured; empty: nothing that could be watched or come back
  bool makes_interface = false;   // the port makes the interface, nobody else does
  bool attached = false;          // there is a device that the worker may touch
  bool still_there = false;       // it made the interface, which exists, in whatever network namespace
  unsigned index = 0;             // of the interface it is or was attached to
  std::uint32_t xdp_program = 0;  // id of the XDP program it is or was fed by; 0: it needs none
  PortLimit limit{};
};

class Runtime {
 public:
  virtual ~Runtime() = default;
  virtual std::size_t workers() const = 0;
  virtual WorkerShared& shared(std::size_t worker) = 0;
  // The kernel's id of the worker's thread; 0 while it is not known.
  virtual int thread_id(std::size_t) const { return 0; }
  virtual PortReport port(Side) const = 0;
  virtual PortLosses losses(Side) const = 0;
  virtual bool carrier_up(Side) const = 0;
  virtual PortBinding binding(Side) const { return {}; }
  // Closes the device of a port whose interface or XDP program is gone; what it held comes home. Any thread,
  // one call at a time of these two. Requires: the worker has answered SetPort{side, attached = false}.
  virtual void detach(Side) {}
  // Opens it again, on whatever interface has its name now. Requires: detached.
  virtual Status attach(Side side) {
    return Error{"port " + std::string(name(side)) + " does not come back"};
  }
  virtual PoolReport pool() const = 0;
  virtual double cycles_per_ns() const = 0;
  virtual std::string environment() const { return {}; }  // for the log: how it was brought up
  virtual Time now() const = 0;                           // the workers' clock
  // Frames flow from here on; commands are taken before. An error: those of a port do not come to the
  // workers.
  virtual Status open() = 0;
  // Nothing comes any more: frames go the wire's other way, where there is one, and what is here can still
  // leave. False while some that came before are yet to be received; ask again then.
  virtual bool shut() { return true; }
  // How the wire fares that the ports' kernel interfaces are; nothing where they are none.
  virtual std::optional<WireReport> wire() const { return std::nullopt; }
  // The wire's short-cut, which nothing takes yet; null where frames cannot go around the workers. It stays
  // for as long as this lives.
  virtual WireShortcut* shortcut() { return nullptr; }
  virtual bool running() const = 0;  // false once a worker has stopped by itself
  virtual void stop() = 0;           // ends the workers; queues should be flushed by SetMode first
};

}  // namespace dp
