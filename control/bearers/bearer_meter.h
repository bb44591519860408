// Deliveries, drops, marks and queues of all bearers over the last minute: their counters are sampled once a
// second. The path counts nothing for it. Belongs to the control thread.
#pragma once
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "control/bearers/queue_samples.h"
#include "dataplane/base/address.h"
#include "dataplane/base/ids.h"

namespace dp {
class RlcBuffer;
struct Bearer;
}  // namespace dp

namespace control {

class BearerMeter {
 public:
  using Clock = std::chrono::steady_clock;
  // The place of a bearer in here, until it is removed.
  using Seat = std::uint32_t;
  static constexpr Seat kNoSeat = ~Seat{0};
  // A sample comes once in this time, or later if control has other work.
  static constexpr std::chrono::seconds kInterval{1};
  // The spans over which growth is told: the last second, the last 10 to 12 (deliveries only), the last 15 to
  // 30, and the last 60 to 75.
  enum class Span : std::uint8_t { second, ten, half_minute, minute };

  // The growth of a leg's counters.
  struct Growth {
    double seconds = 0;              // for which it is known; 0 before the second sample
    std::uint64_t bytes = 0;         // delivered, IP bytes, in steps of 16
    std::uint64_t dropped_full = 0;  // SDUs, as SduStore has them; modulo 2^32
    std::uint64_t dropped_by_aqm = 0;
    std::uint64_t marked = 0;
    double rate() const { return seconds > 0 ? static_cast<double>(bytes) * 8 / seconds : 0; }  // bit/s
    std::uint64_t dropped() const { return dropped_full + dropped_by_aqm; }
    double per_second(std::uint64_t count) const {
      return seconds > 0 ? static_cast<double>(count) / seconds : 0;
    }
  };

  BearerMeter();

  // Takes a bearer up, with the UE that it has. Requires: it lives until remove().
  Seat add(const dp::UeAddress& ue, const dp::Bearer& bearer, Clock::time_point now = Clock::now());
  // Requires: add() gave the seat.
  void remove(Seat seat);

  // Goes on with the sample that is due, a block of bearers at a time, until the time has come. True while
  // there is more to sample.
  bool proceed(Clock::time_point until, Clock::time_point now = Clock::now());

  // Requires, for all of these: the seat is taken.
  Growth growth(Seat seat, dp::Direction direction, Span span) const;
  // The queue at the last sample, and its mean, by samples whose weight falls with a time constant of 10 s;
  // bytes.
  std::uint32_t queued(Seat seat, dp::Direction direction) const;
  double mean_queued(Seat seat, dp::Direction direction) const;
  // The rate at which the leg is served, as set, at the last sample; bit/s.
  double set_rate(Seat seat, dp::Direction direction) const;

  // Samples the bearer's queue more often for a while, for p99_queued(): none until there are enough samples.
  void attend(Seat seat, Clock::time_point now = Clock::now()) { looked_at_.attend(seat, now); }
  std::optional<std::uint32_t> p99_queued(Seat seat, dp::Direction direction) const {
    return looked_at_.p99(seat, direction);
  }

  // Calls f(seat, ue) for the bearers of a block; blocks are numbered from 0.
  std::size_t blocks() const { return blocks_.size(); }
  template <class F>
  void for_each(std::size_t block, F&& f) const {
    const Block& all = *blocks_[block];
    for (std::size_t i = 0; i < kBlock; ++i) {
      if (all.bearers[i] != nullptr) f(static_cast<Seat>(block * kBlock + i), all.ues[i]);
    }
  }

 private:
  static constexpr std::size_t kBlock = 1024;
  // Samples are kept of every second, for one second; of every other, for 10 to 12; of every fifteenth, for
  // 60 to 75.
  static constexpr std::uint64_t kEveryTwo = 2, kEveryFifteen = 15;
  static constexpr std::size_t kTwos = 6, kFifteens = 5;
  static constexpr unsigned kBytesShift = 4;

  // Counters of one leg, their last 32 bits: only differences count.
  struct Counts {
    std::uint32_t bytes = 0;  // in steps of 16
    std::uint32_t dropped_full = 0, dropped_by_aqm = 0, marked = 0;
  };
  using Legs = std::array<Counts, 2>;
  template <class Entry>
  struct Column {
    Clock::time_point at{};
    std::array<Entry, kBlock> entries{};
  };

  struct Block {
    std::array<const dp::Bearer*, kBlock> bearers{};  // null: a free seat
    std::array<dp::UeAddress, kBlock> ues{};
    std::array<Clock::time_point, kBlock> since{};
    std::array<std::array<std::uint32_t, 2>, kBlock> queued{};
    std::array<std::array<std::uint32_t, 2>, kBlock> delivered{};  // its last 32 bits: a change is looked for
    std::array<std::array<float, 2>, kBlock> mean_queued{};
    std::array<std::array<float, 2>, kBlock> set_rate{};
    Column<Legs> now, before;
    std::array<Column<std::array<std::uint32_t, 2>>, kTwos> twos;  // bytes as in Counts
    std::array<Column<Legs>, kFifteens> fifteens;
    std::size_t last_two = 0, last_fifteen = 0;
  };

  static Counts counts_of(const dp::RlcBuffer& buffer);
  void sample(Block& block, Clock::time_point now) const;
  static void sample_leg(Block& block, std::size_t seat, dp::Direction direction, float weight, bool all);
  Block& block_of(Seat seat) const { return *blocks_[seat / kBlock]; }
  void grow(Clock::time_point now);

  std::vector<std::unique_ptr<Block>> blocks_;
  std::vector<Seat> free_;
  QueueSamples looked_at_;
  std::uint64_t samples_ = 0;  // begun
  std::size_t next_ = 0;       // the block with which the sample goes on; none left: it is complete
  Clock::time_point due_{};
};

}  // namespace control
