// The server's FIN among pieces that come in any order: the UE gets the octets before it and no others, and
// the proxy never acknowledges an octet that has not arrived.
#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <vector>

#include "tests/support/runs.h"
#include "tests/unit/split/words_bench.h"

namespace dp::test {
namespace {

constexpr std::uint8_t kFinAck = kFin | kAck;

// Places are those of the stream, as in Said::seq: 1 is the first octet of data.
class SplitFin : public SplitWords {
 protected:
  // The octets that one end has of the stream, in any order, and the lowest FIN.
  struct Stream {
    static constexpr std::uint32_t kMost = 65'536;
    std::vector<bool> here = std::vector<bool>(kMost);
    std::uint32_t fin = kMost;
    std::set<std::uint32_t> fins;

    void add(std::uint32_t from, std::size_t payload, bool ends) {
      const auto to = from + static_cast<std::uint32_t>(payload);
      for (std::uint32_t at = from; at < to; ++at) here[at] = true;
      if (ends) fins.insert(to), fin = std::min(fin, to);
    }
    // The first octet that is not here; the FIN's place if all before it is.
    std::uint32_t next() const {
      std::uint32_t at = 1;
      while (at < fin && here[at]) ++at;
      return at;
    }
  };

  // A segment of a stream whose FIN stands at this place.
  void begin_stream(std::uint32_t fin) {
    if (bearer != nullptr) command(RemoveBearer{std::exchange(bearer, nullptr)});
    command(DrainProxies{.on = false});
    begin();
    open();
    came = heard = Stream();
    ue_acked = told = 1;
    ends_at = fin;
  }
  void say(const Said& s) {
    came.add(s.seq, s.payload, (s.flags & kFin) != 0);
    server(s);
    look();
  }
  void acknowledge() {
    ue_acked = heard.next() + (heard.next() == heard.fin ? 1 : 0);
    ue({.seq = 1, .ack = ue_acked});
    look();
  }
  // Octets that reach the UE have come from the server, and so have those that the server gets acknowledged.
  void look() {
    for (const Seen& s : seen()) s.side == Side::radio ? hold_at_ue(s) : hold_at_server(s);
  }
  void hold_at_ue(const Seen& s) {
    const std::uint32_t from = position(s);
    for (std::uint32_t i = 0; i < s.segment.payload.size() && from + i < ends_at; ++i) {
      ASSERT_TRUE(came.here[from + i]) << "an octet that never came: " << from + i;
      ASSERT_EQ(std::to_integer<std::uint32_t>(s.segment.payload[i]), (from + i - 1) % 256) << from + i;
    }
    heard.add(from, s.segment.payload.size(), s.segment.has(kFin));
  }
  void hold_at_server(const Seen& s) {
    told = std::max(told, number(s));
    ASSERT_LE(told, std::max(came.next(), ue_acked)) << "an octet that nobody has";
    for (std::size_t i = 0; i < s.segment.block_count; ++i) {
      const std::uint32_t right = s.segment.blocks[i].right - kServerIsn;
      for (std::uint32_t at = s.segment.blocks[i].left - kServerIsn; at < right; ++at) {
        ASSERT_TRUE(came.here[at] || came.fins.contains(at)) << "a block of what never came: " << at;
      }
    }
  }

  // Both ends close, if the server repeats what it must: with `again`, all octets without an ACK.
  void expect_the_end(bool again) {
    for (int turn = 0; turn < 20 && told <= ends_at && !HasFatalFailure(); ++turn) {
      for (std::uint32_t at = told - (told - 1) % 256; again && at <= ends_at; at += 768) {
        const std::uint32_t size = std::min(768u, ends_at - at);
        say({.seq = at, .payload = size, .flags = at + size == ends_at ? kFinAck : kAck});
      }
      run_for(1500ms);
      look();
      acknowledge();
    }
    EXPECT_EQ(heard.next(), ends_at);
    EXPECT_EQ(heard.fin, ends_at);
    EXPECT_EQ(told, ends_at + 1);
    EXPECT_EQ(bearer->proxy->split(), 0u);
    EXPECT_FALSE(bearer->proxy->holds());
  }

  Stream came, heard;  // at the box, and at the UE
  std::uint32_t ue_acked = 1, told = 1, ends_at = 1;
};

// One piece holds the FIN, one lies before it, and one claims octets behind it.
TEST_F(SplitFin, AmidThreePiecesEndsTheStreamInEveryOrder) {
  for (const std::uint32_t n : {1u, 256u, kMss - 1, kMss, kMss + 1, 1400u}) {
    for (const bool draining : {false, true}) {
      std::array order{0, 1, 2};
      do {
        SCOPED_TRACE(testing::Message() << n << " octets, order " << order[0] << order[1] << order[2]
                                        << (draining ? ", in a drain" : ""));
        begin_stream(2049 + n);
        for (const std::uint32_t at : {1u, 513u}) say({.seq = at, .payload = 512});
        ASSERT_EQ(told, 1025u);
        if (draining) command(DrainProxies{.on = true});
        for (const int i : order) {
          if (i == 0) say({.seq = 1025, .payload = 1024});
          if (i == 1) say({.seq = 2049, .payload = n, .flags = kFinAck});
          if (i == 2) say({.seq = 2049 + n + 1, .payload = n});
        }
        expect_the_end(draining);
      } while (!HasFailure() && std::next_permutation(order.begin(), order.end()));
      if (HasFailure()) return;
    }
  }
}

TEST_F(SplitFin, OfAnyPieceEndsTheStreamInEveryOrder) {
  for (std::uint32_t with_fin = 0; with_fin < 4; ++with_fin) {
    std::array order{0u, 1u, 2u, 3u};
    do {
      SCOPED_TRACE(testing::Message()
                   << "FIN in " << with_fin << ", order " << order[0] << order[1] << order[2] << order[3]);
      begin_stream(1 + (with_fin + 1) * 1024);
      for (const std::uint32_t i : order) {
        say({.seq = 1 + i * 1024, .payload = 1024, .flags = i == with_fin ? kFinAck : kAck});
      }
      expect_the_end(false);
    } while (!HasFailure() && std::next_permutation(order.begin(), order.end()));
    if (HasFailure()) return;
  }
}

TEST_F(SplitFin, ThatIsTheLowestEndsTheStreamWhicheverCameFirst) {
  for (const bool lowest_first : {false, true}) {
    begin_stream(2049);
    const Said low{.seq = 1025, .payload = 1024, .flags = kFinAck};
    const Said high{.seq = 2050, .payload = 700, .flags = kFinAck};
    say(lowest_first ? low : high);
    say(lowest_first ? high : low);
    say({.seq = 1, .payload = 1024});
    expect_the_end(false);
    if (HasFailure()) return;
  }
}

TEST_F(SplitFin, ByItselfIsTakenBeforeAndAfterTheDataThatItEnds) {
  for (const bool first : {false, true}) {
    begin_stream(1025);
    if (first) say({.seq = 1025, .flags = kFinAck});
    say({.seq = 1, .payload = 1024});
    if (!first) say({.seq = 1025, .flags = kFinAck});
    expect_the_end(false);
    if (HasFailure()) return;
  }
}

// Pieces of a stream in any order and again, octets and FINs behind its end, drains that come and go.
TEST_F(SplitFin, OfRandomPiecesEndsTheStreamAndEveryOctetBeforeItArrives) {
  for (std::uint32_t seed = 1; seed <= runs_of(300); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 draw(seed);
    const std::uint32_t blocks = 1 + draw() % 40, rest = draw() % 256;
    begin_stream(1 + blocks * 256 + rest);
    for (std::uint32_t i = 0, n = 10 + draw() % 60; i < n && !HasFatalFailure(); ++i) {
      const std::uint32_t at = 1 + draw() % (blocks + 1) * 256;
      const std::uint32_t size = std::min<std::uint32_t>(draw() % 6 * 256 + draw() % 120, ends_at - at);
      const std::uint32_t behind = ends_at + 1 + draw() % 3 * 256;
      switch (draw() % 8) {
        case 0:
          say({.seq = behind, .payload = 1 + draw() % 1400, .flags = draw() % 4 == 0 ? kFinAck : kAck});
          break;
        case 1:
          acknowledge();
          break;
        case 2:
          if (draw() % 4 == 0) command(DrainProxies{.on = draw() % 2 == 0});
          break;
        default:
          say({.seq = at, .payload = size, .flags = at + size == ends_at ? kFinAck : kAck});
      }
    }
    expect_the_end(true);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace dp::test
