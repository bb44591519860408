// A TCP receiver over bytes and `now`: the lab's UEs. on_segment() takes a segment and says what it was,
// emit() writes the ACK that is due, next_deadline() says when to ask without being told; call emit() until
// it writes nothing after each of these, so that every segment out of order gets its own ACK. It keeps
// ranges, no bytes: each payload is held against what its sequence number says (tcp/pattern.h) if it should
// be.
#pragma once
#include <cstdint>
#include <optional>
#include <span>

#include "dataplane/tcp/connection.h"
#include "dataplane/tcp/ranges.h"
#include "dataplane/tcp/settings.h"

namespace dp {

struct TcpReceiverStats {
  std::uint64_t segments = 0;            // with data
  std::uint64_t delivered_bytes = 0;     // in order
  std::uint64_t delivered_segments = 0;  // in order, each once
  std::uint64_t duplicates = 0;          // nothing in them was new
  std::uint64_t out_of_order = 0;
  std::uint64_t rejected = 0;  // beyond the window, or no range left to hold them
  std::uint64_t corrupt = 0;   // payload that does not fit its sequence number
  std::uint64_t acks = 0;      // sent
};

class TcpReceiver {
 public:
  // The result of a segment, from which one-way delay and goodput are measured.
  struct Arrival {
    Offset position = 0;  // of its first byte in the peer's stream, from 0
    std::uint32_t payload = 0;
    std::uint32_t fresh = 0;      // bytes not seen before
    std::uint32_t delivered = 0;  // bytes that came into order by it, earlier ones included
  };

  TcpReceiver(const TcpReceiverSettings& settings, const TcpPath& path, std::uint32_t initial_seq);

  void connect() noexcept { conn_.connect(); }
  void listen() noexcept { conn_.listen(); }
  // Holds payloads against Pattern.
  void verify(bool on) noexcept { verify_ = on; }
  // The application stops reading, and goes on. At once after resume(), if read_rate is 0.
  void pause(Time now) noexcept;
  void resume(Time now) noexcept;

  Arrival on_segment(const TcpSegment& segment, Time now) noexcept;

  // Writes the next IP packet to `out`; 0 when there is none to send now. Requires: room for kMaxTcpHeaders.
  std::size_t emit(Time now, std::span<std::byte> out) noexcept;
  Time next_deadline() const noexcept;

  bool established() const noexcept { return conn_.established(); }
  bool failed() const noexcept { return conn_.state() == TcpConnection::State::failed; }
  // The peer's FIN came into order, and ours was acknowledged.
  bool finished() const noexcept { return fin_acked_; }

  const TcpReceiverStats& stats() const noexcept { return stats_; }
  const TcpConnection& connection() const noexcept { return conn_; }
  // The offset that is due next in the peer's stream; its SYN is 0.
  Offset next() const noexcept { return next_; }
  Offset unread() const noexcept { return unread_; }
  const RangeSet& held() const noexcept { return held_; }

 private:
  void begin(Time now) noexcept;
  void take_data(const TcpSegment& segment, Offset left, Arrival& arrival, Time now) noexcept;
  void take_in_order(Offset right, Arrival& arrival, Time now) noexcept;
  void hold(Offset left, Offset right, Arrival& arrival) noexcept;
  void take_fin(Offset offset) noexcept;
  void report_duplicate(Offset left, Offset right) noexcept;
  void read(Time now) noexcept;
  void expire(Time now) noexcept;

  Offset offered_edge() const noexcept;
  bool window_update_due() const noexcept;
  Offset update_step() const noexcept;
  Offset update_edge() const noexcept;
  Time time_to_update() const noexcept;
  std::uint16_t advertise() noexcept;
  void add_blocks(TcpFields& fields) noexcept;

  TcpReceiverSettings settings_;
  TcpConnection conn_;
  RangeSet held_;
  TcpReceiverStats stats_{};

  Offset next_ = 1;
  Offset edge_ = 1;      // right edge of the window as advertised
  Offset last_ack_ = 1;  // the last ACK number sent
  Offset unread_ = 0;
  std::optional<Offset> fin_at_{};
  std::optional<Range> duplicate_{};
  std::uint32_t waiting_ = 0;  // segments in order since the last ACK
  std::uint32_t quick_ = 0;    // segments acknowledged at once
  double read_credit_ = 0;     // part of a byte
  Time read_at_{}, delayed_ = kNever, fin_timer_ = kNever;
  std::uint32_t fin_timeouts_ = 0;
  bool ack_now_ = false;
  bool paused_ = false;
  bool verify_ = false;
  bool fin_due_ = false, fin_sent_ = false, fin_acked_ = false;
};

}  // namespace dp
