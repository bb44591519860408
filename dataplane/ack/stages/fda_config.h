// Settings and texts, for configuration and control, of the stage `fda`; the stage itself is
// ack/stages/fda.h.
// Tests: tests/unit/ack/stages/fda_test.cc
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "dataplane/ack/stages/exclusion.h"
#include "dataplane/base/fields.h"
#include "dataplane/base/gauge.h"

namespace dp {

struct FdaSpec {
  static constexpr std::string_view kName = "fda";
  static constexpr std::string_view kDoc =
      "forced duplicate ACKs: tells sources to slow down when the average occupancy passes a threshold, "
      "before the "
      "buffer is full, and makes room in it early";
  static constexpr std::string_view kBypass =
      "safe: sources hear of no congestion any more, and the buffer may fill";
  static constexpr std::string_view kAsymmetric =
      "flows whose data come another way are left alone, and so are those of Multipath TCP, TCP-AO, MD5 and "
      "Accurate ECN";
  static constexpr std::array kExcludes{
      AckExclusion{"snoop", "that one keeps duplicate ACKs from whoever stands behind it", true},
      AckExclusion{"new-snoop", "that one keeps duplicate ACKs from whoever stands behind it", true},
      AckExclusion{"ack-rate", "that one holds the ACKs behind which copies must leave at once"},
      AckExclusion{"window-regulator", "that one holds the ACKs behind which copies must leave at once"},
      AckExclusion{"ack-regulator", "that one holds the ACKs behind which copies must leave at once"}};

  enum class Notify : std::uint8_t { automatic, dupack, ece };
  static constexpr std::array<std::string_view, 3> kNotifyNames{"auto", "dupack", "ece"};
  enum class Count : std::uint8_t { segment, ack };
  static constexpr std::array<std::string_view, 2> kCountNames{"segment", "ack"};

  struct Config {
    Amount threshold{60};
    Amount minsize{30};
    double weight = 0.022;
    double pc = 0.016;
    double pr = 0.001;
    double loss = 0;
    Notify notify = Notify::automatic;
    bool plain_syn = false;
    Count count = Count::segment;
    constexpr std::optional<Conflict> conflict() const noexcept {
      const Gauge gauge(minsize, threshold);
      if (gauge.of(minsize) < gauge.of(threshold)) return std::nullopt;
      return Conflict{"minsize", "threshold"};
    }
    friend bool operator==(const Config&, const Config&) = default;

    // clang-format off
    static constexpr FieldTable kFields{
        Field{"threshold", &Config::threshold, Unit::sdus, Amount{2}, Amount{1'000'000},
              "average occupancy from which sources are told; what is kept until the UE has it counts",
              "004 section 3.3, Table 1"},
        Field{"minsize", &Config::minsize, Unit::sdus, Amount{1}, Amount{1'000'000},
              "SDUs that are under way on the radio at full rate: what the occupancy would be if sources sent no more "
              "than the link carries", "004 section 3.2, Table 1"},
        Field{"weight", &Config::weight, Unit::ratio, 0.0001, 1.0,
              "weight of the occupancy as it is in the average, W_q; less reacts later", "004 eq. 1, Table 1"},
        Field{"pc", &Config::pc, Unit::ratio, 0.0, 1.0,
              "P_c: a new ACK tells its source with the probability pc * (average - minsize) / minsize",
              "004 section 3.4, Table 1"},
        Field{"pr", &Config::pr, Unit::ratio, 0.0, 1.0,
              "P_r: the probability that a loss on the radio finds its segment let go. A duplicate ACK lets one go "
              "with pr / loss", "004 section 3.5, Table 1"},
        Field{"loss", &Config::loss, Unit::ratio, 0.0, 1.0,
              "P_s: the loss ratio of the radio; 0: what part of the segments `snoop` or `new-snoop` behind this one "
              "has sent again of late, at least 0.01 %", "004 section 3.5"},
        Field{"notify", &Config::notify, kNotifyNames,
              "how a source is told: by three copies of the ACK, which a source with SACK does not heed; by ECE until "
              "it answers with CWR, for flows with ECN (RFC 3168); auto: ECE for those, copies for flows without "
              "SACK, and no word to others, which are counted (unheard)", "004 section 3.1; RFC 5681, RFC 3168"},
        Field{"plain_syn", &Config::plain_syn,
              "take SACK and timestamps out of SYNs, so that copies work on every source; it then repairs its losses "
              "as in 1990: for demonstrations", "004 section 3.1"},
        Field{"count", &Config::count, kCountNames,
              "the average moves once for each segment's worth of data acknowledged, and once for a duplicate, or "
              "once for each ACK: a UE that splits its ACKs then drives it", "004 eq. 1"},
    };
    // clang-format on
  };
};

}  // namespace dp
