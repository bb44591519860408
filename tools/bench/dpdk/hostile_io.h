// Ports of memory for a worker with one bearer: a server fills the bearer's caches by two connections, and
// the UE's ACKs make no progress. Then each poll receives a burst of ACKs of the pattern. Sequence numbers
// and checksums are right, since ACK stages look at them. Owns the frames. Plain: no rte_ names.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "dataplane/base/expect.h"
#include "dataplane/base/rng.h"
#include "dataplane/tcp/segment.h"
#include "dataplane/worker/io.h"
#include "tools/bench/dpdk/bearers.h"
#include "tools/bench/dpdk/frames_io.h"
#include "tools/bench/dpdk/traffic.h"

namespace dp::yardstick {

class HostileIo final : public FramesIo {
 public:
  // Requires: the traffic is hostile.
  HostileIo(const Traffic& traffic, bool)
      : FramesIo(4 * std::size_t{traffic.kept} + 16 * kBurst, kFrameBytes),
        ue_(traffic.address_of(0)),
        most_(traffic.kept),
        pattern_(*traffic.hostile),
        refills_(!BearerArray::keeps_segments(traffic)),
        chance_(traffic.seed) {}

  void open(bool on) noexcept { open_ = on; }

  void receive(Side side, Burst& burst, Time now) noexcept {
    if (!open_) return;
    side == Side::core ? receive_from_server(burst, now) : receive_from_ue(burst, now);
    received_ += burst.size();
  }
  std::size_t transmit(Side side, std::span<Sdu* const> frames) noexcept {
    crossed_[index(side)] += frames.size();
    for (Sdu* frame : frames) frames_.let_go(*frame);
    sent_ += frames.size();
    return frames.size();
  }

  // Figures are divided by this: the ACKs of the pattern.
  std::uint64_t counted() const noexcept { return hostile_; }

 private:
  static constexpr std::uint32_t kFrameBytes = 256, kPayload = 100, kServerIsn = 1u << 30, kUeIsn = 5000;
  static constexpr std::array<std::uint16_t, 2> kPorts{40000, 40001};
  static constexpr std::uint8_t kShift = 8;
  static constexpr std::uint16_t kWindow = 60'000;

  enum class Step : std::uint8_t { syn, syn_ack, ack, data, hold, storm };

  static std::uint32_t seq_of(std::uint32_t segment) noexcept { return kServerIsn + 1 + kPayload * segment; }

  // Most are of the first connection.
  static constexpr std::uint32_t kOthers = 8;
  void receive_from_server(Burst& burst, Time now) noexcept {
    if (step_ == Step::syn_ack && crossed_[index(Side::core)] >= kPorts.size()) {
      for (const std::uint16_t port : kPorts) greet(burst, Side::core, port, now);
      step_ = Step::ack;
    }
    if (step_ == Step::data) {
      while (offered_ < most_ && burst.size() < kBurst && !frames_.empty()) offer_data(burst, now);
      if (offered_ == most_) step_ = Step::hold;
    }
    // Frames that have left would else be missed: where nothing is kept the buffer stays as full as it was.
    if (step_ != Step::storm || !refills_) return;
    while (offered_ < crossed_[index(Side::radio)] + most_ && burst.size() < kBurst && !frames_.empty()) {
      offer_data(burst, now);
    }
  }
  void receive_from_ue(Burst& burst, Time now) noexcept {
    if (step_ == Step::syn) {
      for (const std::uint16_t port : kPorts) greet(burst, Side::radio, port, now);
      step_ = Step::syn_ack;
    } else if (step_ == Step::ack && crossed_[index(Side::radio)] >= kPorts.size()) {
      for (std::size_t n = 0; n < kPorts.size(); ++n) offer_ack(burst, n, plain_ack(), now);
      step_ = Step::data;
    } else if (step_ == Step::hold) {
      for (; held_ < most_ && burst.size() < kBurst && !frames_.empty(); ++held_) {
        offer_ack(burst, held_ % kOthers == 0 ? 1 : 0, plain_ack(), now);
      }
      if (held_ == most_) step_ = Step::storm;
    } else if (step_ == Step::storm) {
      for (; burst.size() < kBurst && !frames_.empty(); ++hostile_) offer_hostile(burst, now);
    }
  }

  void greet(Burst& burst, Side from, std::uint16_t port, Time now) noexcept {
    const bool up = from == Side::radio;
    TcpFields syn{.seq = up ? kUeIsn : kServerIsn,
                  .ack = up ? 0 : kUeIsn + 1,
                  .flags = static_cast<std::uint8_t>(TcpView::kSyn | (up ? 0 : TcpView::kAck)),
                  .window = kWindow,
                  .mss = std::uint16_t{1460},
                  .window_scale = kShift,
                  .sack_permitted = true};
    push(burst, from, port, syn, 0, now);
  }
  void offer_data(Burst& burst, Time now) noexcept {
    const std::size_t which = offered_++ % kOthers == 0 ? 1 : 0;
    const TcpFields fields{
        .seq = seq_of(sent_of_[which]++), .ack = kUeIsn + 1, .flags = TcpView::kAck, .window = kWindow};
    push(burst, Side::core, kPorts[which], fields, kPayload, now);
  }
  static TcpFields plain_ack() noexcept {
    return {.seq = kUeIsn + 1, .ack = seq_of(0), .flags = TcpView::kAck, .window = kWindow};
  }
  void offer_ack(Burst& burst, std::size_t which, const TcpFields& fields, Time now) noexcept {
    push(burst, Side::radio, kPorts[which], fields, 0, now);
  }
  void offer_hostile(Burst& burst, Time now) noexcept {
    TcpFields ack = plain_ack();
    const auto n = static_cast<std::uint32_t>(hostile_);
    switch (pattern_) {
      case HostileAcks::duplicates:
      case HostileAcks::turns:
        break;
      case HostileAcks::sacks: {
        // Less than a segment: the UE lacks it still.
        const std::uint32_t at = seq_of(1 + static_cast<std::uint32_t>(chance_.below(most_ / 2)));
        ack.add_block({at + kPayload / 4, at + kPayload / 2});
        break;
      }
      case HostileAcks::old:
        ack.ack -= 1 + n % most_;
        break;
      case HostileAcks::ahead:
        ack.ack = seq_of(sent_of_[0]) + 1 + n % most_;
        break;
      case HostileAcks::window:
        ack.window = n % 2 == 0 ? 0 : kWindow;
        break;
    }
    offer_ack(burst, pattern_ == HostileAcks::turns ? n % 2 : 0, ack, now);
  }

  void push(Burst& burst, Side ingress, std::uint16_t port, const TcpFields& fields, std::uint32_t payload,
            Time now) noexcept {
    TcpPath path{ipv4(198u << 24 | 18u << 16), ipv4(ue_), 80, port};
    if (ingress == Side::radio) path = path.reversed();
    const std::size_t headers = tcp_headers_size(path, fields);
    const auto bytes = static_cast<std::uint32_t>(Traffic::kLinkHeader + headers + payload);
    Sdu* const sdu = frames_.take(bytes);
    DP_EXPECT(sdu != nullptr);
    store16(sdu->data + 12, 0x0800);
    std::byte* const packet = sdu->data + Traffic::kLinkHeader;
    std::fill_n(packet + headers, payload, std::byte{0});
    write_tcp({packet, headers + payload}, path, 0, fields, payload, 0);
    sdu->arrival = now;
    sdu->ingress = ingress;
    burst.push(*sdu);
  }
  static IpAddress ipv4(std::uint32_t address) noexcept { return {.ipv6 = false, .hi = 0, .lo = address}; }

  const std::uint32_t ue_, most_;
  const HostileAcks pattern_;
  const bool refills_;
  Rng chance_;
  bool open_ = false;
  Step step_ = Step::syn;
  std::uint64_t offered_ = 0;               // segments of data
  std::array<std::uint32_t, 2> sent_of_{};  // of each connection
  std::uint32_t held_ = 0;                  // ACKs that may be held, offered before the pattern
  std::array<std::uint64_t, 2> crossed_{};  // frames that left by each port
  std::uint64_t hostile_ = 0;
};

static_assert(PacketIo<HostileIo>);

}  // namespace dp::yardstick
