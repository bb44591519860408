// A row of a table: the figures of each run, with means and intervals over runs. Tables, JSON and its
// documentation are made from the list of quantities here.
#pragma once
#include <array>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/lab/figures/result.h"
#include "tools/lab/figures/sizes.h"
#include "tools/lab/figures/stats.h"

namespace lab {

// Figures of one run, over all its flows and bearers.
struct RunFigures {
  double goodput = 0, goodput_1460 = 0;  // kbit/s
  double delay = 0, delay_p95 = 0;       // s; NaN if nothing arrived
  double rtt = 0;                        // s; NaN if none was timed
  double bo = 0;                         // SDUs
  double sojourn = 0, wait = 0;          // s in the buffer; NaN if nothing left it
  double retransmissions = 0, timeouts = 0;
  double jain = 0, utilisation = 0, rlc_retransmissions = 0;
  double capacity = 0, carried = 0;                            // kbit/s, and the share of it; NaN if unknown
  double overflow = 0, aqm = 0, rlc = 0, radio = 0, wire = 0;  // drops
  double transfer = 0, response = 0;                           // s; NaN if there was none
  double loss = 0;                        // lost share of the packets, at points that measure it
  double throughput = 0, buffer_use = 0;  // at such points: goodput per bearers' rates, BO per buffer size
  double file_rate = 0;  // kbit/s: bits of complete files over the sum of their response times; NaN if there
                         // are none
  double files = 0;      // complete files
  double residue = 0;    // frames unaccounted for, or damaged on the way
  double flow_seconds = 0, wall = 0;
  ResponsesBySize sizes{};            // over all flows
  std::vector<double> flow_goodputs;  // kbit/s, by flow
  std::vector<double> bearer_slots;   // slots of the cell, by bearer
};
RunFigures figures_of(const RunResult& run);
// The sum over all these runs.
ResponsesBySize sizes_of(std::span<const RunFigures> runs);

struct Quantity {
  std::string_view key;  // in JSON; drops.* are members of an object of their own
  double RunFigures::*member;
  std::string_view doc;
};

// The members of JSON's rows, in order.
inline constexpr std::array kQuantities{
    Quantity{"goodput_kbit_s", &RunFigures::goodput,
             "received in order, every segment's headers counted (1500 bytes a full packet); all flows"},
    Quantity{"goodput_1460_kbit_s", &RunFigures::goodput_1460, "the same, payload alone"},
    Quantity{
        "delay_s", &RunFigures::delay,
        "from a segment's leaving the sender to its arrival at the sink, mean over the packets of all flows"},
    Quantity{"delay_p95_s", &RunFigures::delay_p95,
             "95th percentile of the same in each flow, mean over flows"},
    Quantity{"rtt_s", &RunFigures::rtt, "round trips that the senders timed, mean over flows"},
    Quantity{"bo_sdu", &RunFigures::bo, "downlink buffer occupancy in SDUs, mean over time and bearers"},
    Quantity{"sojourn_s", &RunFigures::sojourn,
             "from an SDU's arrival at the downlink buffer to its leaving it, mean over all bearers' SDUs"},
    Quantity{"wait_s", &RunFigures::wait, "of that the time until its transmission began"},
    Quantity{"drops.overflow", &RunFigures::overflow, "SDUs that found the buffer full, a run"},
    Quantity{"drops.aqm", &RunFigures::aqm, "SDUs that the AQM discarded, a run"},
    Quantity{"drops.rlc", &RunFigures::rlc, "SDUs that RLC gave up (MaxDAT, reset), a run"},
    Quantity{"drops.radio", &RunFigures::radio, "SDUs that the radio of a link `um` lost, downlink, a run"},
    Quantity{"drops.wire", &RunFigures::wire, "frames that wires lost, both directions, a run"},
    Quantity{"retransmissions", &RunFigures::retransmissions, "TCP segments sent again, a run"},
    Quantity{"timeouts", &RunFigures::timeouts, "TCP retransmission timeouts, a run"},
    Quantity{"jain", &RunFigures::jain, "Jain's index of the flows' goodput: 1 is fair"},
    Quantity{"utilisation", &RunFigures::utilisation,
             "IP bits delivered per bit that the bearer's rate would have carried"},
    Quantity{
        "capacity_kbit_s", &RunFigures::capacity,
        "IP bits that the downlinks would have carried: their rates; once for all bearers of the cell what "
        "their radios have in all slots, on average, whatever rates cap it; none with a radio that fades "
        "by chance"},
    Quantity{"carried", &RunFigures::carried, "IP bits delivered per bit of that"},
    Quantity{"rlc_retransmission_ratio", &RunFigures::rlc_retransmissions,
             "data PDUs sent again per data PDU on the air"},
    Quantity{"transfer_s", &RunFigures::transfer,
             "files and web objects: from the request to the last byte, mean over those complete"},
    Quantity{"response_s", &RunFigures::response,
             "the same from the server's first segment with data on, without the handshake and the request's "
             "way"},
};

// Figures that only some points measure.
inline constexpr std::array kMeasured{&RunFigures::loss, &RunFigures::throughput, &RunFigures::buffer_use,
                                      &RunFigures::file_rate, &RunFigures::files};

// Means of kQuantities and kMeasured over runs that differ in their seed.
class RowSummary {
 public:
  RowSummary() = default;
  explicit RowSummary(std::span<const RunFigures> runs);

  Estimate of(double RunFigures::*member) const;
  Estimate goodput() const { return of(&RunFigures::goodput); }
  Estimate delay() const { return of(&RunFigures::delay); }
  std::span<const RunFigures> each() const { return each_; }
  unsigned runs() const { return static_cast<unsigned>(each_.size()); }
  double residue() const { return residue_; }
  double flow_seconds() const { return flow_seconds_; }
  double wall() const { return wall_; }

 private:
  std::array<Estimate, kQuantities.size()> estimates_{};
  std::array<Estimate, kMeasured.size()> measured_{};
  std::vector<RunFigures> each_;
  double residue_ = 0, flow_seconds_ = 0, wall_ = 0;
};

// Each bearer's share of the slots that the cell granted, over the runs in which it granted any; empty if
// there are none.
std::vector<Estimate> slot_shares(const RowSummary& row);

RowSummary summarise(std::span<const RunResult> runs);

}  // namespace lab
