// The bearers that lead by a figure of their last second: the rows of a live view. Belongs to the control
// thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "control/bearers/bearer_registry.h"
#include "control/loop/slices.h"
#include "dataplane/base/address.h"
#include "dataplane/base/ids.h"
#include "dataplane/base/named_enum.h"

namespace control {

#define RNCD_RANKED_BY(X)                                                      \
  X(rate, "delivered in the last second")                                      \
  X(used, "delivered in the last second, of the rate that is set")             \
  X(queue, "bytes that wait")                                                  \
  X(delay, "time that a packet waits: what waits over what leaves")            \
  X(drops, "SDUs dropped in the last second, for a full buffer or by the AQM") \
  X(marks, "SDUs marked in the last second")

DP_NAMED_ENUM(RankedBy, RNCD_RANKED_BY)

// The wait of a packet that comes now, in seconds: by the rate of the last 10 s, or by the rate that is set
// if nothing has left. None if there is no rate, and something waits.
std::optional<double> delay_of(const BearerMeter& meter, BearerMeter::Seat seat, dp::Direction direction);
// The mean time in the buffer: the mean queue over the rate of deliveries (Little's law), of the last 10 s.
// None if nothing was delivered.
std::optional<double> mean_delay_of(const BearerMeter& meter, BearerMeter::Seat seat,
                                    dp::Direction direction);
// The share of the rate that was delivered; none without a rate.
std::optional<double> used_of(const BearerMeter& meter, BearerMeter::Seat seat, dp::Direction direction,
                              BearerMeter::Span span);

struct RankingQuery {
  RankedBy by = RankedBy::rate;
  dp::Direction direction = dp::Direction::downlink;
  bool reverse = false;  // the lowest first
  std::optional<dp::ClassId> cls{};
  std::optional<dp::Prefix> prefix{};  // in any network
  std::size_t limit = 20;
};

struct Ranked {
  double figure;
  dp::UeAddress ue;
  BearerMeter::Seat seat;
};

// Fills `rows` with the first bearers, those of equal figures in order of address. All bearers are looked at,
// a block at a time; one that goes meanwhile may be among the rows. Returns in `of` how many fit the filter.
Slices rank(const BearerRegistry& registry, RankingQuery query, std::vector<Ranked>& rows, std::size_t& of);

}  // namespace control
