// A TCP source and a UE on either side of a worker whose bearer has a split proxy. Both wires are checked:
// segments to the source against those that have come to the box and the UE's ACKs, segments to the UE
// against its window.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <set>

#include "tests/unit/ack/property_bench.h"

namespace dp::test {

class SplitBench : public PathBench {
 protected:
  // A UE that connects over a bearer of 2 Mbit/s with a split proxy.
  static PathSpec plain(std::uint32_t seed = 1) {
    PathSpec s;
    s.seed = seed;
    s.bearer = bearer_at(2'000'000, 40);
    s.bearer.proxy = SplitConfig{.window = 65'536};
    s.wired = std::chrono::milliseconds(20);
    s.radio = std::chrono::milliseconds(30);
    s.sender.congestion = SackReno::Config{};
    s.receiver.window = 200'000;
    s.receiver.window_scale = 4;
    s.ue_connects = true;
    return s;
  }
  void begin_split(const PathSpec& spec) {
    wires_ = Wires();
    // The advertised edge is up to two units of the scale beyond the window, and may go back by less than
    // one.
    rounding = Offset{3} << spec.receiver.window_scale;
    looks_at_source = [this](const TcpSegment& s) { hold_at_source(s); };
    looks_at_ue = [this](const TcpSegment& s, Bytes) { hold_at_ue(s); };
    came = [this](bool from_source, const TcpSegment& s) { from_source ? note_source(s) : note_ue(s); };
    begin(spec);
  }

  ClassSplitCounters& counters() { return shared->classes[0].split; }
  std::uint64_t created(Creation why) const {
    std::uint64_t sum = 0;
    for (const auto& port : worker->context().account.created)
      sum += port[static_cast<std::size_t>(why)].frames;
    return sum;
  }
  // Octets that the UE may have lost if the box died now.
  std::uint64_t at_risk() { return counters().at_risk_bytes.get(); }
  Offset told() const { return wires_.number; }
  Offset ue_said() const { return wires_.ue_acked; }

  // The connection has come to its end, everywhere.
  bool run_to_both_ends(Duration limit) {
    const Time end = clock.now() + limit;
    while (clock.now() < end && !(source->all_acked() && ue->finished()))
      run_for(std::chrono::milliseconds(500));
    return source->all_acked() && ue->finished();
  }

  Offset rounding = 0;  // by how much the source's right edge may go back
  bool resets_expected = false;

 private:
  struct Wires {
    SeqSpace source{};
    bool anchored = false, stamped = false, was_told = false;
    std::map<Offset, Offset> here;  // octets of the source's that came to the box: [first, second)
    Offset next = 0;                // in order until here
    Offset fin = -1;                // beyond the source's FIN, once it came
    Offset ue_acked = 0, ue_edge = 0;
    Offset number = 0, edge = 0;  // the highest that left for the source
    std::set<std::uint32_t> ue_stamps;
    std::uint32_t stamp = 0;
    Offset to_ue_acked = 0;  // the highest octet of the UE's stream that was acknowledged to the UE
    bool ue_told = false;
  };

  void note_source(const TcpSegment& s) {
    if (!wires_.anchored) wires_.source = SeqSpace(source->connection().own()), wires_.anchored = true;
    const Offset begin = wires_.source.offset(s.seq, wires_.next);
    const bool fin = s.has(TcpView::kFin);
    const Offset end =
        begin + static_cast<Offset>(s.payload.size()) + (s.has(TcpView::kSyn) ? 1 : 0) + (fin ? 1 : 0);
    if (fin) wires_.fin = end;
    if (end > begin) add(begin, end);
  }
  void add(Offset begin, Offset end) {
    auto& here = wires_.here;
    auto it = here.upper_bound(begin);
    if (it != here.begin() && std::prev(it)->second >= begin) --it;
    while (it != here.end() && it->first <= end) {
      begin = std::min(begin, it->first);
      end = std::max(end, it->second);
      it = here.erase(it);
    }
    here[begin] = end;
    if (here.begin()->first <= wires_.next) wires_.next = std::max(wires_.next, here.begin()->second);
  }
  void note_ue(const TcpSegment& s) {
    if (!wires_.anchored) wires_.source = SeqSpace(source->connection().own()), wires_.anchored = true;
    if (s.timestamps) wires_.ue_stamps.insert(s.timestamps->value);
    if (!s.has(TcpView::kAck)) return;
    const Offset number = wires_.source.offset(s.ack, wires_.ue_acked);
    const unsigned shift = s.has(TcpView::kSyn) ? 0 : ue->connection().agreed().own_shift;
    wires_.ue_acked = std::max(wires_.ue_acked, number);
    wires_.ue_edge = std::max(wires_.ue_edge, number + (Offset{s.window} << shift));
  }

  void hold_at_source(const TcpSegment& s) {
    if (s.has(TcpView::kRst)) {
      EXPECT_TRUE(resets_expected) << "a reset for the source";
      return;
    }
    if (s.timestamps) {
      ASSERT_TRUE(wires_.ue_stamps.contains(s.timestamps->value)) << "a timestamp that the UE never wrote";
    }
    if (!s.has(TcpView::kAck)) return;
    const Offset number = wires_.source.offset(s.ack, wires_.number);
    const unsigned shift = s.has(TcpView::kSyn) ? 0 : ue->connection().agreed().own_shift;
    const Offset edge = number + (Offset{s.window} << shift);
    ASSERT_LE(number, std::max(wires_.next, wires_.ue_acked)) << "an ACK of what did not come";
    if (wires_.fin >= 0 && number >= wires_.fin) {
      ASSERT_GE(wires_.ue_acked, wires_.fin) << "the FIN before the UE";
    }
    // An ACK that was overtaken on the way here is old to the source too.
    if (number >= wires_.number) {
      if (wires_.was_told && !s.has(TcpView::kSyn)) {
        ASSERT_GE(edge, wires_.edge - rounding) << "the right edge goes back";
      }
      wires_.number = number;
      wires_.edge = std::max(wires_.edge, edge);
      wires_.was_told = true;
      if (s.timestamps) {
        ASSERT_FALSE(wires_.stamped && stamp_before(s.timestamps->value, wires_.stamp))
            << "a timestamp goes back";
        wires_.stamp = s.timestamps->value;
        wires_.stamped = true;
      }
    }
    for (std::size_t i = 0; i < s.block_count; ++i) {
      const Offset left = wires_.source.offset(s.blocks[i].left, number);
      const Offset right = wires_.source.offset(s.blocks[i].right, number);
      auto it = wires_.here.upper_bound(left);
      ASSERT_TRUE(it != wires_.here.begin() && std::prev(it)->second >= right)
          << "a block of what did not come";
    }
  }

  void hold_at_ue(const TcpSegment& s) {
    if (s.has(TcpView::kRst)) {
      EXPECT_TRUE(resets_expected) << "a reset for the UE";
      return;
    }
    if (s.has(TcpView::kAck)) {
      const Offset number = ue->connection().own().offset(s.ack, wires_.to_ue_acked);
      ASSERT_TRUE(!wires_.ue_told || number >= wires_.to_ue_acked) << "an ACK to the UE goes back";
      wires_.to_ue_acked = number;
      wires_.ue_told = true;
    }
    if (s.payload.empty() || !wires_.anchored) return;
    const Offset begin = wires_.source.offset(s.seq, wires_.ue_acked);
    const Offset end = begin + static_cast<Offset>(s.payload.size());
    // One octet may probe a closed window.
    ASSERT_LE(end, wires_.ue_edge + 1) << "beyond the UE's window";
    auto it = wires_.here.upper_bound(begin);
    ASSERT_TRUE(it != wires_.here.begin() && std::prev(it)->second >= end) << "octets that never came";
  }

  Wires wires_;
};

}  // namespace dp::test
