// Ports of memory for a worker between servers and UEs that answer: a TCP connection for each UE of the
// traffic, opened by the UE, then data to UEs in random order, within the window that the UE, or a proxy, has
// advertised to the server. Every second segment that leaves by the radio port is acknowledged with all that
// the UE has, and a single one when the server has waited for long. Sequence numbers and checksums are right,
// since ACK stages look at them. Owns the frames. Plain: no rte_ names.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "dataplane/base/expect.h"
#include "dataplane/tcp/segment.h"
#include "dataplane/worker/io.h"
#include "tools/bench/dpdk/frames_io.h"
#include "tools/bench/dpdk/traffic.h"

namespace dp::yardstick {

class AckedIo final : public FramesIo {
 public:
  // Requires: the traffic is below the bearers' rate: the UEs know of no losses.
  AckedIo(const Traffic& traffic, bool)
      : FramesIo(traffic.held_frames() + 8 * kBurst, traffic.frame_bytes),
        traffic_(traffic),
        writer_(traffic),
        payload_(traffic.ip_bytes() - kHeaders),
        ues_(traffic.bearers) {
    DP_EXPECT(traffic.load == Load::below);
  }

  void open(bool on) noexcept { open_ = on; }

  void receive(Side side, Burst& burst, Time now) noexcept {
    if (!open_) return;
    side == Side::core ? receive_from_servers(burst, now) : receive_from_ues(burst, now);
    received_ += burst.size();
  }

  std::size_t transmit(Side side, std::span<Sdu* const> frames) noexcept {
    for (Sdu* frame : frames) {
      side == Side::radio ? arrive(*frame) : hear(*frame);
      let_go(*frame);
    }
    sent_ += frames.size();
    return frames.size();
  }

  // The number that figures are divided by: the servers' data segments, which cause all other frames.
  std::uint64_t counted() const noexcept { return data_; }

 private:
  static constexpr std::uint32_t kMssOption = 4, kHeaders = 40, kServerIsn = 1000, kUeIsn = 5000;

  // So often a server finds its window closed before the UE acknowledges a single segment.
  static constexpr std::uint8_t kPatience = 200;

  enum class Phase : std::uint8_t { closed, opening, open };
  struct Ue {
    std::uint32_t sent = kServerIsn + 1;     // the server's next sequence number
    std::uint32_t edge = kServerIsn + 1;     // what the server may send, up to here
    std::uint32_t arrived = kServerIsn + 1;  // the UE's
    Phase phase = Phase::closed;
    bool odd = false;         // a segment has come that no ACK was sent for
    std::uint8_t waited = 0;  // so often the server has found its window closed meanwhile
  };
  // The next segments of the UEs.
  struct Said {
    std::uint32_t ue;
    std::uint8_t flags;
  };

  void receive_from_servers(Burst& burst, Time now) noexcept {
    for (std::size_t i = 0; i < kBurst && !frames_.empty(); ++i) {
      const std::uint32_t number = writer_.next_bearer();
      Ue& ue = ues_[number];
      if (ue.phase == Phase::closed) {
        ue.phase = Phase::opening;
        said_.push_back({number, TcpView::kSyn});
      } else if (ue.phase != Phase::open) {
        continue;
      } else if (seq_at_most(ue.sent + payload_, ue.edge)) {
        burst.push(frame(number, Side::core, {.seq = ue.sent, .ack = kUeIsn + 1, .flags = TcpView::kAck},
                         payload_, now));
        ue.sent += payload_;
        ue.waited = 0;
        ++data_;
      } else if (ue.odd && ++ue.waited == kPatience) {
        ue.odd = false;
        said_.push_back({number, TcpView::kAck});
      }
    }
    for (; !to_greet_.empty() && burst.size() < kBurst && !frames_.empty(); to_greet_.pop_front()) {
      burst.push(frame(to_greet_.front(), Side::core,
                       {.seq = kServerIsn, .ack = kUeIsn + 1, .flags = TcpView::kSyn | TcpView::kAck}, 0,
                       now));
    }
  }

  void receive_from_ues(Burst& burst, Time now) noexcept {
    for (; !said_.empty() && burst.size() < kBurst && !frames_.empty(); said_.pop_front()) {
      const auto [number, flags] = said_.front();
      const bool syn = flags == TcpView::kSyn;
      if (syn) to_greet_.push_back(number);
      burst.push(frame(
          number, Side::radio,
          {.seq = syn ? kUeIsn : kUeIsn + 1, .ack = syn ? 0 : ues_[number].arrived, .flags = flags}, 0, now));
    }
  }

  static bool seq_at_most(std::uint32_t a, std::uint32_t b) noexcept {
    return static_cast<std::int32_t>(b - a) >= 0;
  }

  // At the server.
  void hear(const Sdu& sdu) noexcept {
    const auto segment = read_tcp(sdu.head().subspan(Traffic::kLinkHeader));
    DP_EXPECT(segment.has_value());
    if (segment->has(TcpView::kSyn)) return;
    // The UE's number stands in the destination, as it does in the source of what goes the other way.
    const std::byte* const ip = sdu.data + Traffic::kLinkHeader;
    Ue& ue = ues_[(load32(ip + 16) & 0xffff) << 16 | load16(ip + 22)];
    const std::uint32_t edge = segment->ack + segment->window;
    if (seq_at_most(ue.edge, edge)) ue.edge = edge;
  }

  // At the UE.
  void arrive(const Sdu& sdu) noexcept {
    const auto segment = read_tcp(sdu.head().subspan(Traffic::kLinkHeader));
    DP_EXPECT(segment.has_value());
    if (segment->payload.empty() && !segment->has(TcpView::kSyn)) return;
    const std::uint32_t number = number_of(sdu);
    Ue& ue = ues_[number];
    if (segment->has(TcpView::kSyn)) {
      ue.phase = Phase::open;
    } else {
      const std::uint32_t end = segment->seq + payload_;
      if (seq_at_most(ue.arrived, end)) ue.arrived = end;
      if (ue.odd = !ue.odd; ue.odd) return;
    }
    said_.push_back({number, TcpView::kAck});
  }

  Sdu& frame(std::uint32_t ue, Side ingress, const TcpFields& fields, std::uint32_t payload,
             Time now) noexcept {
    const bool syn = fields.has(TcpView::kSyn);
    const std::uint32_t bytes = Traffic::kLinkHeader + kHeaders + (syn ? kMssOption : 0) + payload;
    Sdu* const taken = frames_.take(bytes);
    DP_EXPECT(taken != nullptr);
    Sdu& sdu = *taken;
    std::byte* const data = sdu.data;
    store16(data + 12, 0x0800);
    // The UE's number stands in the server's address and port.
    TcpPath path{ipv4(198u << 24 | 18u << 16 | ue >> 16), ipv4(traffic_.address_of(ue)),
                 static_cast<std::uint16_t>(ue), 40000};
    if (ingress == Side::radio) path = path.reversed();
    TcpFields all = fields;
    all.window = 65535;
    if (syn) all.mss = static_cast<std::uint16_t>(payload_);
    // Payloads are zeros; a SYN may have been here.
    if (payload >= kMssOption) store32(data + Traffic::kLinkHeader + kHeaders, 0);
    write_tcp({data + Traffic::kLinkHeader, bytes - Traffic::kLinkHeader}, path, 0, all, payload, 0);
    sdu.arrival = now;
    sdu.ingress = ingress;
    return sdu;
  }
  static IpAddress ipv4(std::uint32_t address) noexcept { return {.ipv6 = false, .hi = 0, .lo = address}; }
  static std::uint32_t number_of(const Sdu& sdu) noexcept {
    const std::byte* ip = sdu.data + Traffic::kLinkHeader;
    return (load32(ip + 12) & 0xffff) << 16 | load16(ip + 20);
  }

  Traffic traffic_;
  FrameWriter writer_;  // for the order of the UEs
  std::uint32_t payload_;
  std::vector<Ue> ues_;
  std::deque<Said> said_;
  std::deque<std::uint32_t> to_greet_;  // UEs whose SYN the server has
  bool open_ = false;
  std::uint64_t data_ = 0;
};

static_assert(PacketIo<AckedIo>);

}  // namespace dp::yardstick
