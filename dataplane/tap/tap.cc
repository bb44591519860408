#include "dataplane/tap/tap.h"

#include <algorithm>
#include <cstring>

#include "dataplane/base/expect.h"
#include "dataplane/packet/context.h"

namespace dp {

void note_made(Tap& tap, const Sdu& sdu, Creation why) noexcept { tap.made(sdu, why); }

void Tap::arrived(const Sdu& frame, const Sdu& parsed, const TapNote& note, Time now) noexcept {
  if (write(frame, parsed, note, now) == nullptr) lose(note.captures, note.point);
}

void Tap::dropped(const Sdu& frame, const Sdu& parsed, const TapNote& note, Time now) noexcept {
  TapRecord* const record = write(frame, parsed, note, now);
  if (record == nullptr) return lose(note.captures, note.point);
  record->reason = frame.dropped_for;
}

void Tap::departs(std::size_t place, const Sdu& frame, const Sdu& parsed, const TapNote& note,
                  Time now) noexcept {
  DP_EXPECT(departing_size_ < departing_.size());
  if (departing_size_ == 0) departing_from_ = ring_.mark();
  const bool written = write(frame, parsed, note, now) != nullptr;
  departing_[departing_size_++] = {place, ring_.mark(), written ? CaptureBits{0} : note.captures, note.point};
}

void Tap::departed(std::size_t taken) noexcept {
  if (departing_size_ == 0) return;
  std::size_t end = departing_from_;
  for (std::size_t i = 0; i < departing_size_ && departing_[i].place < taken; ++i) {
    end = departing_[i].mark;
    lose(departing_[i].lost, departing_[i].point);
  }
  departing_size_ = 0;
  ring_.withdraw(end);
  ring_.publish();
}

void Tap::forget(const Sdu& frame) noexcept {
  Known& entry = known(frame);
  if (entry.frame == name_of(frame)) entry = {};
}

void Tap::made(const Sdu& frame, Creation why) noexcept {
  known(frame) = {name_of(frame), name_of(frame), static_cast<std::uint8_t>(why)};
}

void Tap::replaced(const Sdu& frame, const Sdu& copy) noexcept {
  const Known& before = known(frame);
  Known entry{name_of(copy), name_of(frame)};
  if (before.frame == name_of(frame)) entry.origin = before.origin, entry.made = before.made;
  known(copy) = entry;
}

TapRecord* Tap::write(const Sdu& frame, const Sdu& parsed, const TapNote& note, Time now) noexcept {
  DP_EXPECT(plan_ != nullptr && note.captures != 0);
  const std::uint32_t captured = std::min(plan_->snaplen(note.captures), parsed.head_len);
  TapRecord* const record = ring_.reserve(captured);
  if (record == nullptr) return nullptr;
  const Known& entry = known(frame);
  const bool is_known = entry.frame == name_of(frame);
  record->at = now;
  record->frame = is_known ? entry.origin : name_of(frame);
  record->made = is_known ? entry.made : TapRecord::kNone;
  record->length = parsed.frame_len;
  record->queued_sdus = note.queued_sdus;
  record->policy = note.policy;
  record->captures = note.captures;
  record->point = note.point;
  record->direction = note.direction;
  record->l3_offset = parsed.l3_offset;
  record->l4_offset = parsed.l4_offset;
  record->outer_offset = parsed.outer_offset;
  record->protocol = parsed.l4_protocol;
  if (captured != 0) std::memcpy(record->bytes(), parsed.data, captured);
  return record;
}

void Tap::lose(CaptureBits captures, TapPoint point) noexcept {
  for (std::size_t i = 0; i < kMostCaptures; ++i) {
    if ((captures & TapPlan::bit(i)) != 0) lost_[i][static_cast<std::size_t>(point)].add(1);
  }
}

void Tap::pdus(const void* link, Direction direction, std::span<const std::byte> pdus, std::size_t size,
               bool lost, Time now) noexcept {
  DP_EXPECT(size != 0 && pdus.size() % size == 0);
  CaptureBits captures = 0;
  for (std::size_t i = 0; i < kMostCaptures; ++i) {
    if (links_[i] == link) captures |= TapPlan::bit(i);
  }
  if (captures == 0) return;
  const auto captured = static_cast<std::uint32_t>(std::min<std::size_t>(plan_->snaplen(captures), size));
  for (; !pdus.empty(); pdus = pdus.subspan(size)) {
    TapRecord* const record = ring_.reserve(captured);
    if (record == nullptr) {
      lose(captures, TapPoint::rlc);
      continue;
    }
    record->at = now;
    record->length = static_cast<std::uint32_t>(size);
    record->captures = captures;
    record->point = TapPoint::rlc;
    record->direction = direction;
    record->lost = lost;
    std::memcpy(record->bytes(), pdus.data(), captured);
  }
  ring_.publish();
}

}  // namespace dp
