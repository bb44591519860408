// A TCP source and a UE on either side of a worker: wires with delays and losses around it, its bearer's
// links and stages between. ACKs that leave for the source are compared with those of the UE. Virtual time.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <utility>

#include "dataplane/tcp/receiver.h"
#include "dataplane/tcp/sender.h"
#include "tests/support/worker_bench.h"

namespace dp::test {

struct PathSpec {
  BearerSettings bearer{};
  TcpSenderSettings sender{};
  TcpReceiverSettings receiver{};
  Duration wired = std::chrono::milliseconds(20);  // each way
  Duration radio = std::chrono::milliseconds(10);
  double wired_loss = 0, wired_ack_loss = 0;  // chances, by packet
  double radio_loss = 0, radio_ack_loss = 0;
  Duration jitter{};  // the longest extra delay of data over the radio, so that some are overtaken
  std::uint32_t seed = 1;
  bool ipv6 = false;
  bool ue_connects = false;
  bool source_never_ends = false;
};

// The fate of a packet on the two wires of one direction.
using Fate = std::function<bool(std::size_t n, const TcpSegment&)>;

class PathBench : public WorkerBench {
 protected:
  enum class Site : std::uint8_t { core, ue, radio, source, lie };

  // The n-th packet of the source's that comes to the radio, from 0, is lost there.
  Fate radio_loses;

  void begin(const PathSpec& spec) {
    spec_ = spec;
    rng_.seed(spec.seed);
    const TcpPath path =
        spec.ipv6 ? TcpPath{{true, 0x20010db8'00000000, 1}, {true, 0x20010db8'00450000, 2}, 80, port_}
                  : TcpPath{{false, 0, 0xc0000201}, {false, 0, 0x0a2d0002}, 80, port_};
    ++port_;
    source.emplace(spec.sender, path, 0xffff0000u + spec.seed);
    ue.emplace(spec.receiver, path.reversed(), 0xfffffff0u + spec.seed);
    ue->verify(true);
    if (bearer == nullptr) {
      bearer =
          &add(spec.ipv6 ? ue_ipv6_64(0x20010db8'00450000) : ue_ipv4(0x0a2d0002), spec.bearer, spec.seed);
    }
    advertised_.reset();
    said_.clear();
    blocks_.clear();
    events_.clear();
    sent_end = 0;
    started = clock.now();
    if (spec.source_never_ends) source->offer_unbounded();
    spec.ue_connects ? source->listen() : ue->listen();
    spec.ue_connects ? ue->connect() : source->connect();
  }

  void run_for(Duration time) {
    const Time end = clock.now() + time;
    emit();
    for (Time next = next_event(); next <= end; next = next_event()) step(next);
    if (end > clock.now()) clock.set(end);
  }
  // Until all that was offered is acknowledged.
  bool run_to_end(Duration limit) {
    const Time end = clock.now() + limit;
    emit();
    for (Time next = next_event(); next <= end; next = next_event()) {
      step(next);
      if (source->all_acked()) return true;
    }
    return false;
  }

  double goodput() {
    return static_cast<double>(ue->stats().delivered_bytes) * 8e9 /
           static_cast<double>((clock.now() - started).count());
  }

  std::optional<TcpSender> source;
  std::optional<TcpReceiver> ue;
  Bearer* bearer = nullptr;
  Time started{};
  Offset sent_end = 0;                                   // beyond what the source has sent
  std::size_t to_source = 0;                             // segments
  std::function<void(const TcpSegment&)> beside_source;  // sees what leaves the box for the source

  // A hostile UE: it may change the frame that it is about to send, and send others with it.
  std::function<void(Buffer& frame, std::vector<Buffer>& beside)> ue_lies;
  // Looks at a frame that leaves for the source; answers false for one that the source does not take.
  std::function<bool(Bytes frame)> heard;
  Offset may_retract = 0;  // by how much the source may see its right edge go back
  // Set if the box acknowledges for the UE: segments that leave for the source are checked here, and not
  // against the UE's ACKs.
  std::function<void(const TcpSegment&)> looks_at_source;
  std::function<void(const TcpSegment&, Bytes packet)> looks_at_ue;  // segments that leave the box for the UE
  // Segments that have come to the box, from the source or the UE.
  std::function<void(bool from_source, const TcpSegment&)> came;

 private:
  struct Event {
    Site site;
    Buffer frame;
  };
  // Right edges that the UE gave with one ACK number.
  struct Edges {
    Offset least, most;
  };
  // The UE's ACKs that came to the box, and those that left.
  struct Advertised {
    SeqSpace space;
    Offset acked = 0;
    Offset number = 0, edge = 0;
  };

  Time next_event() const {
    Time next = std::min({source->next_deadline(), ue->next_deadline(), worker->next_deadline()});
    if (!events_.empty()) next = std::min(next, events_.begin()->first);
    return next;
  }

  void step(Time next) {
    if (next > clock.now()) clock.set(next);
    while (!events_.empty() && events_.begin()->first <= clock.now()) {
      const Event event = std::move(events_.begin()->second);
      events_.erase(events_.begin());
      arrive(event);
    }
    settle();
    collect();
    emit();
  }

  // At one of the hosts, or at one of the box's ports.
  void arrive(const Event& event) {
    const Bytes packet = Bytes(event.frame).subspan(kHead);
    switch (event.site) {
      case Site::lie:
        return io.offer(Side::radio, TestFrame(event.frame, Side::radio));
      case Site::core:
        if (came) came(true, *read_tcp(packet));
        return io.offer(Side::core, TestFrame(event.frame, Side::core));
      case Site::radio:
        hear_ue(*read_tcp(packet));
        if (came) came(false, *read_tcp(packet));
        return io.offer(Side::radio, TestFrame(event.frame, Side::radio));
      case Site::ue:
        ue->on_segment(*read_tcp(packet), clock.now());
        return;
      case Site::source:
        source->on_segment(*read_tcp(packet), clock.now());
        return;
    }
  }

  void collect() {
    for (auto& sent : std::exchange(io.sent, {})) {
      const Bytes packet = Bytes(sent.bytes).subspan(kHead);
      if (heard && sent.side == Side::core && !heard(sent.bytes)) continue;
      EXPECT_TRUE(tcp_checksums_right(packet));
      const bool up = sent.side == Side::core;
      const TcpSegment segment = *read_tcp(packet);
      if (up && looks_at_source) {
        ++to_source;
        looks_at_source(segment);
      } else if (up) {
        hold_against_ue(segment);
      } else if (looks_at_ue) {
        looks_at_ue(segment, packet);
      }
      const bool named = !up && radio_loses && radio_loses(downlinks_++, segment);
      if (named || lost(up ? spec_.wired_ack_loss : spec_.radio_loss)) continue;
      fly(up ? Site::source : Site::ue, up ? spec_.wired : spec_.radio, std::move(sent.bytes));
    }
  }

  void emit() {
    while (write(true)) {
    }
    while (write(false)) {
    }
  }
  bool write(bool down) {
    const std::size_t n = down ? source->emit(clock.now(), buffer_) : ue->emit(clock.now(), buffer_);
    if (n == 0) return false;
    const auto& last = source->last();
    if (down) sent_end = std::max(sent_end, last.position + 1 + last.payload);
    Buffer frame =
        bytes({2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, spec_.ipv6 ? 0x86u : 0x08u, spec_.ipv6 ? 0xddu : 0u});
    frame.insert(frame.end(), buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(n));
    std::vector<Buffer> beside;
    if (ue_lies && !down) ue_lies(frame, beside);
    for (Buffer& lie : beside) fly(Site::lie, spec_.radio, std::move(lie));
    if (!lost(down ? spec_.wired_loss : spec_.radio_ack_loss)) {
      fly(down ? Site::core : Site::radio, down ? spec_.wired : spec_.radio, std::move(frame));
    }
    return true;
  }

  void fly(Site to, Duration delay, Buffer frame) {
    if (to == Site::ue && spec_.jitter > Duration{}) {
      delay += Duration(std::uniform_int_distribution<std::int64_t>(0, spec_.jitter.count())(rng_));
    }
    events_.emplace(clock.now() + delay, Event{to, std::move(frame)});
  }
  bool lost(double chance) { return std::uniform_real_distribution<>(0, 1)(rng_) < chance; }

  void hear_ue(const TcpSegment& s) {
    if (!s.has(TcpView::kAck)) return;
    if (!advertised_) advertised_ = Advertised{.space = SeqSpace(source->connection().own())};
    advertised_->acked = std::max(advertised_->acked, advertised_->space.offset(s.ack, advertised_->acked));
    for (std::size_t i = 0; i < s.block_count; ++i) blocks_.insert({s.blocks[i].left, s.blocks[i].right});
    const Offset number = advertised_->space.offset(s.ack, advertised_->acked), edge = edge_of(s, number);
    const auto [it, first] = said_.try_emplace(number, Edges{edge, edge});
    it->second = {std::min(it->second.least, edge), std::max(it->second.most, edge)};
  }
  Offset edge_of(const TcpSegment& s, Offset number) const {
    const unsigned shift = s.has(TcpView::kSyn) ? 0 : ue->connection().agreed().own_shift;
    return number + (Offset{s.window} << shift);
  }

  // The source never sees an ACK go back, a right edge shrink beyond what the UE did itself, an ACK of what
  // the UE does not have, or more window than the UE gave with that ACK.
  void hold_against_ue(const TcpSegment& s) {
    ++to_source;
    if (beside_source) beside_source(s);
    if (!s.has(TcpView::kAck) || !advertised_) return;
    const Offset number = advertised_->space.offset(s.ack, advertised_->acked);
    const Offset edge = edge_of(s, number);
    ASSERT_LE(number, advertised_->acked);
    ASSERT_GE(number, advertised_->number);
    const auto said = said_.find(number);
    ASSERT_NE(said, said_.end());
    ASSERT_GE(edge, std::min(advertised_->edge - may_retract, said->second.least));
    ASSERT_LE(edge, said->second.most);
    for (std::size_t i = 0; i < s.block_count; ++i) {
      ASSERT_TRUE(blocks_.contains({s.blocks[i].left, s.blocks[i].right}));
    }
    advertised_->number = number;
    advertised_->edge = std::max(advertised_->edge, edge);
    said_.erase(said_.begin(), said);
  }

  static constexpr std::size_t kHead = 14;  // Ethernet

  PathSpec spec_;
  std::mt19937_64 rng_;
  std::multimap<Time, Event> events_;
  std::optional<Advertised> advertised_;
  std::map<Offset, Edges> said_;                              // by ACK number
  std::set<std::pair<std::uint32_t, std::uint32_t>> blocks_;  // of its SACK options
  std::size_t downlinks_ = 0;
  std::uint16_t port_ = 40'000;
  std::array<std::byte, 65'536> buffer_;
};

}  // namespace dp::test
