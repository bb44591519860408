// Settings and texts, for configuration and control, of the stage `window-regulator`; the stage itself is
// ack/stages/window_regulator.h.
#pragma once
#include <array>
#include <chrono>
#include <cstdint>
#include <string_view>

#include "dataplane/ack/stages/exclusion.h"
#include "dataplane/base/fields.h"
#include "dataplane/base/time.h"

namespace dp {

struct WindowRegulatorSpec {
  static constexpr std::string_view kName = "window-regulator";
  static constexpr std::string_view kDoc =
      "writes into ACKs the window that the downlink buffer and the wireless pipe can take";
  static constexpr std::string_view kBypass =
      "safe: held ACKs are sent first; windows are the UE's own again, and the buffer may overflow";
  static constexpr std::string_view kAsymmetric =
      "flows whose data come another way, or whose handshake was not seen, are left alone";
  static constexpr std::array kExcludes{
      AckExclusion{"ack-regulator",
                   "both keep the same buffer from overflowing, one by the source's window "
                   "and one by letting that grow until it loses a packet"}};

  enum class Form : std::uint8_t { static_, dynamic, ack_buffer };
  static constexpr std::array<std::string_view, 3> kForms{"static", "dynamic", "ack-buffer"};

  struct Config {
    Form form = Form::ack_buffer;
    Amount buffer{0};
    std::uint32_t spare = 3;
    Duration target{0};
    std::uint32_t segments = 0;
    Duration idle = std::chrono::milliseconds{5};
    Duration min_rto = std::chrono::seconds{1};
    friend bool operator==(const Config&, const Config&) = default;

    // clang-format off
    static constexpr FieldTable kFields{
        Field{"form", &Config::form, kForms,
              "static: the window is the flow's buffer (WRS); dynamic: the data in the pipe beside (WRD); "
              "ack-buffer: ACKs that would take window back are stored (WRB)", "001 section 4"},
        Field{"buffer", &Config::buffer, Unit::sdus, Amount{0}, Amount{1'000'000},
              "buffer of each flow, B; 0: the downlink's limit less what is in transmission, divided by the "
              "flows that have data outstanding", "001 section 4"},
        Field{"spare", &Config::spare, Unit::count, 0u, 1'000u,
              "with buffer 0: so many SDUs of the limit are left to segments that are not full, of which each takes "
              "a whole place; a sixteenth of the limit at most", ""},
        Field{"target", &Config::target, Unit::duration, Duration{0}, Duration{10'000'000'000},
              "delay to queue for: B is a flow's part of what the rate carries in the round trip to the source "
              "and this time, and the UE's SYN offers two segments; with `dynamic` Y is a part, too, and ACKs wait "
              "where two segments a flow are more than its part; 0: B is the buffer", ""},
        Field{"segments", &Config::segments, Unit::count, 0u, 1'000u,
              "with a target: as many segments wait besides, of all flows together; a delayed ACK brings two at "
              "once", "RFC 5681 4.2"},
        Field{"idle", &Config::idle, Unit::duration, Duration{0}, Duration{1'000'000'000},
              "ack-buffer: after so long with nothing to send, stored ACKs leave with the window that was told "
              "last, and so give the source more; 0: never", "001 section 4.4"},
        Field{"min_rto", &Config::min_rto, Unit::duration, Duration{1'000'000}, Duration{60'000'000'000},
              "ack-buffer: the sources' shortest timeout; a stored ACK leaves after 0.8 of it without another",
              "RFC 6298 2.4"},
    };
    // clang-format on
  };
};

}  // namespace dp
