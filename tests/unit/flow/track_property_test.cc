// Tracking against a model that knows every place in both streams: random losses, retransmissions, overlaps,
// old duplicates, windows and blind segments, over streams whose sequence numbers wrap.
#include <deque>
#include <map>
#include <random>
#include <set>

#include "tests/unit/flow/support.h"

namespace dp {
namespace {

using namespace test;

struct Piece {
  Offset from, to;
};

// Octets that the UE has: all below `next`, and pieces above.
class Received {
 public:
  Offset next = 1;

  void take(Piece piece) {
    above_.insert_or_assign(piece.from, std::max(piece.to, above_[piece.from]));
    for (bool changed = true; changed;) {
      changed = false;
      for (auto it = above_.begin(); it != above_.end(); ++it) {
        const auto follower = std::next(it);
        if (it->first <= next) {
          next = std::max(next, it->second);
          above_.erase(it);
          changed = true;
          break;
        }
        if (follower != above_.end() && follower->first <= it->second) {
          it->second = std::max(it->second, follower->second);
          above_.erase(follower);
          changed = true;
          break;
        }
      }
    }
  }
  std::size_t count() const { return above_.size(); }
  std::vector<Piece> pieces() const {
    std::vector<Piece> out;
    for (const auto& [from, to] : above_) out.push_back({from, to});
    return out;
  }

 private:
  std::map<Offset, Offset> above_;
};

// The answers of a box that saw every segment and forgot nothing.
struct Truth {
  Offset arrived = 1, dequeued = 1, acked = 1;
  std::uint16_t window = 65535;
  std::uint32_t duplicates = 0;
  std::set<Offset> sacked;  // places, in tens

  AckKind take(Offset ack, std::uint16_t w, const std::vector<Piece>& blocks) {
    const AckKind kind = judge(ack, w, blocks);
    const bool repeats = ack == acked && arrived > acked;
    if (repeats && (kind == AckKind::duplicate || kind == AckKind::sack)) ++duplicates;
    if (ack > acked) duplicates = 0;
    if (ack >= acked) window = w;
    acked = std::max(acked, ack);
    for (const Piece& p : blocks) {
      for (Offset at = p.from; at < p.to; at += 10) sacked.insert(at);
    }
    sacked.erase(sacked.begin(), sacked.lower_bound(acked));
    return kind;
  }
  AckKind judge(Offset ack, std::uint16_t w, const std::vector<Piece>& blocks) const {
    if (ack < acked) return AckKind::old;
    if (!blocks.empty()) return AckKind::sack;
    if (ack > acked) return AckKind::advance;
    return w == window && arrived > acked ? AckKind::duplicate : AckKind::window_update;
  }
};

class TrackPropertyTest : public FlowBench {
 protected:
  void begin(unsigned seed) {
    rng_.seed(seed);
    source_ = SeqSpace(0u - rng_() % 12'000);
    ue_ = SeqSpace(0u - rng_() % 3'000);
    ends.ue_port = static_cast<std::uint16_t>(1000 + seed);
    const Buffer with = options({scale(1), sack_permitted()});
    up({.seq = ue_.wire(0), .flags = kSyn, .options = with});
    const Say answer{.seq = source_.wire(0), .ack = ue_.wire(1), .flags = kSyn | kAck, .options = with};
    down(answer);
    dequeue(answer);
    up({.seq = ue_.wire(1), .ack = source_.wire(1)});
    truth_ = {};
    received_ = {};
    queue_.clear();
    old_acks_.clear();
    sent_ = ue_sent_ = 1;
  }

  void step() {
    now += 1ms;
    switch (rng_() % 12) {
      case 0:
      case 1:
      case 2:
        return send(sent_, lossy() && rng_() % 20 == 0);
      case 3:
        return retransmit();
      case 4:
        return probe();
      case 5:
      case 6:
        for (std::size_t n = rng_() % 8; n > 0; --n) dequeue_one();
        return;
      case 7:
        return unacceptable();
      case 8:
        return repeat_old_ack();
      case 9:
        return upload();
      default:
        return acknowledge(65535 - rng_() % 2);
    }
  }

  void check() {
    const Flow& f = flow();
    ASSERT_EQ(f.arrived, truth_.arrived);
    ASSERT_EQ(f.dequeued, truth_.dequeued);
    ASSERT_EQ(f.acked, truth_.acked);
    ASSERT_EQ(f.forwarded_ack, truth_.acked) << "every ACK leaves at once";
    ASSERT_EQ(f.window, truth_.window);
    ASSERT_EQ(f.duplicates, truth_.duplicates);
    ASSERT_EQ(f.ue.sent, ue_sent_);
    const auto sacked = static_cast<Offset>(truth_.sacked.size()) * 10;
    ASSERT_EQ(f.sacked.bytes(), sacked);
    ASSERT_EQ(f.pipe(), std::max<Offset>(0, f.dequeued - f.acked - sacked));
    ASSERT_FALSE(f.asymmetric || f.over());
    ASSERT_TRUE(f.established);
    ASSERT_EQ(restarts, 0u);
  }

 private:
  // Not when the UE is about to have more ranges than a flow remembers.
  bool lossy() const { return received_.count() < 4; }
  // Lengths are tens, so that the model may count places in tens.
  void send(Offset from, bool lost_before) {
    const Offset to = from + 10 * (1 + rng_() % 14);
    if (to > received_.next + 100'000) return;
    sent_ = std::max(sent_, to);
    if (lost_before) return;
    down(data_of({from, to}));
    truth_.arrived = std::max(truth_.arrived, to);
    queue_.push_back({from, to});
  }
  // Sends a segment that the UE misses, or one that a source without memory may believe to be missing.
  void retransmit() {
    if (received_.next == sent_) return;
    const auto far = static_cast<std::uint64_t>(sent_ - received_.next) / 10;
    send(rng_() % 8 == 0 ? std::max<Offset>(1, received_.next - 500)
                         : received_.next + 10 * (rng_() % 6 == 0 ? rng_() % far : 0),
         false);
  }
  Say data_of(Piece piece) const {
    return {.seq = source_.wire(piece.from),
            .ack = ue_.wire(1),
            .payload = static_cast<std::size_t>(piece.to - piece.from)};
  }
  void probe() { down({.seq = source_.wire(received_.next - 1), .ack = ue_.wire(1), .payload = rng_() % 2}); }
  // On to the UE, unless the AQM drops it; and there, unless the radio loses it.
  void dequeue_one() {
    if (queue_.empty()) return;
    const Piece piece = queue_.front();
    queue_.pop_front();
    if (lossy() && rng_() % 20 == 0) return;
    dequeue(data_of(piece));
    truth_.dequeued = std::max(truth_.dequeued, piece.to);
    if (!lossy() || rng_() % 20 != 0) received_.take(piece);
  }

  Say ack_of(Offset ack, std::uint16_t window, const std::vector<Piece>& blocks) const {
    Buffer option = bytes({5, static_cast<unsigned>(2 + 8 * blocks.size())});
    for (const Piece& p : blocks) {
      test::detail::put32(option, source_.wire(p.from));
      test::detail::put32(option, source_.wire(p.to));
    }
    return {.seq = ue_.wire(ue_sent_),
            .ack = source_.wire(ack),
            .window = window,
            .options = blocks.empty() ? Buffer{} : options({option})};
  }
  void acknowledge(unsigned window) {
    std::vector<Piece> blocks = received_.pieces();
    while (blocks.size() > 3)
      blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(rng_() % blocks.size()));
    old_acks_.push_back(received_.next);
    expect(received_.next, static_cast<std::uint16_t>(window), blocks);
  }
  void repeat_old_ack() {
    if (!old_acks_.empty()) expect(old_acks_[rng_() % old_acks_.size()], 65535, {});
  }
  void expect(Offset ack, std::uint16_t window, const std::vector<Piece>& blocks) {
    if (ack < truth_.acked - 60'000) return;
    const Offset before = truth_.acked;
    const AckKind kind = truth_.take(ack, window, blocks);
    const Acknowledgement seen = up(ack_of(ack, window, blocks));
    ASSERT_EQ(seen.kind, kind);
    ASSERT_EQ(seen.ack, ack);
    ASSERT_EQ(seen.newly, static_cast<std::uint32_t>(truth_.acked - before));
  }
  void upload() {
    const std::size_t payload = 1 + rng_() % 100;
    Say say = ack_of(truth_.acked, truth_.window, {});
    say.payload = payload;
    ASSERT_EQ(up(say).kind, AckKind::data);
    ue_sent_ += static_cast<Offset>(payload);
    down({.seq = source_.wire(sent_), .ack = ue_.wire(ue_sent_)});
  }
  // Out of every window, in either direction.
  void unacceptable() {
    const auto off = static_cast<std::uint32_t>(300'000 + rng_() % 4'294'300'000);
    const std::size_t payload = rng_() % 2 * 100;
    const auto flags = static_cast<std::uint8_t>(rng_() % 64);
    if (rng_() % 2 == 0) {
      const std::uint32_t seq = source_.wire(truth_.acked) + off;
      down({.seq = seq, .ack = ue_.wire(1), .flags = flags, .payload = payload});
    } else {
      const std::uint32_t seq = ue_.wire(ue_sent_) + off;
      up({.seq = seq, .ack = source_.wire(truth_.acked), .flags = flags, .payload = payload});
    }
  }

  std::mt19937_64 rng_;
  SeqSpace source_, ue_;
  Truth truth_;
  Received received_;
  std::deque<Piece> queue_;
  std::vector<Offset> old_acks_;
  Offset sent_ = 1, ue_sent_ = 1;
};

TEST_F(TrackPropertyTest, AgreesWithAModelThatForgetsNothing) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    begin(seed);
    Offset furthest = 0;
    for (int i = 0; i < 2'500; ++i) {
      step();
      if (HasFatalFailure()) return;
      check();
      if (HasFatalFailure()) return;
      furthest = std::max(furthest, flow().acked);
    }
    EXPECT_GT(furthest, 5'000) << "the connection goes on, else nothing is tested";
  }
}

}  // namespace
}  // namespace dp
