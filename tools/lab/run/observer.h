// Who wants to see a run as it goes on: traces, pictures, tests. The simulation tells, the observer writes
// down; nothing of the run depends on it.
#pragma once
#include <cstdint>
#include <string_view>

#include "dataplane/base/drop_reason.h"
#include "dataplane/base/ids.h"
#include "dataplane/base/time.h"
#include "dataplane/packet/bytes.h"
#include "dataplane/packet/seq.h"

namespace lab {

// A segment of a flow's data, at the time at which something happened to it.
struct DataPoint {
  dp::Time at;
  std::size_t flow;          // in RunResult::flows
  std::uint64_t connection;  // numbered over the run
  dp::Offset position;       // of its first byte in the connection's data
  std::uint32_t payload;
};

class Observer {
 public:
  virtual ~Observer() = default;

  // At the server.
  virtual void sent(const DataPoint&, bool /*retransmission*/) {}
  virtual void acked(const DataPoint&) {}  // `position` is what the ACK asks for
  virtual void window(dp::Time, std::size_t /*flow*/, double /*cwnd*/, double /*ssthresh*/) {}  // bytes
  virtual void timed_out(dp::Time, std::size_t /*flow*/) {}
  // At the UE; `fresh` bytes were new.
  virtual void received(const DataPoint&, std::uint32_t /*fresh*/) {}
  // On the way. `where` is a wire's name or the data plane's reason.
  virtual void dropped(const DataPoint&, std::string_view /*where*/) {}
  // Downlink buffer occupancy and rate of a bearer (in RunResult::bearers).
  virtual void occupancy(dp::Time, std::size_t /*bearer*/, std::uint32_t /*sdus*/) {}
  virtual void rate(dp::Time, std::size_t /*bearer*/, std::uint64_t /*bit_s*/) {}
  // So many frames of a bearer's air were lost since it was told last.
  virtual void air_lost(dp::Time, std::size_t /*bearer*/, dp::Direction, std::uint64_t /*frames*/) {}
  // Every frame that comes to the box, at one of its ports.
  virtual void offered(dp::Time, dp::Side, dp::Bytes) {}
  // Every frame that comes to a host: at the UEs, Side::radio, or at the servers, Side::core.
  virtual void frame(dp::Time, dp::Side, dp::Bytes) {}
};

}  // namespace lab
