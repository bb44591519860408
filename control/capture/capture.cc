#include "control/capture/capture.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/core.h>

#include "control/capture/rlc_datagram.h"
#include "control/loop/version.h"

namespace control {
namespace {

// "core-in"
std::string interface_name(std::size_t point) {
  std::string name(dp::kTapPointNames[point]);
  std::ranges::replace(name, '_', '-');
  return name;
}

bool enters(const dp::TapRecord& record) {
  using enum dp::TapPoint;
  if (record.point == rlc) return record.direction == dp::Direction::uplink;
  return record.point == core_in || record.point == radio_in || record.point == dropped;
}

}  // namespace

Capture::Capture(CaptureWish wish, std::int64_t ns_of_zero, dp::Time now)
    : wish_(std::move(wish)), ns_of_zero_(ns_of_zero), begin_(now) {
  std::string head;
  Pcapng file(head);
  file.section(fmt::format("rncd {}", kVersion), "capture of " + wish_.name);
  for (std::size_t point = 0; point < dp::kTapPoints; ++point) {
    file.interface(interface_name(point), dp::kTapPointTexts[point], wish_.what.snaplen + kRlcFraming);
  }
  waiting_bytes_ = head.size();
  waiting_.push_back(std::move(head));
}

std::uint64_t Capture::lost() const {
  return std::accumulate(lost_by_tap_.begin(), lost_by_tap_.end(), std::uint64_t{0}) +
         std::accumulate(lost_here_.begin(), lost_here_.end(), std::uint64_t{0});
}

void Capture::take(const dp::TapRecord& record) {
  const std::size_t captured = std::min(record.captured, wish_.what.snaplen);
  dp::Bytes bytes{record.bytes(), captured};
  std::string datagram;
  std::uint32_t length = record.length;
  if (record.point == dp::TapPoint::rlc) {
    datagram = rlc_datagram(record, bytes);
    bytes = std::as_bytes(std::span(datagram));
    length =
        static_cast<std::uint32_t>(datagram.size()) + record.length - static_cast<std::uint32_t>(captured);
  }
  if (full() || !wish_.filter.takes(bytes, length)) return;
  const FramePairs::Seen seen = pairs_.see(record, {record.bytes(), captured});
  const std::size_t point = dp::index(record.point);
  write({.interface = static_cast<std::uint32_t>(point),
         .at = since_1970(record.at),
         .length = length,
         .bytes = bytes,
         .inbound = enters(record),
         .id = seen.id,
         .lost = lost_of(point) - lost_told_[point],
         .comment = seen.comment},
        point);
}

void Capture::write(const Pcapng::Packet& packet, std::size_t point) {
  const std::size_t most = Pcapng::most_bytes_of(packet);
  if (waiting_bytes_ + most > kMostWaiting) {
    ++lost_here_[point];
    return;
  }
  std::string& out = text(most);
  const std::size_t before = out.size();
  Pcapng(out).packet(packet);
  waiting_bytes_ += out.size() - before;
  lost_told_[point] += packet.lost;
  ++written_[point];
  ++frames_;
}

void Capture::end(dp::Time now) {
  std::string& out = text(0);
  const std::size_t before = out.size();
  for (std::size_t point = 0; point < dp::kTapPoints; ++point) {
    const bool first = point == 0 && pairs_.inside() != 0;
    Pcapng(out).statistics(
        {.interface = static_cast<std::uint32_t>(point),
         .begin = since_1970(begin_),
         .end = since_1970(now),
         .seen = written_[point] + lost_of(point),
         .lost = lost_of(point),
         .comment = first ? fmt::format("{} frames that came were not seen to leave", pairs_.inside()) : ""});
  }
  waiting_bytes_ += out.size() - before;
}

std::string& Capture::text(std::size_t most) {
  if (waiting_.empty() || waiting_.back().size() + most > kPiece) waiting_.emplace_back().reserve(kPiece);
  return waiting_.back();
}

std::string Capture::next_piece() {
  if (waiting_.empty()) return {};
  std::string piece = std::move(waiting_.front());
  waiting_.pop_front();
  waiting_bytes_ -= piece.size();
  return piece;
}

}  // namespace control
