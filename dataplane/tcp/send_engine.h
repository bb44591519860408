// The decisions of a TCP sender, without a wire: which octets go next, what an acknowledgement means, when a
// timer is due. It speaks of Offsets of its own stream; who owns it reads and writes segments (TcpSender,
// split/). on_ack() processes an acknowledgement, plan() names the next segment that may go, and sent() tells
// that it went; call plan() until it names none after each event and at next_deadline(). It keeps no payload.
// All memory is taken when it is made.
// Tests: tests/unit/tcp/transfer_test.cc
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "dataplane/base/expect.h"
#include "dataplane/tcp/recovery.h"
#include "dataplane/tcp/registry.h"
#include "dataplane/tcp/rto.h"
#include "dataplane/tcp/scoreboard.h"
#include "dataplane/tcp/settings.h"

namespace dp {

struct TcpSenderStats {
  std::uint64_t acked_bytes = 0;       // of the application
  Duration round_trip_sum{};           // of all that were timed
  std::uint32_t round_trips = 0;       // that were timed
  std::uint32_t segments = 0;          // with data or FIN, repeats included
  std::uint32_t retransmitted = 0;     // of these, repeats
  std::uint32_t timeouts = 0;          // they begin anew at 2^32, as all of these do
  std::uint32_t fast_retransmits = 0;  // losses found by duplicates
  std::uint32_t probes = 0;            // of a closed window
  std::uint32_t acks = 0;              // segments received
  std::uint32_t duplicate_acks = 0;
  std::uint32_t dsacks = 0;
};

class SendEngine {
 public:
  // A SACK block, as offsets in the stream.
  struct Block {
    Offset left, right;
  };
  // The contents of an acknowledgement. Read while on_ack() runs only.
  struct AckView {
    Offset number = 0;
    Offset window = 0;                     // bytes, scaled: below 2^31 (RFC 7323 section 2.3)
    bool plain = true;                     // no data, SYN or FIN came with it
    std::optional<Duration> round_trip{};  // by an echoed timestamp; heeded where start() agreed on them
    std::span<const Block> blocks{};
  };
  // A segment to be: [offset, offset + payload) and maybe the FIN behind it.
  struct Plan {
    enum class Why : std::uint8_t { window, retransmit, hole, rescue, probe };
    Offset offset;
    std::uint32_t payload;
    bool fin;
    Why why;
    Offset right() const noexcept { return offset + payload + (fin ? 1 : 0); }
  };
  // The ends of the segments that its owner has: end(owner, at) is the first octet beyond the one that holds
  // `at`, FIN included. No plan goes across such a place, and none waits to become a full segment (Nagle).
  struct Boundaries {
    const void* owner = nullptr;
    Offset (*end)(const void* owner, Offset at) noexcept = nullptr;
  };
  struct Start {
    std::uint32_t mss = 536;           // payload of a full segment
    std::uint32_t initial_window = 1;  // segments
    bool sack = false;                 // the peer sends blocks
    bool timestamps = false;           // AckView::round_trip tells the time of each ACK
  };

  // Its stream begins at `from`. SACK tells `ranges` pieces apart; further ones count as not arrived.
  SendEngine(const TcpSenderSettings& settings, std::size_t ranges, Offset from = 1);

  // Begins anew, with the memory that it has. Requires: the settings' congestion control recovers by SACK if
  // that of the first did.
  void renew(const TcpSenderSettings& settings, Offset from) noexcept;

  // The connection stands. `rto` knows what the handshake has taught. Requires: this is the first call.
  void start(const Start& start, const RtoEstimator& rto) noexcept;
  void bound(const Boundaries& boundaries) noexcept { ends_ = boundaries; }

  // The application has `bytes` more to send, or never ends. close(): nothing comes after that; send a FIN.
  void offer(std::uint64_t bytes) noexcept { data_end_ += static_cast<Offset>(bytes); }
  void offer_unbounded() noexcept { data_end_ = kUnbounded; }
  void close() noexcept { closing_ = true; }

  void on_ack(const AckView& ack, Time now) noexcept;
  // The peer has all below `to` by another way: it counts as sent from here. Requires: it was offered.
  void reach(Offset to) noexcept {
    DP_EXPECT(to <= end());
    if (to <= max_) return;
    nxt_ = max_ = to;
    timing_ = false;
  }
  // The window that the peer advertised before start(), as AckView has it.
  void hear_window(Offset window) noexcept { take_window(window); }
  // The peer has echoed a mark of congestion (ECE, RFC 3168 section 6.1.2). True when the window was cut for
  // it, which happens once a window of data; CWR belongs on the next new segment then.
  bool on_congestion(Time now) noexcept;
  // The path takes no larger segments any more: what is out beyond that is lost, and goes again from una on.
  void shrink(std::uint32_t mss, Time now) noexcept;
  // The clock stood still for `pause`, and nothing could arrive.
  void postpone(Duration pause) noexcept;

  // Nothing when there is none to send now; sent() must follow before anything else if the segment goes.
  std::optional<Plan> plan(Time now) noexcept { return rests(now) ? std::nullopt : plan_now(now); }
  void sent(const Plan& plan, Time now) noexcept;

  Time next_deadline() const noexcept { return timer_; }
  Time last_send() const noexcept { return last_send_; }
  // Restarts the retransmission timeout, for data that have not left this host yet. No effect unless one
  // runs.
  void restart_timeout(Time now) noexcept {
    if (timer_ != kNever && una_ < max_ && rwnd_ > 0) timer_ = now + rto();
  }
  // True after more timeouts in a row, or more probes without an answer, than `retries`.
  bool failed() const noexcept { return failed_; }
  bool all_acked() const noexcept { return una_ == end(); }
  bool again(const Plan& plan) const noexcept { return plan.offset < max_ && plan.why != Plan::Why::probe; }

  Offset una() const noexcept { return una_; }
  Offset nxt() const noexcept { return nxt_; }
  Offset max() const noexcept { return max_; }  // beyond the highest octet that was sent
  Offset data_end() const noexcept { return data_end_; }
  Offset end() const noexcept { return data_end_ + (closing_ ? 1 : 0); }
  // Bytes sent and not acknowledged, a go-back-N counted as sent anew.
  Offset flight() const noexcept { return nxt_ - una_; }
  Offset peer_window() const noexcept { return rwnd_; }
  bool sack() const noexcept { return recovery_.kind() == Recovery::sack; }
  double cwnd() const noexcept { return window_.cwnd; }
  double ssthresh() const noexcept { return window_.ssthresh; }
  std::uint32_t mss() const noexcept { return window_.mss; }
  Duration srtt() const noexcept { return rto_.srtt(); }
  Duration rto() const noexcept { return rto_.rto(); }
  const RtoEstimator& estimator() const noexcept { return rto_; }
  const TcpSenderStats& stats() const noexcept { return stats_; }
  TcpSenderStats& stats() noexcept { return stats_; }
  const AnyCongestion& congestion() const noexcept { return control_; }
  const LossRecovery& recovery() const noexcept { return recovery_; }

 private:
  static constexpr Offset kUnbounded = Offset{1} << 60;
  static constexpr std::uint8_t kMostDoublings = 62;  // more make no difference (RtoEstimator::after)

  // The settings that are copied.
  struct Rules {
    std::uint16_t initial_window, retries;
    std::uint8_t dup_threshold;
    bool limited_transmit, halve_window, idle_restart;
  };

  // From ACKs: send_engine.cc.
  bool take_window(Offset window) noexcept;
  bool take_blocks(const AckView& ack) noexcept;
  void advance(const AckView& ack, Time now) noexcept;
  void duplicate(Time now) noexcept;
  std::optional<Duration> time_rtt(const AckView& ack, Time now) noexcept;
  void observe(const AckSample& sample) noexcept;
  void lose(Time now) noexcept;
  void expire(Time now) noexcept;
  void time_out(Time now) noexcept;
  double halve(bool timeout) noexcept;

  // To segments: send_plan.cc.
  // True if everything offered was sent and nothing is repeated now: plan_now() would name no segment and
  // change nothing.
  bool rests(Time now) const noexcept {
    return nxt_ >= max_ && nxt_ >= end() && now < timer_ && !retransmit_ && !probe_due_ &&
           !recovery_.active();
  }
  std::optional<Plan> plan_now(Time now) noexcept;
  std::optional<Plan> by_window(Time now) noexcept;
  std::optional<Plan> by_scoreboard() noexcept;
  std::optional<Plan> by_peer_window(Plan plan) const noexcept;
  Plan probe() const noexcept;
  Plan cut(Offset left, Offset right, Plan::Why why) const noexcept;
  Offset allowance() const noexcept;

  Rules rules_;
  bool timestamps_ = false;
  bool closing_ = false;
  bool timing_ = false;
  bool retransmit_ = false;  // una goes out at once, whatever the window
  bool probe_due_ = false;
  bool probed_ = false;
  bool failed_ = false;
  RtoEstimator rto_;
  AnyCongestion control_;
  CongestionWindow window_;
  LossRecovery recovery_;
  SackScoreboard board_;
  TcpSenderStats stats_{};
  Boundaries ends_{};

  Offset una_, nxt_, max_;  // RFC 9293 section 3.3.1; max_ is the highest nxt_ was
  Offset data_end_;         // the first byte the application has not offered
  Offset timed_end_ = 0;    // the segment that is being timed ends here
  Offset reduced_ = 0;      // what was out when the window was cut for ECE
  Time timed_at_{}, last_send_{}, timer_ = kNever;
  // Windows, and what is out within one.
  std::uint32_t rwnd_ = 0, max_rwnd_ = 0;
  std::uint32_t flight_at_first_duplicate_ = 0;
  std::uint16_t timeouts_in_row_ = 0;  // this and the next: at most one above Rules::retries
  std::uint16_t unanswered_probes_ = 0;
  std::uint8_t probe_shift_ = 0;
};

}  // namespace dp
