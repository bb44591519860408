// A TCP sender over bytes and `now`: a split proxy's UE leg, and the lab's servers. on_segment() takes what
// the peer sent, emit() writes the next packet that may go, next_deadline() says when to ask without being
// told; call emit() until it writes nothing after each of these. It keeps no payload: who calls emit() says
// what the bytes are, again for a retransmission. All memory is taken when it is made.
#pragma once
#include <cstdint>
#include <optional>
#include <span>

#include "dataplane/base/expect.h"
#include "dataplane/packet/checksum.h"
#include "dataplane/tcp/connection.h"
#include "dataplane/tcp/pattern.h"
#include "dataplane/tcp/recovery.h"
#include "dataplane/tcp/registry.h"
#include "dataplane/tcp/scoreboard.h"
#include "dataplane/tcp/settings.h"

namespace dp {

struct TcpSenderStats {
  std::uint64_t segments = 0;       // with data or FIN, repeats included
  std::uint64_t retransmitted = 0;  // of these, repeats
  std::uint64_t timeouts = 0;
  std::uint64_t fast_retransmits = 0;  // losses found by duplicates
  std::uint64_t probes = 0;            // of a closed window
  std::uint64_t acked_bytes = 0;       // of the application
  std::uint64_t acks = 0;              // segments received
  std::uint64_t duplicate_acks = 0;
  std::uint64_t dsacks = 0;
  std::uint64_t round_trips = 0;  // that were timed, and
  Duration round_trip_sum{};      // their sum
};

class TcpSender {
 public:
  // What emit() wrote last. `position` counts the application's bytes from 0.
  struct Emitted {
    Offset position = 0;
    std::uint32_t payload = 0;
    std::uint16_t ident = 0;
    bool retransmission = false;
  };

  TcpSender(const TcpSenderSettings& settings, const TcpPath& path, std::uint32_t initial_seq);

  void connect() noexcept { conn_.connect(); }
  void listen() noexcept { conn_.listen(); }
  // The application has `bytes` more to send, or never ends. close(): nothing comes after that; send a FIN.
  void offer(std::uint64_t bytes) noexcept { data_end_ += static_cast<Offset>(bytes); }
  void offer_unbounded() noexcept { data_end_ = kUnbounded; }
  void close() noexcept { closing_ = true; }

  void on_segment(const TcpSegment& segment, Time now) noexcept;

  // Bytes that emit() may write.
  std::size_t max_packet() const noexcept { return settings_.mss + kMaxTcpHeaders; }

  // Writes the next IP packet to `out` and returns its length; 0 when there is none to send now. Requires:
  // room for max_packet(). source(seq, position, span) fills in the payload.
  template <class Source>
  std::size_t emit(Time now, std::span<std::byte> out, Source&& source) noexcept {
    return emit_summed(now, out, [&](std::uint32_t seq, Offset position, std::span<std::byte> payload) {
      source(seq, position, payload);
      return InternetSum{}.add(payload).folded();
    });
  }
  // The same with Pattern for payload.
  std::size_t emit(Time now, std::span<std::byte> out) noexcept {
    return emit_summed(now, out, [](std::uint32_t seq, Offset, std::span<std::byte> payload) {
      Pattern::fill(seq, payload);
      return Pattern::sum(seq, payload.size());
    });
  }

  Time next_deadline() const noexcept { return conn_.established() ? timer_ : conn_.deadline(); }

  bool established() const noexcept { return conn_.established(); }
  bool failed() const noexcept { return conn_.state() == TcpConnection::State::failed; }
  // All that was offered is acknowledged; after close(), the FIN too.
  bool all_acked() const noexcept { return conn_.established() && una_ == end(); }

  const TcpSenderStats& stats() const noexcept { return stats_; }
  const Emitted& last() const noexcept { return last_; }
  const TcpConnection& connection() const noexcept { return conn_; }
  const AnyCongestion& congestion() const noexcept { return control_; }
  const LossRecovery& recovery() const noexcept { return recovery_; }
  double cwnd() const noexcept { return window_.cwnd; }
  double ssthresh() const noexcept { return window_.ssthresh; }
  std::uint32_t mss() const noexcept { return window_.mss; }
  Duration srtt() const noexcept { return conn_.rto().srtt(); }
  Duration rto() const noexcept { return conn_.rto().rto(); }
  Offset peer_window() const noexcept { return rwnd_; }
  // Bytes sent and not acknowledged, a go-back-N counted as sent anew.
  Offset flight() const noexcept { return nxt_ - una_; }

 private:
  static constexpr Offset kUnbounded = Offset{1} << 60;
  static constexpr std::uint16_t kOwnWindow = 65'535;  // it takes no data, but must not look closed

  // A segment to be: [offset, offset + payload) and maybe the FIN behind it.
  struct Chunk {
    enum class Why : std::uint8_t { window, retransmit, hole, rescue, probe, ack };
    Offset offset;
    std::uint32_t payload;
    bool fin;
    Why why;
    Offset right() const noexcept { return offset + payload + (fin ? 1 : 0); }
  };

  // From ACKs: sender.cc.
  void begin() noexcept;
  void take_stream(const TcpSegment& segment) noexcept;
  void on_ack(const TcpSegment& segment, Time now) noexcept;
  bool take_window(const TcpSegment& segment) noexcept;
  bool take_blocks(const TcpSegment& segment, Offset ack) noexcept;
  void advance(Offset ack, const TcpSegment& segment, Time now) noexcept;
  void duplicate(Time now) noexcept;
  std::optional<Duration> time_rtt(Offset ack, const TcpSegment& segment, Time now) noexcept;
  void observe(const AckSample& sample) noexcept;
  void lose(Time now) noexcept;
  void expire(Time now) noexcept;
  void time_out(Time now) noexcept;
  double halve(bool timeout) noexcept;

  // emit() with a source that answers the sum over what it filled in (InternetSum::folded()).
  template <class Source>
  std::size_t emit_summed(Time now, std::span<std::byte> out, Source&& source) noexcept {
    DP_EXPECT(out.size() >= max_packet());
    if (!conn_.established()) return conn_.emit(now, out, kOwnWindow);
    const std::optional<Chunk> chunk = next(now);
    if (!chunk) return 0;
    const TcpFields fields = header(*chunk, now);
    std::uint16_t sum = 0;
    if (chunk->payload > 0) {
      const std::size_t head = tcp_headers_size(conn_.path(), fields);
      sum = source(fields.seq, chunk->offset - 1, out.subspan(head, chunk->payload));
    }
    const std::size_t size = conn_.write(out, fields, chunk->payload, sum);
    sent(*chunk, now);
    return size;
  }

  // To segments: sender_emit.cc.
  std::optional<Chunk> next(Time now) noexcept;
  std::optional<Chunk> by_window(Time now) noexcept;
  std::optional<Chunk> by_scoreboard() noexcept;
  std::optional<Chunk> by_peer_window(Chunk chunk) const noexcept;
  Chunk probe() const noexcept;
  Chunk cut(Offset left, Offset right, Chunk::Why why) const noexcept;
  TcpFields header(const Chunk& chunk, Time now) const noexcept;
  void sent(const Chunk& chunk, Time now) noexcept;
  void count(const Chunk& chunk) noexcept;

  Offset end() const noexcept { return data_end_ + (closing_ ? 1 : 0); }
  bool sack() const noexcept { return recovery_.kind() == Recovery::sack; }
  Offset allowance() const noexcept;

  TcpSenderSettings settings_;
  TcpConnection conn_;
  AnyCongestion control_;
  CongestionWindow window_;
  LossRecovery recovery_;
  SackScoreboard board_;
  TcpSenderStats stats_{};
  Emitted last_{};

  Offset una_ = 1, nxt_ = 1, max_ = 1;  // RFC 9293 section 3.3.1; max_ is the highest nxt_ was
  Offset data_end_ = 1;                 // the first byte the application has not offered
  Offset peer_next_ = 1;                // of the peer's stream
  Offset rwnd_ = 0, max_rwnd_ = 0;
  Offset flight_at_first_duplicate_ = 0;
  Offset timed_end_ = 0;  // the segment that is being timed ends here
  Time timed_at_{}, last_send_{}, timer_ = kNever;
  std::uint32_t timeouts_in_row_ = 0;
  unsigned probe_shift_ = 0;
  bool closing_ = false;
  bool timing_ = false;
  bool retransmit_ = false;  // una goes out at once, whatever the window
  bool probe_due_ = false;
  bool probed_ = false;
  bool ack_due_ = false;
};

}  // namespace dp
