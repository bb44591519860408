// The settings of RLC acknowledged mode: the parameters of the papers' Table 1, and further ones of TS 25.331
// 10.3.4. Both entities of a link have one set of settings. Plain data, copied freely.
#pragma once
#include <array>
#include <chrono>
#include <cstdint>
#include <string_view>

#include "dataplane/base/fields.h"
#include "dataplane/base/time.h"

namespace dp {

constexpr Duration ms(std::int64_t n) { return std::chrono::milliseconds{n}; }

// The meaning of MaxDAT: MaxDAT-1 transmissions, MaxDAT of them, or MaxDAT retransmissions.
enum class AmMaxDat : std::uint8_t { one_less, transmissions, retransmissions };
inline constexpr std::array<std::string_view, 3> kAmMaxDatNames{"one-less", "transmissions",
                                                                "retransmissions"};
// The action at MaxDAT.
enum class AmGiveUp : std::uint8_t { reset, mrw };
inline constexpr std::array<std::string_view, 2> kAmGiveUpNames{"reset", "mrw"};
// The SUFI that names missing PDUs.
enum class AmStatusSufi : std::uint8_t { list, rlist };
inline constexpr std::array<std::string_view, 2> kAmStatusSufiNames{"list", "rlist"};

struct AmConfig {
  using Count = std::uint32_t;

  Count pdu_size = 42;
  Duration tti = ms(10);
  Count tx_window = 1024;
  Count rx_window = 1024;
  Count sdus = 128;
  Count max_dat = 10;
  AmMaxDat max_dat_counts = AmMaxDat::one_less;
  AmGiveUp discard = AmGiveUp::mrw;
  bool send_mrw = true;
  Duration timer_mrw = ms(100);
  Count max_mrw = 8;
  Duration timer_rst = ms(200);
  Count max_rst = 8;
  bool poll_last = true;
  bool poll_last_retransmission = true;
  double poll_window = 0.5;
  Count poll_pdus = 0;
  Duration timer_poll = ms(60);
  Duration nack_hold = ms(60);
  Duration repeat_unreported{};
  Duration timer_status_prohibit = ms(60);
  Duration timer_status_periodic{};
  bool missing_pdu = true;
  AmStatusSufi status_sufi = AmStatusSufi::list;
  bool he_ends_sdu = false;
  bool piggyback = false;

  friend bool operator==(const AmConfig&, const AmConfig&) = default;

  // clang-format off
  static constexpr FieldTable kFields{
      Field{"pdu_size", &AmConfig::pdu_size, Unit::bytes, 8u, 1500u,
            "size of every PDU, the 2 octets of the AMD header included",
            "000 Table 1 (320 bit of payload); TS 34.108"},
      Field{"tti", &AmConfig::tti, Unit::duration, ms(1), ms(1000),
            "transmission time interval", "000 Table 1"},
      Field{"tx_window", &AmConfig::tx_window, Unit::count, 1u, 2047u,
            "PDUs sent and not yet acknowledged, at most; half the SNs, so that none is ambiguous",
            "000 Table 1; TS 25.322 9.6"},
      Field{"rx_window", &AmConfig::rx_window, Unit::count, 1u, 2047u,
            "PDUs from the first that is missing on that are kept", "003 Table 1; TS 25.322 9.6"},
      Field{"sdus_in_transmission", &AmConfig::sdus, Unit::sdus, 1u, 4096u,
            "SDUs started and not yet acknowledged, at most", ""},
      Field{"max_dat", &AmConfig::max_dat, Unit::count, 2u, 40u,
            "MaxDAT: transmissions of a PDU until it is given up", "000 Table 1; TS 25.322 9.6"},
      Field{"max_dat_counts", &AmConfig::max_dat_counts, kAmMaxDatNames,
            "what MaxDAT limits; one-less: MaxDAT-1 transmissions (Release 17), transmissions: MaxDAT of "
            "them (Release 5), retransmissions: MaxDAT of these (003)", "TS 25.322 9.4"},
      Field{"discard", &AmConfig::discard, kAmGiveUpNames,
            "at MaxDAT; mrw: discard the SDU and move the receiving window, reset: reset the link",
            "TS 25.322 9.7.3"},
      Field{"send_mrw", &AmConfig::send_mrw,
            "yes: an MRW names each discarded SDU; no: the last only", "TS 25.322 11.6.2.2"},
      Field{"timer_mrw", &AmConfig::timer_mrw, Unit::duration, ms(10), ms(10'000),
            "Timer_MRW: how long an MRW may stay without answer", "TS 25.322 9.5"},
      Field{"max_mrw", &AmConfig::max_mrw, Unit::count, 1u, 32u,
            "MaxMRW: transmissions of an MRW until the reset", "TS 25.322 9.6"},
      Field{"timer_rst", &AmConfig::timer_rst, Unit::duration, ms(10), ms(10'000),
            "Timer_RST: how long a RESET may stay without answer", "TS 25.322 9.5"},
      Field{"max_rst", &AmConfig::max_rst, Unit::count, 1u, 32u,
            "MaxRST: transmissions of a RESET until the error is unrecoverable", "TS 25.322 9.6"},
      Field{"poll_last", &AmConfig::poll_last,
            "poll with the last PDU in the buffer", "000 Table 1; TS 25.322 9.7.1"},
      Field{"poll_last_retransmission", &AmConfig::poll_last_retransmission,
            "poll with the last PDU to be retransmitted", "000 Table 1; TS 25.322 9.7.1"},
      Field{"poll_window", &AmConfig::poll_window, Unit::ratio, 0.0, 1.0,
            "Poll_Window: polls once when PDUs not acknowledged reach this share of the window; 0 never",
            "000 Table 1; TS 25.322 9.7.1"},
      Field{"poll_pdus", &AmConfig::poll_pdus, Unit::count, 0u, 128u,
            "Poll_PDU: polls with every so many PDUs; 0 never", "TS 25.322 9.7.1"},
      Field{"timer_poll", &AmConfig::timer_poll, Unit::duration, ms(0), ms(10'000),
            "Timer_Poll: polls again when no answer came so long; 0 never", "000 Table 1; TS 25.322 9.5"},
      Field{"nack_hold", &AmConfig::nack_hold, Unit::duration, ms(0), ms(10'000),
            "a NACK of a PDU sent less than so long ago is taken for one that it has crossed, and ignored; "
            "0 honours every NACK", ""},
      Field{"repeat_unreported", &AmConfig::repeat_unreported, Unit::duration, ms(0), ms(10'000),
            "a STATUS lets PDUs behind all that reports have named, which nobody can NACK, be sent again when "
            "they were last sent so long ago, a round trip of the air and a TTI or more; 0 never", ""},
      Field{"timer_status_prohibit", &AmConfig::timer_status_prohibit, Unit::duration, ms(0), ms(10'000),
            "Timer_Status_Prohibit: least time between two STATUS reports; 0 none",
            "000 Table 1; TS 25.322 9.5"},
      Field{"timer_status_periodic", &AmConfig::timer_status_periodic, Unit::duration, ms(0), ms(10'000),
            "Timer_Status_Periodic: time between STATUS reports that nobody asked for; 0 never",
            "003 Table 1; TS 25.322 9.5"},
      Field{"missing_pdu", &AmConfig::missing_pdu,
            "report when a PDU is seen to be missing", "000 Table 1; TS 25.322 9.7.2"},
      Field{"status_sufi", &AmConfig::status_sufi, kAmStatusSufiNames,
            "what a report names missing PDUs with; either falls back on BITMAP", "TS 25.322 9.2.2.11"},
      Field{"he_ends_sdu", &AmConfig::he_ends_sdu,
            "yes: the header says that an SDU fills its PDU to the end; no: the next PDU says so",
            "TS 25.322 9.2.2.7"},
      Field{"piggyback", &AmConfig::piggyback,
            "yes: a STATUS takes the place of padding in an AMD PDU of the same TTI, where one has room for it",
            "TS 25.322 9.2.1.5"},
  };
  // clang-format on
};

}  // namespace dp
