#include "control/capture/captures.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "control/loop/log.h"
#include "dataplane/base/expect.h"

namespace control {
namespace {

constexpr std::chrono::seconds kUnread{60};  // a capture that has ended is kept for its client for so long
constexpr std::size_t kBetweenLooks = 64;    // records, at the clock

std::int64_t ns_of_zero(dp::Time now) {
  const auto wall = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(wall).count() - dp::ns(now);
}

}  // namespace

void Captures::begin(CaptureWish wish, OnBegun begun) {
  admit(wish);
  make_taps();
  const dp::Time now = runtime_.now();
  const std::uint64_t id = next_id_++;
  captures_.push_back({id, free_slot(), Capture(std::move(wish), ns_of_zero(now), now)});
  Entry& entry = captures_.back();
  for (std::size_t point = 0; point < dp::kTapPoints; ++point) {
    entry.lost_before[point] = lost_in_taps(entry.slot, point);
  }
  tell_workers([this, id, begun = std::move(begun)] {
    const auto at = std::ranges::find(captures_, id, &Entry::id);
    DP_EXPECT(at != captures_.end() && at->stage == Stage::beginning);
    at->stage = Stage::running;
    at->until = Clock::now() + at->capture.wish().time;
    begun(id);
  });
}

void Captures::admit(const CaptureWish& wish) const {
  const auto own = [&](const Entry& entry) { return entry.capture.wish().owner.is(wish.owner); };
  if (std::ranges::any_of(captures_, own)) {
    throw CaptureRefused(
        "found a capture of this connection that has not ended, expected none; stop it and read it to its "
        "end, or connect again");
  }
  if (captures_.size() == dp::kMostCaptures) {
    throw CaptureRefused(
        fmt::format("found {} captures, the most at a time; wait until one has ended", dp::kMostCaptures));
  }
  const std::uint64_t needed = runtime_.workers() * dp::Tap::bytes_for() + Capture::kMostWaiting;
  if (taps_.empty() && available_() < 2 * needed) {
    throw CaptureRefused(fmt::format("found {} bytes of memory available, expected {}; free memory",
                                     available_(), 2 * needed));
  }
}

std::size_t Captures::free_slot() const {
  std::size_t slot = 0;
  while (std::ranges::find(captures_, slot, &Entry::slot) != captures_.end()) ++slot;
  DP_EXPECT(slot < dp::kMostCaptures);
  return slot;
}

void Captures::make_taps() {
  while (taps_.size() < runtime_.workers()) taps_.push_back(std::make_unique<dp::Tap>());
}

// The callback keeps what the workers have used until then.
void Captures::tell_workers(std::function<void()> answered) {
  auto next = std::make_shared<Lent>();
  for (const auto& tap : taps_) next->taps.push_back(tap.get());
  for (const Entry& entry : captures_) {
    if (entry.stage <= Stage::running) next->plan.filters[entry.slot] = entry.capture.wish().what;
  }
  const bool any = std::ranges::any_of(captures_, [](const Entry& e) { return e.stage <= Stage::running; });
  const auto before = std::exchange(lent_, next);
  sender_.send(dp::SetTap{any ? &next->plan : nullptr, next->taps},
               [next, before, answered = std::move(answered)](const dp::Answer&) { answered(); });
}

Captures::Entry& Captures::find(std::uint64_t id, const Client& by) {
  const auto at = std::ranges::find_if(
      captures_, [&](const Entry& e) { return e.id == id && e.capture.wish().owner.is(by); });
  if (at != captures_.end()) return *at;
  throw CaptureRefused(
      fmt::format("id: found {}, expected the number that capture.start has answered on this connection, of "
                  "a capture that was not read to its end",
                  id));
}

// Once the last has gone the workers have no tap, and the taps go too.
template <class Which>
void Captures::forget(Which which) {
  std::erase_if(captures_, which);
  if (!captures_.empty()) return;
  taps_.clear();
  more_ = false;
}

Captures::Piece Captures::read(std::uint64_t id, const Client& by) {
  Entry& entry = find(id, by);
  Piece piece{.bytes = entry.capture.next_piece(),
              .frames = entry.capture.frames(),
              .lost = entry.capture.lost(),
              .why = entry.why};
  piece.ended = entry.stage == Stage::over && !entry.capture.has_text();
  if (piece.ended) forget([id](const Entry& one) { return one.id == id; });
  return piece;
}

void Captures::stop(std::uint64_t id, const Client& by) {
  Entry& entry = find(id, by);
  if (entry.stage == Stage::running) end(entry, "stopped");
}

void Captures::end(Entry& entry, std::string_view why) {
  DP_EXPECT(entry.stage == Stage::running);
  entry.stage = Stage::ending;
  entry.why = why;
  tell_workers([this, id = entry.id] {
    const auto at = std::ranges::find(captures_, id, &Entry::id);
    DP_EXPECT(at != captures_.end());
    for (const auto& tap : taps_) at->last_marks.push_back(tap->ring().published());
    at->stage = Stage::drained;
  });
}

void Captures::check_ends(Clock::time_point now) {
  for (Entry& entry : captures_) {
    if (entry.stage != Stage::running) continue;
    if (entry.capture.wish().owner.left()) {
      end(entry, "client left");
    } else if (entry.capture.full()) {
      end(entry, "frames");
    } else if (now >= entry.until) {
      end(entry, "time");
    }
  }
}

void Captures::poll(Clock::time_point until) {
  if (captures_.empty()) return;
  check_ends(Clock::now());
  more_ = drain(until);
  const auto now = Clock::now();
  finish_ended(now);
  forget([now](const Entry& one) {
    return one.stage == Stage::over && (now >= one.until || one.capture.wish().owner.left());
  });
}

// True if it could go on.
bool Captures::drain(Clock::time_point until) {
  for (Entry& entry : captures_) count_losses(entry);
  const dp::Time newest = horizon();
  for (std::size_t n = 1;; ++n) {
    dp::TapRing* const ring = ring_with_oldest(newest);
    if (ring == nullptr) return false;
    deliver(*ring->front());
    ring->pop();
    if (n % kBetweenLooks == 0 && Clock::now() >= until) return true;
  }
}

// Records up to here have come from all workers. With one worker that is all that there are.
dp::Time Captures::horizon() const {
  dp::Time horizon = dp::kNever;
  if (taps_.size() == 1) return horizon;
  for (std::size_t w = 0; w < taps_.size(); ++w) {
    horizon = std::min(horizon, runtime_.shared(w).snapshot.read().now);
  }
  return horizon;
}

dp::TapRing* Captures::ring_with_oldest(dp::Time horizon) {
  dp::TapRing* oldest = nullptr;
  dp::Time at{};
  for (const auto& tap : taps_) {
    const dp::TapRecord* const record = tap->ring().front();
    if (record == nullptr || record->at > horizon || (oldest != nullptr && record->at >= at)) continue;
    oldest = &tap->ring();
    at = record->at;
  }
  return oldest;
}

void Captures::deliver(const dp::TapRecord& record) {
  for (Entry& entry : captures_) {
    if ((record.captures & dp::TapPlan::bit(entry.slot)) != 0) entry.capture.take(record);
  }
}

void Captures::count_losses(Entry& entry) {
  if (entry.stage == Stage::over) return;
  for (std::size_t point = 0; point < dp::kTapPoints; ++point) {
    entry.capture.set_lost(static_cast<dp::TapPoint>(point),
                           lost_in_taps(entry.slot, point) - entry.lost_before[point]);
  }
}

std::uint64_t Captures::lost_in_taps(std::size_t slot, std::size_t point) const {
  std::uint64_t sum = 0;
  for (const auto& tap : taps_) sum += tap->lost(slot, static_cast<dp::TapPoint>(point));
  return sum;
}

void Captures::finish_ended(Clock::time_point now) {
  for (Entry& entry : captures_) {
    if (entry.stage != Stage::drained) continue;
    bool all = true;
    for (std::size_t w = 0; w < taps_.size(); ++w) all &= taps_[w]->ring().popped() >= entry.last_marks[w];
    if (!all) continue;
    entry.capture.end(runtime_.now());
    entry.stage = Stage::over;
    entry.until = now + kUnread;
    const CaptureWish& wish = entry.capture.wish();
    log::info(Event::capture_ended, {{"id", entry.id},
                                     {"for", wish.name},
                                     {"pid", wish.pid},
                                     {"uid", wish.uid},
                                     {"frames", entry.capture.frames()},
                                     {"lost", entry.capture.lost()},
                                     {"why", entry.why}});
  }
}

}  // namespace control
