#include "control/rpc/advice.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/core.h>

namespace control::rpc {
namespace {

using Sentences = std::vector<std::string>;

std::string bits(double rate) {
  constexpr std::array kUnits{"bit/s", "kbit/s", "Mbit/s", "Gbit/s"};
  std::size_t unit = 0;
  while (rate >= 999.5 && unit + 1 < kUnits.size()) rate /= 1000, ++unit;
  return fmt::format("{:.3g} {}", rate, kUnits[unit]);
}
std::string ms(double seconds) { return fmt::format("{:.3g} ms", seconds * 1e3); }
std::string percent(double ratio) { return fmt::format("{:.3g} %", ratio * 100); }

std::string got(const Diagnosis& d) {
  if (d.facts.rate <= 0) return fmt::format("It gets {}", bits(d.facts.delivered));
  return fmt::format("It gets {} of {}", bits(d.facts.delivered), bits(d.facts.rate));
}

// Half a per cent: rates come from text.
bool same(double a, double b) { return std::abs(a - b) <= 0.005 * std::max(a, b); }

void explain_rate(const Diagnosis& d, Sentences& out) {
  constexpr double kLongWait = 0.1;
  out.push_back(got(d) + ": its rate is the limit.");
  if (d.class_rate > 0 && !same(d.class_rate, d.facts.rate)) {
    out.push_back(fmt::format("The {} of this bearer overrides the {} of its class {}.", bits(d.facts.rate),
                              bits(d.class_rate), d.cls));
  }
  if (d.sojourn && *d.sojourn > kLongWait) {
    out.push_back(
        fmt::format("A packet waits {} in the mean with AQM {}: a lower target or another AQM keeps "
                    "that short.",
                    ms(*d.sojourn), d.aqm));
  }
}

void explain_full(const Diagnosis& d, Sentences& out) {
  out.push_back(
      fmt::format("{}, and {} SDUs found its buffer of {} SDUs or {} bytes full in the last half "
                  "minute.",
                  got(d), d.facts.dropped_full, d.buffer_sdus, d.buffer_bytes));
  const double rtt = d.flows.core_rtt.value_or(0.05) + d.flows.radio_rtt.value_or(0.05);
  out.push_back(fmt::format("A buffer of {:.0f} bytes holds a round trip of {} at its rate.",
                            d.facts.rate / 8 * rtt, ms(rtt)));
}

void explain_aqm(const Diagnosis& d, Sentences& out) {
  out.push_back(fmt::format("{}, while AQM {} dropped {} and marked {} SDUs in the last half minute.", got(d),
                            d.aqm, d.facts.dropped_by_aqm, d.facts.marked));
  out.push_back("It is too sharp for the round trips of its sources: raise its target or its thresholds.");
}

void explain_radio(const Diagnosis& d, Sentences& out) {
  if (d.facts.lost_ratio > 0)
    out.push_back(fmt::format("{}: its radio loses {} of its SDUs.", got(d), percent(d.facts.lost_ratio)));
  else
    out.push_back(fmt::format("{}: its radio sends {} of its PDUs again.", got(d),
                              percent(d.facts.retransmitted_ratio)));
  if (d.facts.lost_ratio > 0 && d.flows.connections > 0)
    out.push_back(fmt::format("An ACK stage such as new-snoop repairs losses of its {} connections locally.",
                              d.flows.connections));
}

void explain_silence(const Diagnosis& d, Sentences& out) {
  out.push_back(
      d.ue_silence
          ? fmt::format("Packets go to the UE, and the last one from it came {:.0f} s ago.", *d.ue_silence)
          : std::string("Packets go to the UE, and none has ever come from it."));
  out.push_back("Look at the radio access: the UE is out of reach, or its packets take another way.");
}

void explain_far_side(const Diagnosis& d, Sentences& out) {
  out.push_back(
      fmt::format("{} and nothing waits: round trips take {} on the core's side, and {} on the UE's.", got(d),
                  ms(d.flows.core_rtt.value_or(0)), ms(d.flows.radio_rtt.value_or(0))));
  out.push_back("The path to the servers, or losses on it, limits its connections; no setting of rncd does.");
}

void explain_worker(const Diagnosis& d, Sentences& out) {
  const double stolen = d.worker < d.box.stolen_ratio.size() ? d.box.stolen_ratio[d.worker] : 0;
  out.push_back(
      fmt::format("Worker {} had no CPU for {} of the last {:.0f} s: give it a CPU of its own "
                  "(dataplane.cpus).",
                  d.worker, percent(stolen), d.box.seconds));
}

void explain_ports(const Diagnosis& d, Sentences& out) {
  out.push_back(
      fmt::format("{} frames were dropped at the ports in the last {:.0f} s, {} were received; "
                  "`show ports` and `show drops` say where.",
                  d.box.dropped_at_ports + d.box.missed, d.box.seconds, d.box.received));
}

void explain_class(const Diagnosis& d, Sentences& out) {
  out.push_back(fmt::format("{}, the rate of class {}; the configuration gives this UE class {}.", got(d),
                            d.cls, d.configured_cls));
  out.push_back(fmt::format("`bearer set UE --class {}` takes it there.", d.configured_cls));
}

void explain_cell(const Diagnosis& d, Sentences& out) {
  out.push_back(fmt::format("{}: its share of cell {} is the limit; `show cell {}` tells who has the rest.",
                            got(d), d.cell, d.cell));
}

void explain_window(const Diagnosis& d, Sentences& out) {
  out.push_back(got(d) +
                " and nothing waits: an ACK stage tells its sources a smaller window than the UE's.");
  out.push_back("A higher target of the window regulator lets them send more.");
}

void explain_idle(const Diagnosis&, Sentences& out) { out.push_back("Nothing was sent in the last 10 s."); }

void explain_source(const Diagnosis& d, Sentences& out) {
  out.push_back(got(d) + " and nothing waits: its sources send no more.");
}

void explain_gate(const Diagnosis& d, Sentences& out) {
  out.push_back(d.gate == dp::Gate::hold
                    ? got(d) + ": its gate is `hold`, as for an idle UE, so that its packets wait."
                    : got(d) + ": its gate is `closed`, so that its packets are dropped.");
  const bool down = d.direction == dp::Direction::downlink;
  const std::string_view option = down ? "--gate" : "--uplink-gate";
  if (d.owner.empty()) {
    out.push_back(fmt::format("`rncctl bearer set UE {} open` opens it.", option));
  } else {
    out.push_back(
        fmt::format("{} keeps this bearer and opens the gate when it is told so; `rncctl bearer set "
                    "UE {} open` goes before it.",
                    d.owner, option));
  }
}

// By Limit.
using Explain = void (*)(const Diagnosis&, Sentences&);
constexpr std::array<Explain, kLimits> kExplain{
    &explain_idle,    &explain_source, &explain_rate,  &explain_class,  &explain_cell,
    &explain_radio,   &explain_aqm,    &explain_full,  &explain_window, &explain_far_side,
    &explain_silence, &explain_worker, &explain_ports, &explain_gate};

}  // namespace

std::vector<std::string> advice(const Diagnosis& d) {
  Sentences out;
  kExplain[static_cast<std::size_t>(d.limit)](d, out);
  return out;
}

}  // namespace control::rpc
