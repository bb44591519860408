// What one run has shown, as plain values: what tables, JSON, pictures and the papers' comparisons are made
// of. Figures are of the time from `measured_from` on, unless said otherwise.
#pragma once
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace lab {

// A file or a web object that was asked for.
struct Transfer {
  double started;   // s: the UE asks for it
  double finished;  // s: its last byte came in order; NaN: not within the run
  std::uint64_t bytes;
  // s: the server's first segment with data left; NaN: not within the run.
  double answered = std::numeric_limits<double>::quiet_NaN();

  // s from there to the last byte, without the handshake and the way of the request; NaN while it is not
  // complete.
  double response() const { return finished - answered; }
};

struct FlowResult {
  std::string id;
  // Bit/s of payload in order, over the measured time in which the flow was on; and the same with every
  // segment's headers counted, (mss + 40) / mss times as much (1500 for 1460 bytes).
  double goodput_1460 = 0, goodput_1500 = 0;
  // s from a segment's leaving the sender to its arrival at the sink, wires included: over the packets with
  // new data that arrived. NaN when there were none.
  double delay_mean = 0, delay_p95 = 0;
  double rtt_mean = 0;                // s, of the round trips that the sender timed; NaN when there were none
  std::uint64_t packets = 0;          // sent with data, repeats included
  std::uint64_t retransmissions = 0;  // of these, repeats
  std::uint64_t timeouts = 0, fast_retransmits = 0;
  double finished_at = 0;           // s: the last of its files was complete; NaN: never, or it has no end
  std::vector<Transfer> transfers;  // begun since `measured_from`, in that order; none of a bulk flow
};

// Of the downlink.
struct BearerResult {
  std::string ue;
  double bo_mean = 0, bo_max = 0;  // SDUs; the mean is over time
  // s that SDUs spent in the buffer, and of these until their transmission began: means by Little's law, over
  // all that left it. NaN when none did.
  double sojourn = 0, wait = 0;
  std::uint64_t delivered = 0;  // SDUs
  std::uint64_t dropped_overflow = 0, dropped_aqm = 0, dropped_rlc = 0, dropped_radio = 0;
  std::uint64_t pdu_transmissions = 0;    // new data PDUs on the air, and
  std::uint64_t pdu_retransmissions = 0;  // those sent again
  double utilisation = 0;                 // delivered IP bits per bit that the rate would have carried
  // Bit/s of IP bytes that were delivered, and that the link would have carried; in a cell if it had
  // all slots. NaN: nobody can tell, as with a radio that fades by chance.
  double carried = 0, capacity = 0;
  bool in_cell = false;     // with the other bearers that are
  std::uint64_t slots = 0;  // of the cell, that it was given; 0 outside
  std::uint64_t uplink_delivered = 0, uplink_dropped = 0;

  // The share of what the link would have carried.
  double share() const {
    return capacity > 0 ? carried / capacity : std::numeric_limits<double>::quiet_NaN();
  }
};

// Where the run's frames have stayed, from its start to its end: made = arrived + lost + dropped +
// underway.
struct FrameBalance {
  std::uint64_t made = 0;     // by the hosts
  std::uint64_t arrived = 0;  // at hosts
  std::uint64_t lost = 0;     // on wires
  std::uint64_t dropped = 0;  // by the data plane
  std::uint64_t underway = 0;
  std::uint64_t damaged = 0;  // of those that arrived: wrong checksum or payload; a fault of the data plane
  std::int64_t residue = 0;   // what the data plane cannot account for; not 0: a fault of the data plane
};

struct RunResult {
  std::uint64_t seed = 0;
  std::vector<FlowResult> flows;
  std::vector<BearerResult> bearers;
  double jain = 0;  // of the flows' goodput
  double simulated_s = 0, wall_s = 0;
  double flow_seconds = 0;   // simulated seconds for which flows were on, summed over flows
  double measured_from = 0;  // s
  FrameBalance frames;
};

}  // namespace lab
