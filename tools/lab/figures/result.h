// The results of one run, as plain values from which tables, JSON, pictures and the papers' comparisons are
// made. Figures cover the time from `measured_from` on, unless stated otherwise.
#pragma once
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace lab {

// A file or a web object that was requested.
struct Transfer {
  double started;   // s: time of the UE's request
  double finished;  // s: its last byte arrived in order; NaN: not within the run
  std::uint64_t bytes;
  // s: the server's first segment with data left; NaN: not within the run.
  double answered = std::numeric_limits<double>::quiet_NaN();

  // s from `answered` to the last byte, without handshake and request; NaN if it is not complete.
  double response() const { return finished - answered; }
};

struct FlowResult {
  std::string id;
  // Bit/s of payload in order, over the part of the measured time in which the flow was on; goodput_1500
  // counts every segment's headers, (mss + 40) / mss times as much (1500 for 1460 bytes).
  double goodput_1460 = 0, goodput_1500 = 0;
  // s between a segment's departure from the sender and its arrival at the sink, wires included, over the
  // packets with new data that arrived; NaN if there were none.
  double delay_mean = 0, delay_p95 = 0;
  double rtt_mean = 0;                // s, over the round trips that the sender timed; NaN if there were none
  std::uint64_t packets = 0;          // sent with data, including retransmissions
  std::uint64_t retransmissions = 0;  // packets that were retransmissions
  std::uint64_t timeouts = 0, fast_retransmits = 0;
  double finished_at = 0;           // s: completion of its last file; NaN: never, or it has no end
  std::vector<Transfer> transfers;  // begun since `measured_from`, in order; empty for a bulk flow
};

// Figures of a bearer's downlink.
struct BearerResult {
  std::string ue;
  double bo_mean = 0, bo_max = 0;  // SDUs; the mean is over time
  // s that SDUs spent in the buffer, and s until their transmission began: means by Little's law over all
  // SDUs that left it. NaN if none did.
  double sojourn = 0, wait = 0;
  std::uint64_t delivered = 0;  // SDUs
  std::uint64_t dropped_overflow = 0, dropped_aqm = 0, dropped_rlc = 0, dropped_radio = 0;
  std::uint64_t pdu_transmissions = 0;    // data PDUs sent for the first time
  std::uint64_t pdu_retransmissions = 0;  // retransmitted data PDUs
  double utilisation = 0;                 // delivered IP bits per bit that the rate allowed
  // Bit/s of IP bytes: delivered, and the most that the link could have carried, in a cell with all slots.
  // NaN if unknown, as on a radio that fades at random.
  double carried = 0, capacity = 0;
  bool in_cell = false;     // shares the cell with the other bearers in it
  std::uint64_t slots = 0;  // slots of the cell granted to it; 0 outside cells
  std::uint64_t uplink_delivered = 0, uplink_dropped = 0;

  // Delivered share of the link's capacity.
  double share() const {
    return capacity > 0 ? carried / capacity : std::numeric_limits<double>::quiet_NaN();
  }
};

// Account of the run's frames from its start to its end: made = arrived + lost + dropped + underway.
struct FrameBalance {
  std::uint64_t made = 0;     // by the hosts
  std::uint64_t arrived = 0;  // at hosts
  std::uint64_t lost = 0;     // on wires
  std::uint64_t dropped = 0;  // by the data plane
  std::uint64_t underway = 0;
  std::uint64_t damaged = 0;  // arrived with a wrong checksum or payload: a fault of the data plane
  std::int64_t residue = 0;   // frames missing from the data plane's account; not 0: a fault of the data
                              // plane
};

struct RunResult {
  std::uint64_t seed = 0;
  std::vector<FlowResult> flows;
  std::vector<BearerResult> bearers;
  double jain = 0;  // Jain's index of the flows' goodput
  double simulated_s = 0, wall_s = 0;
  double flow_seconds = 0;   // simulated seconds for which flows were on, summed over flows
  double measured_from = 0;  // s
  FrameBalance frames;
};

}  // namespace lab
