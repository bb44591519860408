// Sentences that say what limits a bearer and what may be done: each names the figure it follows from.
// Tests: tests/unit/control/rpc/watch_test.cc
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "control/metrics/box_watch.h"
#include "control/plane/limits.h"
#include "control/rpc/bearer_watch.h"
#include "dataplane/base/gate.h"
#include "dataplane/base/ids.h"

namespace control::rpc {

// The figures of one direction of a bearer.
struct Diagnosis {
  Limit limit = Limit::idle;
  dp::Direction direction = dp::Direction::downlink;
  LegFacts facts{};
  FlowSummary flows{};
  BoxWatch::Reading box{};
  std::size_t worker = 0;
  double class_rate = 0;  // bit/s, of its class in that direction; 0: none
  std::string cls{};
  std::string configured_cls{};  // the class that the configuration gives the UE; empty: none
  std::string aqm{}, cell{};
  dp::Gate gate = dp::Gate::open;
  std::string owner{};                              // the program that keeps the bearer; empty: none
  std::uint32_t buffer_sdus = 0, buffer_bytes = 0;  // its limit
  std::optional<double> sojourn{};                  // seconds, mean
  std::optional<double> ue_silence{};               // seconds since the last packet from the UE
};

// At most three sentences.
std::vector<std::string> advice(const Diagnosis& diagnosis);

}  // namespace control::rpc
