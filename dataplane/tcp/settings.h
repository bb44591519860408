// The settings of both engines, as plain values with their field tables. Who makes an engine owns them; the
// engine keeps a copy.
#pragma once
#include <cstdint>

#include "dataplane/base/fields.h"
#include "dataplane/tcp/registry.h"
#include "dataplane/tcp/rto.h"

namespace dp {

struct TcpSenderSettings {
  std::uint16_t mss = 1460;
  std::uint16_t initial_window = 10;
  std::uint64_t initial_ssthresh = std::uint64_t{1} << 40;
  std::uint8_t dup_threshold = 3;
  bool limited_transmit = true;
  bool guard = false;
  bool halve_window = false;
  bool idle_restart = true;
  bool sack = true;
  bool timestamps = false;
  bool window_scaling = true;
  std::uint16_t retries = 15;
  CongestionConfig congestion = NewReno::Config{};
  RtoSettings rto{};
  using S = TcpSenderSettings;  // for the table below
  static constexpr FieldTable kFields{
      Field{"mss", &S::mss, Unit::bytes, std::uint16_t{64}, std::uint16_t{65'495},
            "largest payload, TCP options included", "RFC 9293 3.7.1, RFC 6691"},
      Field{"initial_window", &S::initial_window, Unit::count, std::uint16_t{1}, std::uint16_t{1000},
            "segments sent before the first ACK", "RFC 5681 3.1, RFC 6928"},
      Field{"initial_ssthresh", &S::initial_ssthresh, Unit::bytes, std::uint64_t{2}, std::uint64_t{1} << 40,
            "where the first slow start ends", "RFC 5681 3.1"},
      Field{"dup_threshold", &S::dup_threshold, Unit::count, std::uint8_t{1}, std::uint8_t{100},
            "duplicate ACKs that mean a loss", "RFC 5681 3.2"},
      Field{"limited_transmit", &S::limited_transmit,
            "new data on the first duplicate ACKs; always with SACK recovery", "RFC 3042, RFC 6675 5"},
      Field{"guard", &S::guard,
            "Tahoe, Reno: no second fast retransmit for one window; NewReno and SACK never do that",
            "RFC 6582 3.2"},
      Field{"halve_window", &S::halve_window,
            "losses halve min(cwnd, rwnd) as in 4.3BSD, not what is in flight", "RFC 5681 3.1"},
      Field{"idle_restart", &S::idle_restart,
            "begin with the initial window after a timeout's time of silence", "RFC 5681 4.1"},
      Field{"sack", &S::sack, "offer SACK, if the congestion control makes use of it", "RFC 2018 2"},
      Field{"timestamps", &S::timestamps, "offer timestamps", "RFC 7323 3"},
      Field{"window_scaling", &S::window_scaling,
            "offer window scaling, which lets the peer have a window above 64 KiB", "RFC 7323 2"},
      Field{"retries", &S::retries, Unit::count, std::uint16_t{1}, std::uint16_t{1000},
            "timeouts in a row, or probes of a closed window without an answer, before the connection is "
            "given up",
            "RFC 9293 3.8.3, 3.8.6.1"},
  };
  friend bool operator==(const TcpSenderSettings&, const TcpSenderSettings&) = default;
};

struct TcpReceiverSettings {
  std::uint16_t mss = 1460;
  std::uint32_t window = 65'535;
  std::uint8_t window_scale = 0;
  std::uint16_t ack_every = 2;
  Duration ack_delay{200'000'000};
  std::uint16_t quick_acks = 0;
  bool sack = true;
  bool dsack = false;
  bool timestamps = true;
  std::uint64_t read_rate = 0;
  std::uint16_t max_ranges = 256;
  std::uint16_t retries = 15;
  RtoSettings rto{};
  using S = TcpReceiverSettings;
  static constexpr FieldTable kFields{
      Field{"mss", &S::mss, Unit::bytes, std::uint16_t{64}, std::uint16_t{65'495},
            "largest payload asked for, TCP options included", "RFC 9293 3.7.1"},
      Field{"window", &S::window, Unit::bytes, 1u, 1u << 30, "receive buffer", "RFC 9293 3.8.6"},
      Field{"window_scale", &S::window_scale, Unit::count, std::uint8_t{0}, std::uint8_t{14},
            "shift of the advertised window; asked for if it is not 0", "RFC 7323 2"},
      Field{"ack_every", &S::ack_every, Unit::count, std::uint16_t{1}, std::uint16_t{1000},
            "segments an ACK in order", "RFC 5681 4.2"},
      Field{"ack_delay", &S::ack_delay, Unit::duration, Duration{0}, Duration{10'000'000'000},
            "longest wait for the next of them", "RFC 5681 4.2"},
      Field{"quick_acks", &S::quick_acks, Unit::count, std::uint16_t{0}, std::uint16_t{65'535},
            "first segments that are acknowledged one by one", "RFC 5681 4.2"},
      Field{"sack", &S::sack, "send SACK blocks if the peer asks", "RFC 2018"},
      Field{"dsack", &S::dsack, "report duplicates", "RFC 2883"},
      Field{"timestamps", &S::timestamps, "echo timestamps if the peer asks", "RFC 7323 3"},
      Field{"read_rate", &S::read_rate, Unit::rate, std::uint64_t{0}, std::uint64_t{1'000'000'000'000},
            "at which the application reads; 0: at once", "RFC 9293 3.8.6.2"},
      Field{"max_ranges", &S::max_ranges, Unit::count, std::uint16_t{1}, std::uint16_t{4096},
            "pieces held out of order; further ones are dropped", ""},
      Field{"retries", &S::retries, Unit::count, std::uint16_t{1}, std::uint16_t{1000},
            "repeats of its SYN or FIN before it gives up", "RFC 9293 3.8.3"},
  };
  friend bool operator==(const TcpReceiverSettings&, const TcpReceiverSettings&) = default;
};

}  // namespace dp
