// Interface for traces, pictures and tests that watch a run. The simulation calls it; the run does not depend
// on it.
#pragma once
#include <cstdint>
#include <string_view>

#include "dataplane/base/drop_reason.h"
#include "dataplane/base/ids.h"
#include "dataplane/base/time.h"
#include "dataplane/packet/bytes.h"
#include "dataplane/packet/seq.h"

namespace lab {

// A segment of a flow's data at the time of an event.
struct DataPoint {
  dp::Time at;
  std::size_t flow;          // in RunResult::flows
  std::uint64_t connection;  // number, unique in the run
  dp::Offset position;       // offset of its first byte in the connection's data
  std::uint32_t payload;
};

class Observer {
 public:
  virtual ~Observer() = default;

  // Events at the server.
  virtual void sent(const DataPoint&, bool /*retransmission*/) {}
  virtual void acked(const DataPoint&) {}  // `position`: the acknowledgement number
  virtual void window(dp::Time, std::size_t /*flow*/, double /*cwnd*/, double /*ssthresh*/) {}  // bytes
  virtual void timed_out(dp::Time, std::size_t /*flow*/) {}
  // Event at the UE; `fresh` bytes were new.
  virtual void received(const DataPoint&, std::uint32_t /*fresh*/) {}
  // A loss on the way. `where` is a wire's name or the data plane's reason.
  virtual void dropped(const DataPoint&, std::string_view /*where*/) {}
  // Downlink buffer occupancy and rate of a bearer (in RunResult::bearers).
  virtual void occupancy(dp::Time, std::size_t /*bearer*/, std::uint32_t /*sdus*/) {}
  virtual void rate(dp::Time, std::size_t /*bearer*/, std::uint64_t /*bit_s*/) {}
  // The bearer's downlink packets come by another tunnel from now on; the end marker of the former has left
  // the box, in whose tunnel `late` packets left after the handover.
  virtual void handed_over(dp::Time, std::size_t /*bearer*/) {}
  virtual void tunnel_ended(dp::Time, std::size_t /*bearer*/, std::uint64_t /*late*/) {}
  // `frames` of a bearer's radio link were lost since the last call.
  virtual void air_lost(dp::Time, std::size_t /*bearer*/, dp::Direction, std::uint64_t /*frames*/) {}
  // Called for every frame that arrives at the box, with its port; in a tunnel if the scenario has tunnels.
  virtual void offered(dp::Time, dp::Side, dp::Bytes) {}
  // Called for every frame that arrives at a host: at the UEs, Side::radio, or at the servers, Side::core.
  virtual void frame(dp::Time, dp::Side, dp::Bytes) {}
};

}  // namespace lab
