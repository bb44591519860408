// The settings of the `am` link: an air interface, its channel, and RLC acknowledged mode over it. Plain
// data, copied with a class's settings.
// Tests: tests/unit/link/am_pdu_errors_test.cc
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

#include "dataplane/link/channel/registry.h"
#include "dataplane/rlc/am_config.h"

namespace dp {

// The largest number of PDUs in a transport block: 2048 kbit/s of 320-bit payloads in 10 ms, the highest rate
// of a dedicated channel (TS 25.306).
inline constexpr unsigned kMaxPdusPerTti = 64;

// The unit of loss in a TTI.
enum class AmErrors : std::uint8_t { frame, pdu };
inline constexpr std::array<std::string_view, 2> kAmErrorsNames{"frame", "pdu"};

struct AmLinkConfig : ChannelSettings, AmConfig {
  ChannelChoice channel{ChannelList::index_of("markov")};
  AmErrors errors = AmErrors::frame;
  Duration delay = ms(25);
  std::uint64_t seed = 1;
  bool shared_errors = false;

  friend bool operator==(const AmLinkConfig&, const AmLinkConfig&) = default;

  // The AMD header is not deducted from the nominal rate (TS 34.108: 384 kbit/s is 12 payloads of 320 bit).
  std::uint64_t payload_bits() const { return (std::uint64_t{pdu_size} - 2) * 8; }
  std::uint64_t max_rate() const {
    return payload_bits() * kMaxPdusPerTti * 1'000'000'000 / static_cast<std::uint64_t>(tti.count());
  }

  const AmConfig& rlc() const { return *this; }
  const ChannelSettings& fading() const { return *this; }

  static constexpr FieldTable kOwnFields{
      Field{"channel", &AmLinkConfig::channel, ChannelList::kNames, "which frames are lost",
            "000 Table 1 (markov)"},
      Field{"errors", &AmLinkConfig::errors, kAmErrorsNames,
            "what is lost together; frame: all that a TTI carries; pdu: each PDU alone, and STATUS and RESET "
            "of a TTI as one block, each with probability `fer`; `channel` is then bernoulli or none",
            ""},
      Field{"delay", &AmLinkConfig::delay, Unit::duration, ms(0), ms(1000),
            "from the beginning of a frame to its arrival, the frame's own TTI included",
            "000 Table 1 (wireless RTT 50 ms)"},
      Field{"seed", &AmLinkConfig::seed, Unit::count, std::uint64_t{0}, ~std::uint64_t{0} >> 1,
            "of the frame errors; each direction draws its own from it, and so does each bearer", ""},
      Field{"shared_errors", &AmLinkConfig::shared_errors,
            "yes: bearers of one seed lose the same frames, counted from when each was made, so that they "
            "can be "
            "compared; no: each draws its own",
            ""},
  };
  static constexpr auto kFields = joined(kOwnFields, kChannelFields, AmConfig::kFields);
};

// The `am` link for configuration and control; the link itself is link/am/am.h.
struct AmSpec {
  static constexpr std::string_view kName = "am";
  static constexpr std::string_view kDoc =
      "a dedicated channel with RLC acknowledged mode over an emulated air link; both legs or none";
  static constexpr bool kBuffers = true;
  using Config = AmLinkConfig;
};

}  // namespace dp
