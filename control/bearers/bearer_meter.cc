#include "control/bearers/bearer_meter.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "control/host/memory.h"
#include "dataplane/base/expect.h"
#include "dataplane/bearer/bearer.h"

namespace control {
namespace {

constexpr double kTimeConstant = 10;  // seconds, of the mean queue

double seconds(BearerMeter::Clock::duration d) { return std::chrono::duration<double>(d).count(); }

std::uint32_t last_bits(std::uint64_t n) { return static_cast<std::uint32_t>(n); }

}  // namespace

BearerMeter::BearerMeter() { static_assert(sizeof(Block) <= kBlock * kMeterBytes); }

BearerMeter::Counts BearerMeter::counts_of(const dp::RlcBuffer& buffer) {
  return {last_bits(buffer.delivered_bytes() >> kBytesShift), last_bits(buffer.dropped_full()),
          last_bits(buffer.dropped_by_aqm()), last_bits(buffer.marked_sdus())};
}

// The columns of a new block begin now: its bearers are younger.
void BearerMeter::grow(Clock::time_point now) {
  auto made = std::make_unique<Block>();
  made->now.at = made->before.at = now;
  for (auto& column : made->twos) column.at = now;
  for (auto& column : made->fifteens) column.at = now;
  const std::size_t first = blocks_.size() * kBlock;
  free_.reserve(free_.size() + kBlock);
  blocks_.push_back(std::move(made));
  for (std::size_t i = kBlock; i-- > 0;) free_.push_back(static_cast<Seat>(first + i));
}

// The columns have the counters of the new bearer from the beginning, so that only its own growth is told.
BearerMeter::Seat BearerMeter::add(const dp::UeAddress& ue, const dp::Bearer& bearer, Clock::time_point now) {
  if (free_.empty()) grow(now);
  const Seat seat = free_.back();
  free_.pop_back();
  Block& block = block_of(seat);
  const std::size_t i = seat % kBlock;
  DP_EXPECT(block.bearers[i] == nullptr);
  const Legs counts{counts_of(bearer.downlink.buffer()), counts_of(bearer.uplink.buffer())};
  block.bearers[i] = &bearer;
  block.ues[i] = ue;
  block.since[i] = now;
  block.queued[i] = {};
  block.delivered[i] = {};
  block.mean_queued[i] = {};
  block.set_rate[i] = {};
  block.now.entries[i] = block.before.entries[i] = counts;
  for (auto& column : block.twos) column.entries[i] = {counts[0].bytes, counts[1].bytes};
  for (auto& column : block.fifteens) column.entries[i] = counts;
  return seat;
}

void BearerMeter::remove(Seat seat) {
  DP_EXPECT(seat / kBlock < blocks_.size() && block_of(seat).bearers[seat % kBlock] != nullptr);
  block_of(seat).bearers[seat % kBlock] = nullptr;
  looked_at_.forget(seat);
  free_.push_back(seat);
}

bool BearerMeter::proceed(Clock::time_point until, Clock::time_point now) {
  looked_at_.sample(now, [this](Seat seat, dp::Direction d) {
    return block_of(seat).bearers[seat % kBlock]->leg(d).buffer().bytes();
  });
  if (next_ >= blocks_.size()) {
    if (now < due_) return false;
    due_ = std::max(due_ + kInterval, now + kInterval / 2);  // late samples do not come in a row
    ++samples_;
    next_ = 0;
  }
  while (next_ < blocks_.size()) {
    sample(*blocks_[next_++], now);
    now = std::max(now, Clock::now());
    if (now >= until) break;
  }
  return next_ < blocks_.size();
}

// A leg whose deliveries have not changed and that holds nothing has dropped nothing either, or will be seen
// with the next `all`: it costs one cache line. Bearers are fetched ahead.
void BearerMeter::sample_leg(Block& block, std::size_t seat, dp::Direction direction, float weight,
                             bool all) {
  const std::size_t d = dp::index(direction);
  const dp::RlcBuffer& buffer = block.bearers[seat]->leg(direction).buffer();
  const std::uint32_t bytes = buffer.bytes(), delivered = buffer.delivered_bytes_low();
  Counts& counts = block.now.entries[seat][d];
  counts = block.before.entries[seat][d];
  const bool still = delivered == block.delivered[seat][d] && bytes == 0 && block.queued[seat][d] == 0;
  if (!still || all) counts = counts_of(buffer);
  block.set_rate[seat][d] = static_cast<float>(buffer.rate());
  block.delivered[seat][d] = delivered;
  block.queued[seat][d] = bytes;
  block.mean_queued[seat][d] += weight * (static_cast<float>(bytes) - block.mean_queued[seat][d]);
}

void BearerMeter::sample(Block& block, Clock::time_point now) const {
  constexpr std::size_t kAhead = 12;
  const double passed = seconds(now - block.now.at);
  const auto weight = static_cast<float>(-std::expm1(-passed / kTimeConstant));
  const bool fifteenth = samples_ % kEveryFifteen == 0;
  std::swap(block.now, block.before);
  block.now.at = now;
  for (std::size_t i = 0; i < kBlock; ++i) {
    if (const std::size_t ahead = i + kAhead; ahead < kBlock && block.bearers[ahead] != nullptr) {
      for (const dp::Direction d : dp::kDirections) __builtin_prefetch(&block.bearers[ahead]->leg(d));
    }
    if (block.bearers[i] == nullptr) continue;
    for (const dp::Direction d : dp::kDirections) sample_leg(block, i, d, weight, fifteenth);
  }
  if (samples_ % kEveryTwo == 0) {
    auto& column = block.twos[block.last_two = (block.last_two + 1) % kTwos];
    column.at = now;
    for (std::size_t i = 0; i < kBlock; ++i) {
      for (std::size_t d = 0; d < 2; ++d) column.entries[i][d] = block.now.entries[i][d].bytes;
    }
  }
  if (fifteenth) block.fifteens[block.last_fifteen = (block.last_fifteen + 1) % kFifteens] = block.now;
}

BearerMeter::Growth BearerMeter::growth(Seat seat, dp::Direction direction, Span span) const {
  const Block& block = block_of(seat);
  const std::size_t i = seat % kBlock, d = dp::index(direction);
  DP_EXPECT(block.bearers[i] != nullptr);
  const Counts now = block.now.entries[i][d];
  Counts then = block.before.entries[i][d];
  Clock::time_point at = block.before.at;
  if (span == Span::ten) {
    const auto& column = block.twos[(block.last_two + 1) % kTwos];
    then = now;
    then.bytes = column.entries[i][d];
    at = column.at;
  } else if (span != Span::second) {
    const std::size_t later = span == Span::minute ? 1 : kFifteens - 1;
    const auto& column = block.fifteens[(block.last_fifteen + later) % kFifteens];
    then = column.entries[i][d];
    at = column.at;
  }
  Growth growth;
  growth.seconds = std::max(seconds(block.now.at - std::max(at, block.since[i])), 0.0);
  growth.bytes = std::uint64_t{now.bytes - then.bytes} << kBytesShift;
  growth.dropped_full = now.dropped_full - then.dropped_full;
  growth.dropped_by_aqm = now.dropped_by_aqm - then.dropped_by_aqm;
  growth.marked = now.marked - then.marked;
  return growth;
}

std::uint32_t BearerMeter::queued(Seat seat, dp::Direction direction) const {
  return block_of(seat).queued[seat % kBlock][dp::index(direction)];
}

double BearerMeter::mean_queued(Seat seat, dp::Direction direction) const {
  return block_of(seat).mean_queued[seat % kBlock][dp::index(direction)];
}

double BearerMeter::set_rate(Seat seat, dp::Direction direction) const {
  return block_of(seat).set_rate[seat % kBlock][dp::index(direction)];
}

}  // namespace control
