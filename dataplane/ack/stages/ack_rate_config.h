// Settings and texts, for configuration and control, of the stage `ack-rate`; the stage itself is
// ack/stages/ack_rate.h.
#pragma once
#include <array>
#include <chrono>
#include <cstdint>
#include <string_view>

#include "dataplane/base/fields.h"
#include "dataplane/base/time.h"

namespace dp {

struct AckRateSpec {
  static constexpr std::string_view kName = "ack-rate";
  static constexpr std::string_view kDoc =
      "lets ACKs go at a distance in time, t_id, that grows with the downlink occupancy";
  static constexpr std::string_view kBypass = "safe: nothing is rewritten; held ACKs are sent first";
  static constexpr std::string_view kAsymmetric = "flows whose data come another way are left alone";

  enum class Mode : std::uint8_t { formula, spacing, hold };
  static constexpr std::array<std::string_view, 3> kModes{"formula", "spacing", "hold"};
  enum class Second : std::uint8_t { none, formula };  // f2
  static constexpr std::array<std::string_view, 2> kSeconds{"none", "formula"};
  enum class Occupancy : std::uint8_t { full, unstarted };
  static constexpr std::array<std::string_view, 2> kOccupancies{"full", "unstarted"};
  enum class News : std::uint8_t { delay, pass };
  static constexpr std::array<std::string_view, 2> kNews{"delay", "pass"};

  struct Config {
    Mode mode = Mode::formula;
    Duration maxd = std::chrono::milliseconds{500};
    Amount minth{0};
    Amount maxth{40};
    double alpha = 1;
    Second f2 = Second::none;
    double f2_alpha = 1;
    Occupancy occupancy = Occupancy::unstarted;
    Duration tti{};
    News duplicates = News::delay;
    bool literal = false;
    friend bool operator==(const Config&, const Config&) = default;

    // clang-format off
    static constexpr FieldTable kFields{
        Field{"mode", &Config::mode, kModes,
              "formula: t_id = maxd * ((BO - minth) / (maxth - minth))^alpha; spacing: t_id is maxd from minth "
              "on; hold: no distance, each ACK waits for maxd if BO is at least minth", "000 eq. 1; ICON 1999"},
        Field{"maxd", &Config::maxd, Unit::duration, Duration{0}, Duration{10'000'000'000},
              "t_id at maxth and above; the paper's maxd/maxth, in ms an SDU, times maxth", "000 section 5"},
        Field{"minth", &Config::minth, Unit::sdus, Amount{0}, Amount{1'000'000},
              "occupancy BO below which no ACK waits", "000 section 5"},
        Field{"maxth", &Config::maxth, Unit::sdus, Amount{1}, Amount{1'000'000},
              "occupancy from which t_id is maxd; not above minth: t_id is maxd from minth on",
              "000 section 5"},
        Field{"alpha", &Config::alpha, Unit::number, 0.0, 100.0,
              "shape of the formula: 1 is linear, less delays more at low occupancies", "000 eq. 1"},
        Field{"f2", &Config::f2, kSeconds,
              "while the Counter of the downlink's `pdpc` runs, ACKs do not wait (none) or t_id is the formula "
              "with f2_alpha; other AQMs have no Counter", "000 section 3.2"},
        Field{"f2_alpha", &Config::f2_alpha, Unit::number, 0.0, 100.0,
              "alpha while the Counter runs, for `f2: formula`", "000 section 5"},
        Field{"occupancy", &Config::occupancy, kOccupancies,
              "BO counts all SDUs until the peer RLC has acknowledged them, or those whose transmission has "
              "not started", "000 section 2"},
        Field{"tti", &Config::tti, Unit::duration, Duration{0}, Duration{1'000'000'000},
              "those that wait are looked at so often, and one leaves at a time, when it is due; 0: at each "
              "change of BO, and all that are due leave", "000 Fig. 3, read with RLC's TTI"},
        Field{"duplicates", &Config::duplicates, kNews,
              "whether news of loss and congestion wait too: duplicate ACKs, those with SACK blocks or ECE. "
              "One that passes takes along what waits of its flow. Others, such as window updates, wait",
              "000 Fig. 3"},
        Field{"literal", &Config::literal,
              "Fig. 3 to the letter, tti aside: an event lets one ACK go, a running timer is left alone. "
              "While t_id is 0 what waits stays until more ACKs come, without bound: for comparison only",
              "000 Fig. 3"},
    };
    // clang-format on
  };
};

}  // namespace dp
