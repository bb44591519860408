#include "control/capture/frame_pairs.h"

#include <cstdint>

#include <fmt/core.h>

#include "dataplane/aqm/registry.h"
#include "dataplane/base/expect.h"
#include "dataplane/packet/account.h"
#include "dataplane/packet/ecn.h"
#include "dataplane/packet/ipv4.h"
#include "dataplane/packet/ipv6.h"
#include "dataplane/packet/tcp.h"
#include "dataplane/packet/tunnel_key.h"

namespace control {
namespace {

// Rounded to microseconds. Requires: it is not negative.
std::string in_milliseconds(dp::Duration d) {
  const std::int64_t us = (d.count() + 500) / 1000;
  return fmt::format("{}.{:03} ms", us / 1000, us % 1000);
}

void join(std::string& text, const std::string& part) { text += (text.empty() ? "" : ", ") + part; }

template <class Number>
void join_change(std::string& text, const char* what, Number was, Number now) {
  if (was != now) join(text, fmt::format("{} {} to {}", what, was, now));
}

std::string reason_of(const dp::TapRecord& record) {
  DP_EXPECT(record.reason);
  std::string text = "dropped: " + std::string(dp::name(*record.reason));
  const bool by_policy = *record.reason == dp::DropReason::aqm && record.policy < dp::AqmList::kSize;
  return by_policy ? text + " " + std::string(dp::AqmList::kNames[record.policy]) : text;
}

constexpr std::array<std::string_view, 4> kEcnNames{"not-ECT", "ECT(1)", "ECT(0)", "CE"};

}  // namespace

FramePairs::Seen FramePairs::see(const dp::TapRecord& record, dp::Bytes bytes) {
  switch (record.point) {
    case dp::TapPoint::core_in:
    case dp::TapPoint::radio_in:
      return arrive(record, bytes);
    case dp::TapPoint::radio_out:
    case dp::TapPoint::core_out:
    case dp::TapPoint::dropped:
      return leave(record, bytes);
    case dp::TapPoint::rlc:
      break;
  }
  return {0, record.lost ? "lost on the air" : ""};
}

FramePairs::Seen FramePairs::arrive(const dp::TapRecord& record, dp::Bytes bytes) {
  make_room();
  Frame& frame = frames_[record.frame];
  // An earlier frame at the same address has left: its record is missing if it was not seen to do so.
  if (frame.id == 0 || frame.left) ++inside_;
  frame = {next_id_++, record.at, marks_of(record, bytes), false};
  return {frame.id, ""};
}

// A frame that the box sends twice, since an ACK stage has kept it, keeps its id: the second time it is one
// that the box has made.
FramePairs::Seen FramePairs::leave(const dp::TapRecord& record, dp::Bytes bytes) {
  const bool dropped = record.point == dp::TapPoint::dropped;
  const bool made = record.made < dp::kCreations;
  Seen seen{0, dropped ? reason_of(record) : ""};
  if (made) join(seen.comment, "made: " + std::string(dp::kCreationNames[record.made]));
  const auto at = frames_.find(record.frame);
  const bool known = at != frames_.end() && (!at->second.left || made);
  seen.id = known ? at->second.id : next_id_++;
  if (known && !at->second.left) {
    const dp::Duration time = record.at - at->second.at;
    const char* const how = record.direction == dp::Direction::downlink ? "waited " : "held ";
    if (dropped || time.count() != 0) join(seen.comment, how + in_milliseconds(time));
    const std::string changed = changes(at->second.marks, marks_of(record, bytes));
    if (!changed.empty()) join(seen.comment, "changed: " + changed);
    at->second.left = true;
    --inside_;
  }
  if (record.queued_sdus != dp::TapRecord::kUnknown && (dropped || record.queued_sdus != 0)) {
    join(seen.comment, fmt::format("BO {}", record.queued_sdus));
  }
  return seen;
}

// Forgets frames that have left; if there are none, all.
void FramePairs::make_room() {
  if (frames_.size() < kMost) return;
  std::erase_if(frames_, [](const auto& entry) { return entry.second.left; });
  if (frames_.size() < kMost / 2) return;
  frames_.clear();
  inside_ = 0;
}

FramePairs::Marks FramePairs::marks_of(const dp::TapRecord& record, dp::Bytes bytes) {
  Marks marks;
  const std::size_t l3 = record.l3_offset, l4 = record.l4_offset;
  if (l3 == 0 || l3 + 2 > bytes.size()) return marks;
  const unsigned first = dp::load16(bytes.data() + l3);
  marks.ecn = static_cast<std::uint8_t>((first >> 12 == 4 ? first : first >> 4) & 3);
  // The GTP-U header ends with the TEID's four bytes, and optional ones behind them.
  const std::size_t outer = record.outer_offset;
  if (outer != 0 && l3 <= bytes.size()) marks.teid = dp::tunnel_key(bytes.first(l3), outer).teid;
  if (l4 == 0 || record.protocol != dp::ip_protocol::kTcp || l4 + dp::TcpView::kMinSize > bytes.size())
    return marks;
  const dp::TcpView tcp{bytes.data() + l4};
  marks.tcp = true;
  marks.ack = tcp.ack();
  marks.window = tcp.window();
  marks.flags = tcp.flags();
  return marks;
}

std::string FramePairs::changes(const Marks& was, const Marks& now) {
  std::string text;
  if (was.ecn != now.ecn) join(text, fmt::format("ECN {} to {}", kEcnNames[was.ecn], kEcnNames[now.ecn]));
  if (was.teid != now.teid) join(text, fmt::format("TEID {:#x} to {:#x}", was.teid, now.teid));
  if (!was.tcp || !now.tcp) return text;
  join_change(text, "window", was.window, now.window);
  join_change(text, "acknowledgement", was.ack, now.ack);
  if (was.flags != now.flags) join(text, fmt::format("flags {:#04x} to {:#04x}", was.flags, now.flags));
  return text;
}

}  // namespace control
