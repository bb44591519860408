// The part that both engines share: addresses, sequence spaces, the three-way handshake with its options and
// timer, timestamps. One lives in each sender and each receiver; a connection needs one of either kind.
// Tests: tests/unit/tcp/transfer_test.cc
#pragma once
#include <cstdint>
#include <optional>
#include <span>

#include "dataplane/base/expect.h"
#include "dataplane/packet/seq.h"
#include "dataplane/tcp/rto.h"
#include "dataplane/tcp/segment.h"

namespace dp {

// The options that one end offers; those that both offer are used.
struct TcpOffer {
  std::uint16_t mss = 1460;
  bool scaling = false;  // ask for window scaling; an answer is given to whoever asks
  std::uint8_t shift = 0;
  bool sack = false;
  bool timestamps = false;
};

struct TcpAgreed {
  std::uint32_t mss = 536;  // payload bytes of a full segment, options taken off
  std::uint8_t own_shift = 0, peer_shift = 0;
  bool sack = false;
  bool timestamps = false;
};

class TcpConnection {
 public:
  enum class State : std::uint8_t { closed, listening, syn_sent, syn_received, established, failed };
  // The result of a segment: `pass` is for the engine; `opened` is too, and ended the handshake; `repeat`
  // wants an ACK; `done` nothing.
  enum class Taken : std::uint8_t { pass, opened, repeat, done };

  TcpConnection(const TcpPath& path, std::uint32_t initial_seq, const TcpOffer& offer, const RtoSettings& rto,
                std::uint32_t retries) noexcept
      : path_(path), own_(initial_seq), offer_(offer), rto_(rto), retries_(retries) {}

  void connect() noexcept {
    state_ = State::syn_sent;
    syn_due_ = true;
  }
  // Requires: closed.
  void listen() noexcept {
    DP_EXPECT(state_ == State::closed);
    state_ = State::listening;
  }
  void fail() noexcept {
    state_ = State::failed;
    syn_due_ = false;
    deadline_ = kNever;
  }

  State state() const noexcept { return state_; }
  bool established() const noexcept { return state_ == State::established; }
  // RFC 5681 section 3.1: then the initial window is one segment.
  bool syn_repeated() const noexcept { return syns_ > 1; }
  // True when `timeouts` in a row are more than the connection bears.
  bool too_many(std::uint32_t timeouts) const noexcept { return timeouts > retries_; }

  // `expected`: the offset in the peer's stream that is due next.
  Taken on_segment(const TcpSegment& segment, Offset expected, Time now) noexcept;

  // The SYN or SYN-ACK that is due, in `out`; 0 when there is none. `window` is not scaled.
  std::size_t emit(Time now, std::span<std::byte> out, std::uint16_t window) noexcept;
  Time deadline() const noexcept { return syn_due_ ? Time::min() : deadline_; }

  // A header of an established connection; the caller adds the window and SACK blocks.
  TcpFields fields(Time now, std::uint8_t flags, Offset seq, Offset ack) const noexcept;
  // write_tcp().
  std::size_t write(std::span<std::byte> out, const TcpFields& fields, std::size_t payload = 0,
                    std::uint16_t payload_sum = 0) noexcept {
    return write_tcp(out, path_, ++ident_, fields, payload, payload_sum);
  }

  const TcpPath& path() const noexcept { return path_; }
  SeqSpace own() const noexcept { return own_; }
  SeqSpace peer() const noexcept { return peer_; }
  const TcpAgreed& agreed() const noexcept { return agreed_; }
  RtoEstimator& rto() noexcept { return rto_; }
  const RtoEstimator& rto() const noexcept { return rto_; }
  // The identification of the packet written last, for IPv4.
  std::uint16_t ident() const noexcept { return ident_; }

  // RFC 7323 section 4.3: `last_ack` is what this end acknowledged last.
  void note_stamp(const TcpSegment& segment, Offset last_ack) noexcept;
  // RFC 7323 section 5.3: a segment from before one that came in order.
  bool outdated(const TcpSegment& segment) const noexcept {
    return agreed_.timestamps && segment.timestamps && stamp_before(segment.timestamps->value, recent_);
  }
  // The time that an echo stands for; nothing if there is none.
  std::optional<Duration> echoed(const TcpSegment& segment, Time now) const noexcept;

 private:
  static constexpr std::int64_t kStampTick = 1'000'000;  // RFC 7323 section 5.4: 1 ms
  static std::uint32_t stamp(Time now) noexcept {
    return static_cast<std::uint32_t>(ns(now) / kStampTick + 1);
  }

  bool acknowledges_syn(const TcpSegment& segment) const noexcept {
    return segment.has(TcpView::kAck) && own_.offset(segment.ack, 1) >= 1;
  }
  void expire(Time now) noexcept;
  void agree(const TcpSegment& syn) noexcept;
  Taken on_syn_sent(const TcpSegment& segment, Time now) noexcept;
  void establish(Time now) noexcept;

  TcpPath path_;
  SeqSpace own_, peer_{};
  TcpOffer offer_;
  TcpAgreed agreed_{};
  RtoEstimator rto_;
  std::uint32_t retries_, timeouts_ = 0, syns_ = 0;
  State state_ = State::closed;
  bool syn_due_ = false;
  bool peer_scales_ = false;
  std::uint16_t ident_ = 0;
  std::uint32_t recent_ = 0;  // TS.Recent
  Time sent_{};
  Time deadline_ = kNever;
};

}  // namespace dp
