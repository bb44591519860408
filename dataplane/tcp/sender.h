// A TCP sender over bytes and `now`: the lab's servers. It is a SendEngine with a connection round it, which
// reads and writes segments. on_segment() takes what the peer sent, emit() writes the next packet that may
// go, next_deadline() says when to ask without being told; call emit() until it writes nothing after each of
// these. It keeps no payload: who calls emit() says what the bytes are, again for a retransmission. All
// memory is taken when it is made.
#pragma once
#include <cstdint>
#include <optional>
#include <span>

#include "dataplane/base/expect.h"
#include "dataplane/packet/checksum.h"
#include "dataplane/tcp/connection.h"
#include "dataplane/tcp/pattern.h"
#include "dataplane/tcp/send_engine.h"
#include "dataplane/tcp/settings.h"

namespace dp {

class TcpSender {
 public:
  // The segment that emit() wrote last. `position` counts the application's bytes from 0.
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
  void offer(std::uint64_t bytes) noexcept { engine_.offer(bytes); }
  void offer_unbounded() noexcept { engine_.offer_unbounded(); }
  void close() noexcept { engine_.close(); }

  void on_segment(const TcpSegment& segment, Time now) noexcept;

  // Bytes that emit() may write.
  std::size_t max_packet() const noexcept { return mss_ + kMaxTcpHeaders; }

  // Writes the next IP packet to `out` and returns its length; 0 when there is none to send now. Requires:
  // room for max_packet(). source(seq, position, span) fills in the payload.
  template <class Source>
  std::size_t emit(Time now, std::span<std::byte> out, Source&& source) noexcept {
    return emit_summed(now, out, [&](std::uint32_t seq, Offset position, std::span<std::byte> payload) {
      source(seq, position, payload);
      return InternetSum{}.add(payload).folded();
    });
  }
  // emit() with Pattern for payload.
  std::size_t emit(Time now, std::span<std::byte> out) noexcept {
    return emit_summed(now, out, [](std::uint32_t seq, Offset, std::span<std::byte> payload) {
      Pattern::fill(seq, payload);
      return Pattern::sum(seq, payload.size());
    });
  }

  Time next_deadline() const noexcept {
    return conn_.established() ? engine_.next_deadline() : conn_.deadline();
  }

  bool established() const noexcept { return conn_.established(); }
  bool failed() const noexcept { return conn_.state() == TcpConnection::State::failed; }
  // True if everything offered is acknowledged; after close(), the FIN too.
  bool all_acked() const noexcept { return conn_.established() && engine_.all_acked(); }

  const TcpSenderStats& stats() const noexcept { return engine_.stats(); }
  const Emitted& last() const noexcept { return last_; }
  const TcpConnection& connection() const noexcept { return conn_; }
  const AnyCongestion& congestion() const noexcept { return engine_.congestion(); }
  const LossRecovery& recovery() const noexcept { return engine_.recovery(); }
  double cwnd() const noexcept { return engine_.cwnd(); }
  double ssthresh() const noexcept { return engine_.ssthresh(); }
  std::uint32_t mss() const noexcept { return engine_.mss(); }
  Duration srtt() const noexcept { return estimator().srtt(); }
  Duration rto() const noexcept { return estimator().rto(); }
  Offset peer_window() const noexcept { return engine_.peer_window(); }
  // Bytes sent and not acknowledged, a go-back-N counted as sent anew.
  Offset flight() const noexcept { return engine_.flight(); }

 private:
  static constexpr std::uint16_t kOwnWindow = 65'535;  // it takes no data, but must not look closed

  void begin() noexcept;
  void take_stream(const TcpSegment& segment) noexcept;
  void on_ack(const TcpSegment& segment, Time now) noexcept;
  // The estimate from the handshake.
  const RtoEstimator& estimator() const noexcept {
    return conn_.established() ? engine_.estimator() : conn_.rto();
  }

  // emit() with a source that answers the sum over what it filled in (InternetSum::folded()).
  template <class Source>
  std::size_t emit_summed(Time now, std::span<std::byte> out, Source&& source) noexcept {
    DP_EXPECT(out.size() >= max_packet());
    if (!conn_.established()) return conn_.emit(now, out, kOwnWindow);
    const std::optional<SendEngine::Plan> plan = engine_.plan(now);
    if (engine_.failed()) {
      conn_.fail();
      return 0;
    }
    if (!plan) return emit_ack(now, out);
    const TcpFields fields = header(*plan, now);
    std::uint16_t sum = 0;
    if (plan->payload > 0) {
      const std::size_t head = tcp_headers_size(conn_.path(), fields);
      sum = source(fields.seq, plan->offset - 1, out.subspan(head, plan->payload));
    }
    const std::size_t size = conn_.write(out, fields, plan->payload, sum);
    last_ = {plan->offset - 1, plan->payload, conn_.ident(),
             engine_.again(*plan) && plan->right() > plan->offset};
    engine_.sent(*plan, now);
    ack_due_ = false;
    return size;
  }
  std::size_t emit_ack(Time now, std::span<std::byte> out) noexcept;
  TcpFields header(const SendEngine::Plan& plan, Time now) const noexcept;

  TcpConnection conn_;
  SendEngine engine_;
  Emitted last_{};
  Offset peer_next_ = 1;  // of the peer's stream
  std::uint16_t mss_, initial_window_;
  bool ack_due_ = false;
};

}  // namespace dp
