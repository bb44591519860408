// The cost of a packet must not grow with what is stored before it: every ACK stage, and the split proxy,
// looks at no more records for it when a bearer keeps 4,096 segments and ACKs than when it keeps 128;
// likewise fq-codel when 4,096 queues hold SDUs. A program of its own, in which the data plane counts the
// records that it looks at (base/looks.h).
#include <algorithm>
#include <functional>
#include <string>

#include "dataplane/ack/engines.h"
#include "dataplane/base/looks.h"
#include "dataplane/split/segment_queue.h"
#include "tests/support/types.h"
#include "tests/support/worker_bench.h"

namespace dp::test {
namespace {

static_assert(DP_CHECKED >= 2, "else nothing is counted");

constexpr std::uint32_t kSegment = 100, kIsn = 1000, kUeIsn = 5000;
constexpr std::uint8_t kShift = 8;
// Looks for one operation of a queue: half a ring moves, and the list of rings once.
constexpr std::uint64_t kMostMoved = 800;

std::uint32_t seq_of(std::uint32_t segment) { return kIsn + 1 + kSegment * segment; }

class WorkContract : public WorkerBench {
 protected:
  // A stage that keeps `most` segments and holds `most` ACKs. The toy acts at random.
  template <class S>
  static BearerSettings staged(std::uint32_t most, std::uint64_t rate) {
    typename S::Config config{};
    if constexpr (KeepsSegments<typename S::Config>) config.cache = most;
    return chain_of({config}, most, rate);
  }
  static BearerSettings chain_of(const std::vector<AckConfig>& stages, std::uint32_t most,
                                 std::uint64_t rate) {
    BearerSettings s = bearer_at(rate, 2 * most);
    s.downlink.buffer.bytes = 1u << 30;
    s.uplink.ack.stages = static_cast<std::uint32_t>(stages.size());
    std::copy(stages.begin(), stages.end(), s.uplink.ack.stage.begin());
    s.uplink.ack.max_held = most;
    return s;
  }
  // A proxy whose queue has `most` places. The UE answers nothing, so that it fills.
  static BearerSettings proxied(std::uint32_t most, std::uint64_t rate) {
    BearerSettings s = bearer_at(rate, 2 * most);
    s.downlink.buffer.bytes = 1u << 30;
    const std::uint32_t window =
        (most - SplitFlow::Capacity::kMoreSlots) / 2 * SplitFlow::Capacity::kShortestFull;
    s.proxy = SplitConfig{.window = window, .max_flows = 2, .store = 2 * window};
    return s;
  }

  void TearDown() override {
    command(RemoveBearer{bearer_});
    WorkerBench::TearDown();
  }

  void begin(const BearerSettings& settings) {
    if (bearer_ != nullptr) command(RemoveBearer{bearer_});
    bearer_ = &add(ue_ipv4(0x0a2d0002), settings, ++seed_);
    for (const std::uint16_t port : kPorts) open(port);
    io.sent.clear();
  }
  void open(std::uint16_t port) {
    const Buffer options = bytes({2, 4, 5, 180, 1, 3, 3, kShift, 1, 1, 4, 2});
    from_ue(port, {.seq = kUeIsn, .ack = 0, .tcp_flags = TcpView::kSyn, .tcp_options = options});
    from_source(port, {.seq = kIsn, .tcp_flags = TcpView::kSyn | TcpView::kAck, .tcp_options = options}, 0);
    advance(std::chrono::milliseconds{20});
    from_ue(port, {.ack = seq_of(0)});
  }

  void from_ue(std::uint16_t port, FrameSpec spec, std::size_t payload = 0) {
    spec.src = "10.45.0.2", spec.dst = "192.0.2.1", spec.sport = port, spec.dport = 80;
    spec.payload = payload;
    if (spec.seq == FrameSpec{}.seq) spec.seq = kUeIsn + 1;
    io.offer(Side::radio, spec);
    settle();
  }
  void from_source(std::uint16_t port, FrameSpec spec, std::size_t payload = kSegment) {
    spec.src = "192.0.2.1", spec.dst = "10.45.0.2", spec.sport = 80, spec.dport = port;
    spec.ack = kUeIsn + 1, spec.payload = payload;
    io.offer(Side::core, spec);
    settle();
  }
  void advance(Duration time) { run_until(clock.now() + time); }

  // The source sends `most` segments; the UE sends `most` ACKs that acknowledge none, and may be held.
  void fill(std::uint32_t most) {
    for (std::uint32_t n = 0; n < most; ++n) {
      from_source(kPorts[n % 8 == 7 ? 1 : 0], {.seq = seq_of(n % 8 == 7 ? n / 8 : n - n / 8)});
      advance(std::chrono::microseconds{10});
    }
    for (std::uint32_t n = 0; n < most; ++n) from_ue(kPorts[n % 8 == 7 ? 1 : 0], {.ack = seq_of(0)});
  }
  static std::uint32_t segments_of(std::uint32_t most) { return most - most / 8; }

  std::uint64_t split() { return shared->classes[0].split.flows[index(SplitState::split)].get(); }
  // The most records that are looked at for one packet of `packets`. The first, and one that ends a split
  // connection, do not count: the records that these free were paid for on arrival.
  std::uint64_t most_looks(int packets, const std::function<void(int)>& packet) {
    std::uint64_t most = 0;
    for (int i = 0; i < packets; ++i) {
      const std::uint64_t before = looks, connections = split();
      packet(i);
      if (i > 0 && split() == connections) most = std::max(most, looks - before);
      clock.advance(std::chrono::microseconds{1});
    }
    return most;
  }
  struct Pattern {
    std::string name;
    std::function<void(int)> packet;
    std::uint64_t most = kMost;
  };
  std::vector<Pattern> patterns(std::uint32_t most) {
    const std::uint32_t segments = segments_of(most);
    const auto any = [this, segments] { return 2 + chance_.below(segments - 3); };
    const auto sack = [this, any](int) {
      const std::uint32_t at = any();
      FrameSpec spec{.ack = seq_of(0), .tcp_options = bytes({1, 1, 5, 10})};
      detail::put32(spec.tcp_options, seq_of(at));
      detail::put32(spec.tcp_options, seq_of(at + 1));
      from_ue(kPorts[0], spec);
    };
    return {
        {"duplicate ACKs", [this](int) { from_ue(kPorts[0], {.ack = seq_of(0)}); }},
        {"duplicate ACKs of two connections in turn",
         [this](int i) { from_ue(kPorts[i % 2], {.ack = seq_of(0)}); }},
        // Whatever waits of a connection goes first, and stands behind all that waits of the other.
        {"data behind an ACK of the same connection",
         [this](int i) { from_ue(kPorts[1], {.ack = seq_of(0)}, i % 2 == 0 ? 10 : 0); }},
        {"old ACKs", [this](int i) { from_ue(kPorts[0], {.ack = kIsn - static_cast<std::uint32_t>(i)}); }},
        {"repeats of segments", [this, any](int) { from_source(kPorts[0], {.seq = seq_of(any())}); }},
        {"repeats of pieces", [this, any](int) { from_source(kPorts[0], {.seq = seq_of(any()) + 30}, 40); }},
        {"SACK blocks that move", sack, kMostRepairing},
        {"duplicate ACKs behind those", [this](int) { from_ue(kPorts[0], {.ack = seq_of(0)}); }},
        {"data far ahead",
         [this, segments](int i) {
           from_source(kPorts[0], {.seq = seq_of(segments + 20 + 2 * (199 - static_cast<std::uint32_t>(i)))});
         }},
        {"ACKs of nothing", [this, segments](int i) {
           from_ue(kPorts[0], {.ack = seq_of(segments) + 10 * static_cast<std::uint32_t>(i + 1)});
         }}};
  }

  template <class Settings>
  void expect_no_more_with_more(Settings&& settings) {
    for (const std::uint64_t rate : {std::uint64_t{1'000'000'000}, std::uint64_t{200'000}}) {
      std::vector<std::uint64_t> small;
      for (const std::uint32_t most : {128u, 4096u}) {
        const BearerSettings made = settings(most, rate);
        begin(made);
        fill(most);
        if (kept_segments(made.uplink.ack) != 0) {
          EXPECT_GT(shared->classes[0].acks.kept.get(), most / 4) << "else it shows nothing";
        }
        std::size_t i = 0;
        for (const Pattern& pattern : patterns(most)) {
          const std::uint64_t worst = most_looks(200, pattern.packet);
          EXPECT_LE(worst, pattern.most) << pattern.name << ", " << most << ", at " << rate;
          if (most == 128) {
            small.push_back(worst);
          } else if (pattern.most == kMost) {
            EXPECT_LE(worst, small[i] + kDeeper) << pattern.name << ", at " << rate;
          }
          ++i;
        }
      }
    }
  }

  static constexpr std::array<std::uint16_t, 2> kPorts{40000, 40001};
  // A tree of 4,096 is five levels deeper than one of 128, and a packet searches it a few times.
  static constexpr std::uint64_t kDeeper = 150;
  static constexpr std::uint64_t kMost = 200;
  // The UE lacks all, and 128 are sent again at a time.
  static constexpr std::uint64_t kMostRepairing = 128 * 60;

 private:
  Bearer* bearer_ = nullptr;
  std::uint64_t seed_ = 0;
  Rng chance_{1};
};

template <class S>
class AckWorkContract : public WorkContract {};
TYPED_TEST_SUITE(AckWorkContract, Types<AckEngines>::Type);

TYPED_TEST(AckWorkContract, LooksAtNoMoreRecordsForAPacketWhenMoreIsStored) {
  this->expect_no_more_with_more(&WorkContract::staged<TypeParam>);
}

TEST_F(WorkContract, OfFdaOverNewSnoopThePacketLooksAtNoMoreRecordsWhenMoreIsStored) {
  for (const bool in_buffer : {false, true}) {
    expect_no_more_with_more([in_buffer](std::uint32_t most, std::uint64_t rate) {
      Fda::Config fda;
      fda.threshold = {4}, fda.minsize = {2}, fda.weight = 1, fda.pr = 0.1, fda.loss = 1;
      NewSnoop::Config keeps{.cache = most};
      keeps.places = in_buffer ? Places::buffer : Places::apart;
      return chain_of({fda, keeps}, most, rate);
    });
  }
}

// The buffer is full, so that each arrival costs the largest queue a packet.
TEST_F(WorkContract, OfFqCodelThePacketLooksAtNoMoreQueuesWhenMoreHoldSomething) {
  for (const std::uint32_t most : {128u, 4096u}) {
    BearerSettings s = bearer_at(200'000, most);
    s.downlink.buffer.bytes = 1u << 30;
    FqCodelSpec::Config queues;
    queues.flows = 8192;
    s.downlink.aqm = queues;
    begin(s);
    const auto packet = [this](std::uint32_t flow) {
      from_source(static_cast<std::uint16_t>(1000 + flow), {.seq = 1});
    };
    for (std::uint32_t n = 0; n < 2 * most; ++n) packet(n);
    const std::uint64_t dropped = this->dropped(DropReason::buffer_sdus);
    EXPECT_GT(dropped, 0u) << "else it shows nothing";
    EXPECT_LE(most_looks(200, [&](int i) { packet(static_cast<std::uint32_t>(i) % most); }), kMost) << most;
    EXPECT_GT(this->dropped(DropReason::buffer_sdus), dropped);
  }
}

TEST_F(WorkContract, OfASplitProxyThePacketLooksAtNoMoreRecordsWhenMoreIsStored) {
  expect_no_more_with_more(&WorkContract::proxied);
}

// Half of what is stored lies before a hole and half behind it. The server fills the hole from its front, in
// pieces of an octet; from both ends in turn, which is the middle of all records; and repeats what is there.
TEST_F(WorkContract, OfASplitProxyAPieceInTheMiddleMovesNoMoreRecordsWhenMoreIsStored) {
  for (const std::uint32_t most : {1024u, 4096u, 16'384u}) {
    for (const bool turns : {false, true}) {
      begin(proxied(most, 200'000));
      const std::uint32_t half = most / 3, hole = seq_of(half), pieces = 2 * kSegment;
      for (std::uint32_t n = 0; n < 2 * half; ++n)
        from_source(kPorts[0], {.seq = seq_of(n < half ? n : n + 2)});
      ASSERT_EQ(split(), 1u);
      const auto stored = [this] { return shared->classes[0].split.stored_bytes.get(); };
      ASSERT_EQ(stored(), 2 * half * kSegment) << "else it shows nothing";
      const auto fill_octet = [&](int i) {
        const auto n = static_cast<std::uint32_t>(i);
        from_source(kPorts[0],
                    {.seq = hole + (turns && n % 2 == 1 ? pieces - 1 - n / 2
                                    : turns             ? n / 2
                                                        : n)},
                    1);
      };
      EXPECT_LE(most_looks(static_cast<int>(pieces), fill_octet), 3 * kMostMoved)
          << most << ", in turns: " << turns;
      EXPECT_EQ(stored(), (2 * half + 2) * kSegment);
      const auto repeat = [&](int i) {
        from_source(kPorts[0], {.seq = seq_of(half + static_cast<std::uint32_t>(i))});
      };
      EXPECT_LE(most_looks(50, repeat), kMost) << most;
    }
  }
}

TEST(SegmentQueueWork, IsBoundedWhateverTheOrder) {
  constexpr std::uint32_t kSlots = 24'680;  // the largest window
  SegmentQueue queue(kSlots);
  std::uint64_t worst = 0;
  const auto judged = [&](auto&& step) {
    const std::uint64_t before = looks;
    step();
    worst = std::max(worst, looks - before);
  };
  const auto segment = [](Offset begin) { return StoredSegment{.begin = begin, .length = 1}; };
  // From the ends to the middle, where octets without a gap can be joined.
  for (Offset n = 0; n < kSlots / 2; ++n) {
    judged([&] { queue.put(segment(n)); });
    judged([&] { queue.put(segment(kSlots - n)); });
  }
  ASSERT_TRUE(queue.full());
  // Each second of the lower half becomes one with its neighbour, and the octets amid the gap come in place.
  for (Offset n = 0; n < kSlots / 4; ++n) {
    const SegmentQueue::Position position = queue.find(2 * n);
    if (queue.at(position).end() != queue.at(queue.after(position)).begin) continue;
    judged([&] { queue.join(position, {.begin = 2 * n, .length = 2}); });
  }
  ASSERT_FALSE(queue.full());
  while (!queue.empty()) {
    judged([&] { queue.pop(); });
    if (!queue.empty()) judged([&] { queue.pop_last(); });
  }
  EXPECT_GT(worst, 0u);
  EXPECT_LE(worst, kMostMoved);
}

}  // namespace
}  // namespace dp::test
