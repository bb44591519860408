// A UE that lies beside what it means: corrupt checksums, ACKs far ahead, optimistic, old and duplicate ones,
// FINs and RSTs out of the window. The source never sees its right edge go back, a corrupt segment leaves as
// it came, of the others nothing but the window is edited, and the flow stays what it was.
#include "dataplane/packet/tcp_checksum.h"
#include "tests/support/runs.h"
#include "tests/unit/ack/property_bench.h"

namespace dp::test {
namespace {

using namespace std::chrono_literals;

enum class Lie : std::uint8_t { corrupt, far, ahead, old, again, fin, rst };
constexpr std::size_t kLies = 7;

// The IPv4 frame of a UE's segment, to be changed. A lie bears a DSCP of its own and its number as ident.
class Forged {
 public:
  static constexpr std::size_t kIp = 14, kTcp = 34;
  static constexpr std::byte kMark{0x20};

  explicit Forged(Buffer frame) : frame_(std::move(frame)) {}
  static bool marked(Bytes frame) { return frame[kIp + 1] == kMark; }
  static std::uint16_t number_of(Bytes frame) { return load16(frame.data() + kIp + 4); }

  void mark(std::uint16_t number) {
    frame_[kIp + 1] = kMark;
    store16(&frame_[kIp + 4], number);
    store16(&frame_[kIp + 10], 0);
    store16(&frame_[kIp + 10], internet_checksum(Bytes(frame_).subspan(kIp, 20)));
  }
  std::uint32_t seq() const { return load32(&frame_[kTcp + 4]); }
  std::uint32_t ack() const { return load32(&frame_[kTcp + 8]); }
  void set_seq(std::uint32_t seq) { store32(&frame_[kTcp + 4], seq); }
  void set_ack(std::uint32_t ack) { store32(&frame_[kTcp + 8], ack); }
  void add_flags(std::uint8_t flags) { frame_[kTcp + 13] |= std::byte{flags}; }
  void set_checksum() {
    store16(&frame_[kTcp + 16], 0);
    const Bytes segment = Bytes(frame_).subspan(kTcp);
    const auto sum = tcp_pseudo_header(Bytes(frame_).subspan(kIp + 12, 8), segment.size()).add(segment);
    store16(&frame_[kTcp + 16], sum.checksum());
  }
  void spoil(std::size_t at) { frame_[kTcp + at] ^= std::byte{0x40}; }
  Buffer take() { return std::move(frame_); }

 private:
  Buffer frame_;
};

class HostileUe : public PathBench {
 protected:
  // The highest right edge of the segments that the source may heed, and the highest ACK of those: it does
  // not heed the window of an older one, nor that of a segment out of the window (RFC 9293 section 3.10.7.4).
  struct Edge {
    SeqSpace space;
    Offset most, number = 0;
  };

  PathSpec path(const AckConfig& stage, std::uint8_t scale, std::uint64_t rate = 2'000'000) {
    PathSpec s;
    s.seed = scale + 1u;
    s.bearer = bearer_at(rate, 400);
    s.bearer.uplink.ack.stages = 1;
    s.bearer.uplink.ack.stage[0] = stage;
    s.sender.congestion = SackReno::Config{};
    s.receiver.window_scale = scale;
    s.receiver.window = scale == 0 ? 65'535 : 1'000'000;
    s.ue_connects = true;
    return s;
  }

  // Lies of `kinds`, each with a chance of one in `rarely` beside every segment.
  void lie(std::vector<Lie> kinds, unsigned rarely, std::uint32_t seed) {
    dice_.seed(seed);
    heard = [this](Bytes frame) { return look(frame); };
    ue_lies = [this, kinds = std::move(kinds), rarely](Buffer& frame, std::vector<Buffer>& beside) {
      if ((frame[Forged::kTcp + 13] & std::byte{TcpView::kSyn}) != std::byte{}) return;
      for (const Lie kind : kinds) {
        if (dice_() % rarely == 0) beside.push_back(lie(kind, frame));
      }
      said_before_.push_back(frame);
      truths_[Forged::number_of(frame)] = frame;
    };
  }
  Buffer lie(Lie kind, const Buffer& truth) {
    Forged f(kind == Lie::old && !said_before_.empty() ? said_before_[dice_() % said_before_.size()] : truth);
    f.mark(static_cast<std::uint16_t>(lies_.size()));
    const auto some = static_cast<std::uint32_t>(dice_());
    if (kind == Lie::far) f.set_ack(f.ack() + 900'000'000);
    if (kind == Lie::ahead) f.set_ack(f.ack() + 1460 * (1 + some % 40));
    if (kind == Lie::fin) f.add_flags(TcpView::kFin), f.set_seq(f.seq() + (1u << (17 + some % 14)));
    if (kind == Lie::rst) f.add_flags(TcpView::kRst), f.set_seq(f.seq() + (1u << (17 + some % 14)));
    f.set_checksum();
    if (kind == Lie::corrupt) f.spoil(std::array<std::size_t, 4>{4, 8, 9, 14}[some % 4]);
    lies_.push_back(f.take());
    return lies_.back();
  }

  // Checks a frame that leaves for the source; false for a lie, which the source is not given.
  bool look(Bytes frame) {
    const bool lie = Forged::marked(frame);
    if (lie) expect_untouched(frame, lies_.at(Forged::number_of(frame)));
    const std::uint16_t number = Forged::number_of(frame);
    if (tcp_checksums_right(frame.subspan(14))) edges(frame, lie ? lies_[number] : truths_[number]);
    lies_left_ += lie;
    return !lie;
  }
  static void expect_untouched(Bytes frame, const Buffer& said) {
    Buffer got(frame.begin(), frame.end());
    const bool right = tcp_checksums_right(Bytes(said).subspan(14));
    EXPECT_EQ(tcp_checksums_right(frame.subspan(14)), right);
    for (const std::size_t at : {14, 15, 16, 17}) {
      if (right) got[Forged::kTcp + at] = said[Forged::kTcp + at];
    }
    EXPECT_EQ(got, said);
  }
  void edges(Bytes frame, const Buffer& said) {
    const TcpSegment s = *read_tcp(frame.subspan(14));
    if (s.has(TcpView::kSyn)) edge_ = Edge{source->connection().own(), 1 + s.window};
    if (s.has(TcpView::kSyn) || !s.has(TcpView::kAck)) return;
    const unsigned shift = ue->connection().agreed().own_shift;
    const Offset number = edge_->space.offset(s.ack, edge_->most);
    const Offset edge = number + (Offset{s.window} << shift);
    if (number > std::min(sent_end, edge_->most)) return;  // acknowledges data that the source has not sent
    const Offset own = number + (Offset{read_tcp(Bytes(said).subspan(14))->window} << shift);
    EXPECT_LE(edge, own);
    const bool lie = Forged::marked(frame);
    const bool out_of_window = lie && (s.has(TcpView::kFin) || s.has(TcpView::kRst));
    const bool heeded = !out_of_window && number >= edge_->number;
    EXPECT_GE(edge, std::min(own, edge_->most - may_retract)) << (lie ? "lie " : "") << number;
    if (!heeded) return;
    edge_->number = number;
    edge_->most = std::max(edge_->most, edge);
  }

  // Goodput of a transfer beside lies, in bit/s.
  double transfer(const PathSpec& spec, std::uint64_t bytes) {
    edge_.reset(), said_before_.clear(), lies_.clear(), lies_left_ = 0;
    begin(spec);
    source->offer(bytes);
    EXPECT_TRUE(run_to_end(600s)) << ue->stats().delivered_bytes;
    EXPECT_EQ(ue->stats().delivered_bytes, bytes);
    const double result = goodput();
    Flow* flow = nullptr;
    bearer->acks->flows().for_each([&](Flow& f) { flow = &f; });
    EXPECT_EQ(bearer->acks->flows().size(), 1u);
    EXPECT_TRUE(flow->scale_known()) << "it was taken for another";
    EXPECT_FALSE(flow->asymmetric || flow->over());
    EXPECT_EQ(flow->arrived, static_cast<Offset>(bytes) + 1);
    EXPECT_EQ(flow->acked, flow->arrived);
    run_for(30s);
    EXPECT_EQ(worker->context().account.held, 0u);
    EXPECT_EQ(lies_left_, lies_.size());
    command(RemoveBearer{std::exchange(bearer, nullptr)});
    return result;
  }

  // Bytes that wait in the downlink, each 5 ms of `time`, and what part of the rate the source gets.
  struct Queue {
    std::uint32_t median, most;
    double used;
  };
  Queue queue(const PathSpec& spec, Duration time) {
    edge_.reset(), said_before_.clear(), lies_.clear();
    begin(spec);
    source->offer_unbounded();
    run_for(2s);
    std::vector<std::uint32_t> samples;
    for (const Time end = clock.now() + time; clock.now() < end;) {
      run_for(5ms);
      samples.push_back(static_cast<std::uint32_t>(bearer->downlink.buffer().bytes()));
    }
    const double used = goodput() / static_cast<double>(spec.bearer.downlink.rate);
    command(RemoveBearer{std::exchange(bearer, nullptr)});
    std::sort(samples.begin(), samples.end());
    return {samples[samples.size() / 2], samples.back(), used};
  }

  // A transfer through each stage at each scale; `rounds`: the edge may go back by less than two units of the
  // scale.
  void lie_at_all_scales(const std::vector<Lie>& kinds, bool rounds);

  std::optional<Edge> edge_;
  std::mt19937_64 dice_;
  std::vector<Buffer> said_before_, lies_;
  std::map<std::uint16_t, Buffer> truths_;  // by ident
  std::size_t lies_left_ = 0;
};

WindowRegulator::Config low_delay() {
  return {.form = WindowRegulator::Form::dynamic, .target = 40ms, .segments = 2};
}
std::vector<AckConfig> stages() {
  return {low_delay(), WindowRegulator::Config{}, AckRate::Config{}, AckRegulator::Config{}};
}

void HostileUe::lie_at_all_scales(const std::vector<Lie>& kinds, bool rounds) {
  for (const AckConfig& stage : stages()) {
    for (std::uint8_t scale = 0; scale <= 14; scale += step_of(14)) {
      for (std::uint32_t seed = 1; seed <= runs_of(4); ++seed) {
        SCOPED_TRACE("stage " + std::to_string(stage.index()) + ", scale " + std::to_string(scale) +
                     ", seed " + std::to_string(seed));
        may_retract = rounds ? (Offset{2} << scale) - 1 : 0;
        lie(kinds, 10, seed);
        transfer(path(stage, scale), 500'000);
        if (HasFailure()) return;
      }
    }
  }
}

TEST_F(HostileUe, TakesNothingBackAndLosesNothingAtAnyScale) {
  lie_at_all_scales({Lie::corrupt, Lie::far, Lie::old, Lie::again, Lie::fin, Lie::rst}, false);
}

// Sources that have got an ACK ahead of the truth do not heed the true ones behind it; to those that have
// not, these are no late ones. The two cannot advertise one edge exactly (RFC 7323 section 2.4).
TEST_F(HostileUe, TakesBackLessThanTwoUnitsBehindAcksAhead) {
  lie_at_all_scales({Lie::corrupt, Lie::far, Lie::ahead, Lie::old, Lie::again, Lie::fin, Lie::rst}, true);
}

TEST_F(HostileUe, GetsWhatItWouldGetWithoutItsCorruptSegments) {
  for (const AckConfig& stage : stages()) {
    SCOPED_TRACE(stage.index());
    heard = nullptr, ue_lies = nullptr;
    const double honest = transfer(path(stage, 7), 1'000'000);
    lie({Lie::corrupt, Lie::corrupt, Lie::corrupt}, 1, 1);
    EXPECT_GT(transfer(path(stage, 7), 1'000'000), 0.95 * honest);
  }
}

TEST_F(HostileUe, GetsNoLongerAQueueByAcksFarAhead) {
  const auto honest = queue(path(low_delay(), 7), 20s);
  lie({Lie::far}, 500, 3);
  const auto lying = queue(path(low_delay(), 7), 20s);
  EXPECT_GT(lying.used, 0.9);
  EXPECT_LE(lying.median, honest.median + 1500);
  EXPECT_LE(lying.most, honest.most + 3000);
}

// Once it is going, each of its ACKs speaks of twenty segments more than it has.
TEST_F(HostileUe, GetsNoLongerAQueueByOptimisticAcks) {
  for (const std::uint8_t scale : {1, 7, 11, 14}) {
    SCOPED_TRACE(unsigned{scale});
    PathSpec spec = path(low_delay(), scale);
    spec.wired = 100ms;
    ue_lies = nullptr;
    const auto honest = queue(spec, 20s);
    EXPECT_GT(honest.used, 0.9);
    ue_lies = [n = 0](Buffer& frame, std::vector<Buffer>&) mutable {
      if (++n <= 100) return;
      Forged f(std::move(frame));
      f.set_ack(f.ack() + 20 * 1460);
      f.set_checksum();
      frame = f.take();
    };
    const auto lying = queue(spec, 20s);
    const std::uint32_t unit = 1u << scale;
    EXPECT_LE(lying.median, honest.median + 3000 + unit);
    EXPECT_LE(lying.most, honest.most + 6000 + unit);
  }
}

TEST_F(HostileUe, GetsNoLongerAQueueByOldAcks) {
  for (const std::uint8_t scale : {1, 7, 11, 14}) {
    SCOPED_TRACE(unsigned{scale});
    heard = nullptr, ue_lies = nullptr;
    const auto honest = queue(path(low_delay(), scale), 20s);
    lie({Lie::old, Lie::old, Lie::old, Lie::old, Lie::old}, 1, 5);
    const auto lying = queue(path(low_delay(), scale), 20s);
    EXPECT_GT(lying.used, 0.98 * honest.used);
    EXPECT_LE(lying.median, honest.median + 1500);
    EXPECT_LE(lying.most, honest.most + 1500);
  }
}

}  // namespace
}  // namespace dp::test
