// The limit of a bearer now: one word for each direction, by rules over what its meter, its link, its
// connections and the box have measured.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "dataplane/base/named_enum.h"

namespace control {

#define RNCD_LIMITS(X)                                                                           \
  X(idle, "nothing is sent")                                                                     \
  X(source, "its sources send less than its rate")                                               \
  X(rate, "its own rate")                                                                        \
  X(class_rate, "the rate of its class, which is not the class that the configuration gives it") \
  X(cell, "its share of the cell")                                                               \
  X(radio, "losses or retransmissions of its radio")                                             \
  X(aqm, "drops and marks of its AQM, which keep sources below its rate")                        \
  X(full, "its buffer is too small: drops keep sources below its rate")                          \
  X(window, "the window that an ACK stage tells its sources")                                    \
  X(far_side, "the path to its servers: round trips there are long")                             \
  X(ue_silent, "the UE does not answer")                                                         \
  X(worker, "its worker gets too little of its CPU")                                             \
  X(port, "drops at the ports")                                                                  \
  X(gate, "its gate: packets wait behind it, or are dropped there")

DP_NAMED_ENUM(Limit, RNCD_LIMITS)
constexpr std::string_view name(Limit limit) { return kLimitNames[static_cast<std::size_t>(limit)]; }
constexpr std::string_view text(Limit limit) { return kLimitTexts[static_cast<std::size_t>(limit)]; }

enum class LinkKind : std::uint8_t { none, shaper, cell, radio };

// The measured facts about one leg, and about the box.
struct LegFacts {
  double rate = 0;                 // bit/s, as set; 0: none
  double delivered = 0;            // bit/s, over the last 10 s
  double queued = 0;               // bytes, mean of the last 10 s
  bool busy_now = false;           // something waits, or was dropped in the last second
  std::uint64_t dropped_full = 0;  // SDUs in the last 15 to 30 s
  std::uint64_t dropped_by_aqm = 0;
  std::uint64_t marked = 0;
  LinkKind link = LinkKind::shaper;
  double lost_ratio = 0;           // SDUs lost, on a radio that does not repair
  double retransmitted_ratio = 0;  // of PDUs, on one that does
  bool ue_silent = false;          // packets go to the UE, and none comes from it
  bool of_another_class = false;   // its rate is its class's, which the configuration does not give it
  bool worker_starved = false;
  bool port_drops = false;
  bool gated = false;  // its gate is not open
  // Its TCP connections, as far as they are followed:
  bool window_told = false;           // an ACK stage tells less than the UE's window, and it is used up
  std::optional<double> radio_rtt{};  // seconds, the shortest
  std::optional<double> core_rtt{};   // seconds, the shortest
};

Limit limit_of(const LegFacts& facts);

}  // namespace control
