// What control sees of the running data plane, whoever runs it: DPDK in production, plain threads in tests.
// Header only and abstract, so that code with and without RTTI can share it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "dataplane/base/ids.h"
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

class Runtime {
 public:
  virtual ~Runtime() = default;
  virtual std::size_t workers() const = 0;
  virtual WorkerShared& shared(std::size_t worker) = 0;
  virtual PortReport port(Side) const = 0;
  virtual PortLosses losses(Side) const = 0;
  virtual bool link_up(Side) const = 0;
  virtual PoolReport pool() const = 0;
  virtual double cycles_per_ns() const = 0;
  virtual std::string environment() const { return {}; }  // for the log: how it was brought up
  virtual Time now() const = 0;                           // the workers' clock
  virtual void open() = 0;           // frames flow from here on; commands are taken before
  virtual bool running() const = 0;  // false once a worker has stopped by itself
  virtual void stop() = 0;           // ends the workers; queues should be flushed by SetMode first
};

}  // namespace dp
