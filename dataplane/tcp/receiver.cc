#include "dataplane/tcp/receiver.h"

#include <algorithm>
#include <cmath>

#include "dataplane/base/expect.h"
#include "dataplane/tcp/pattern.h"

namespace dp {
namespace {

TcpOffer offer_of(const TcpReceiverSettings& s) {
  return {.mss = s.mss,
          .scaling = s.window_scale > 0,
          .shift = s.window_scale,
          .sack = s.sack,
          .timestamps = s.timestamps};
}

}  // namespace

TcpReceiver::TcpReceiver(const TcpReceiverSettings& settings, const TcpPath& path, std::uint32_t initial_seq)
    : settings_(settings),
      conn_(path, initial_seq, offer_of(settings), settings.rto, settings.retries),
      held_(settings.max_ranges) {}

TcpReceiver::Arrival TcpReceiver::on_segment(const TcpSegment& segment, Time now) noexcept {
  Arrival arrival;
  switch (conn_.on_segment(segment, next_, now)) {
    case TcpConnection::Taken::done:
      return arrival;
    case TcpConnection::Taken::repeat:
      ack_now_ = true;
      return arrival;
    case TcpConnection::Taken::opened:
      read_at_ = now;
      if (segment.has(TcpView::kSyn)) {
        ack_now_ = true;
        return arrival;
      }
      break;
    case TcpConnection::Taken::pass:
      break;
  }
  if (fin_sent_ && conn_.own().offset(segment.ack, 2) >= 2) {
    fin_acked_ = true;
    fin_timer_ = kNever;
  }
  if (conn_.outdated(segment)) {
    ack_now_ = true;
    return arrival;
  }
  conn_.note_stamp(segment, last_ack_);
  const Offset left = conn_.peer().offset(segment.seq, next_);
  if (!segment.payload.empty()) take_data(segment, left, arrival, now);
  if (segment.has(TcpView::kFin)) take_fin(left + static_cast<Offset>(segment.payload.size()));
  return arrival;
}

void TcpReceiver::take_data(const TcpSegment& segment, Offset left, Arrival& arrival, Time now) noexcept {
  ++stats_.segments;
  arrival.position = left - 1;
  arrival.payload = static_cast<std::uint32_t>(segment.payload.size());
  if (verify_ && !Pattern::matches(segment.seq, segment.payload)) ++stats_.corrupt;
  read(now);
  const Offset right = std::min(left + Offset{arrival.payload}, edge_);
  if (left >= edge_) {
    ++stats_.rejected;
    ack_now_ = true;
  } else if (right <= next_) {
    ++stats_.duplicates;
    report_duplicate(left, right);
  } else if (left > next_) {
    hold(left, right, arrival);
  } else {
    take_in_order(right, arrival, now);
  }
  if (fin_at_ && *fin_at_ == next_) take_fin(*fin_at_);
}

void TcpReceiver::take_in_order(Offset right, Arrival& arrival, Time now) noexcept {
  DP_EXPECT(right > next_);
  const bool gap = !held_.empty();
  const Offset before = next_, held = held_.bytes();
  next_ = right;
  ++stats_.delivered_segments;
  while (!held_.empty() && held_.first().left <= next_) {
    stats_.delivered_segments += held_.first().pieces;
    next_ = std::max(next_, held_.first().right);
    held_.advance(next_);
  }
  const Offset delivered = next_ - before;
  arrival.delivered = static_cast<std::uint32_t>(delivered);
  arrival.fresh = static_cast<std::uint32_t>(delivered - (held - held_.bytes()));
  stats_.delivered_bytes += static_cast<std::uint64_t>(delivered);
  if (unread_ == 0) read_at_ = now;
  unread_ += delivered;
  read(now);
  // RFC 5681 section 4.2: at once while a gap is being filled.
  ++waiting_;
  const bool quick = quick_ < settings_.quick_acks;
  quick_ += quick;
  if (gap || quick || waiting_ >= settings_.ack_every) {
    ack_now_ = true;
  } else if (delayed_ == kNever) {
    delayed_ = now + settings_.ack_delay;
  }
}

void TcpReceiver::hold(Offset left, Offset right, Arrival& arrival) noexcept {
  ack_now_ = true;
  DP_EXPECT(left > next_);
  const Offset before = held_.bytes();
  if (!held_.add(left, right)) {
    ++stats_.rejected;
    return;
  }
  arrival.fresh = static_cast<std::uint32_t>(held_.bytes() - before);
  ++(arrival.fresh > 0 ? stats_.out_of_order : stats_.duplicates);
  if (arrival.fresh == 0) report_duplicate(left, right);
}

// RFC 2883 section 4.
void TcpReceiver::report_duplicate(Offset left, Offset right) noexcept {
  ack_now_ = true;
  if (settings_.dsack) duplicate_ = Range{left, right};
}

void TcpReceiver::take_fin(Offset offset) noexcept {
  if (offset > next_) {
    fin_at_ = offset;
    return;
  }
  ack_now_ = true;
  if (offset < next_) return;
  ++next_;
  fin_at_.reset();
  fin_due_ = true;
}

void TcpReceiver::pause(Time now) noexcept {
  read(now);
  paused_ = true;
}

void TcpReceiver::resume(Time now) noexcept {
  paused_ = false;
  read_at_ = now;
  read(now);
}

void TcpReceiver::read(Time now) noexcept {
  if (paused_ || unread_ == 0) return;
  if (settings_.read_rate == 0) {
    unread_ = 0;
    return;
  }
  const double bytes =
      static_cast<double>((now - read_at_).count()) * static_cast<double>(settings_.read_rate) / 8e9;
  read_credit_ += bytes;
  read_at_ = now;
  const Offset taken = std::min(unread_, static_cast<Offset>(read_credit_));
  unread_ -= taken;
  read_credit_ = unread_ == 0 ? 0 : read_credit_ - static_cast<double>(taken);
}

void TcpReceiver::expire(Time now) noexcept {
  read(now);
  if (now >= delayed_ || window_update_due()) ack_now_ = true;
  if (now < fin_timer_) return;
  fin_timer_ = kNever;
  conn_.rto().back_off();
  fin_due_ = !conn_.too_many(++fin_timeouts_);
}

std::size_t TcpReceiver::emit(Time now, std::span<std::byte> out) noexcept {
  if (!conn_.established()) {
    const auto window = static_cast<std::uint16_t>(std::min<std::uint32_t>(settings_.window, 65'535));
    edge_ = next_ + window;
    return conn_.emit(now, out, window);
  }
  expire(now);
  if (!ack_now_ && !fin_due_) return 0;
  const std::uint8_t flags = fin_due_ ? TcpView::kAck | TcpView::kFin : TcpView::kAck;
  TcpFields fields = conn_.fields(now, flags, fin_sent_ && !fin_due_ ? 2 : 1, next_);
  fields.window = advertise();
  add_blocks(fields);
  if (fin_due_) {
    fin_due_ = false;
    fin_sent_ = true;
    fin_timer_ = now + conn_.rto().rto();
  }
  last_ack_ = next_;
  ack_now_ = false;
  waiting_ = 0;
  delayed_ = kNever;
  ++stats_.acks;
  return conn_.write(out, fields);
}

Time TcpReceiver::next_deadline() const noexcept {
  if (!conn_.established()) return conn_.deadline();
  return std::min({delayed_, fin_timer_, time_to_update()});
}

Offset TcpReceiver::offered_edge() const noexcept { return next_ + Offset{settings_.window} - unread_; }

// RFC 9293 section 3.8.6.2.2: the right edge moves by a segment or half the buffer, and never back.
std::uint16_t TcpReceiver::advertise() noexcept {
  const std::uint8_t shift = conn_.agreed().own_shift;
  const Offset step = std::min<Offset>(settings_.window / 2, conn_.agreed().mss);
  const Offset edge = offered_edge();
  if (edge - edge_ >= step) {
    const Offset units = std::min<Offset>((edge - next_) >> shift, 65'535);
    edge_ = std::max(edge_, next_ + (units << shift));
  }
  return static_cast<std::uint16_t>(std::min<Offset>((edge_ - next_) >> shift, 65'535));
}

// Sends an ACK unasked: the peer may be stopped by a closed window.
bool TcpReceiver::window_update_due() const noexcept {
  return edge_ - next_ < update_step() && offered_edge() >= update_edge();
}

Offset TcpReceiver::update_step() const noexcept {
  return std::min<Offset>(settings_.window / 2, 2 * Offset{conn_.agreed().mss});
}
// The right edge that an update advertises at least, since windows are whole units of the scale.
Offset TcpReceiver::update_edge() const noexcept {
  const Offset unit = Offset{1} << conn_.agreed().own_shift;
  const Offset window = edge_ + std::max<Offset>(update_step(), 1) - next_;
  return next_ + (window + unit - 1) / unit * unit;
}

Time TcpReceiver::time_to_update() const noexcept {
  if (paused_ || unread_ == 0 || edge_ - next_ >= update_step()) return kNever;
  const Offset bytes = update_edge() - offered_edge();
  if (bytes > unread_) return kNever;  // more than reading all of it would bring
  const double wait =
      (static_cast<double>(bytes) - read_credit_) * 8e9 / static_cast<double>(settings_.read_rate);
  return read_at_ + Duration{std::max<std::int64_t>(static_cast<std::int64_t>(std::ceil(wait)), 1)};
}

// RFC 2018 section 4: the block of the segment that came last stands first, then by how recent they are.
void TcpReceiver::add_blocks(TcpFields& fields) noexcept {
  if (!conn_.agreed().sack) return;
  const std::size_t most = conn_.agreed().timestamps ? 3 : TcpFields::kMaxBlocks;
  const auto add = [&](const Range& r) {
    fields.add_block({conn_.peer().wire(r.left), conn_.peer().wire(r.right)});
  };
  if (duplicate_) add(*duplicate_);
  duplicate_.reset();
  std::uint64_t below = ~std::uint64_t{0};
  while (fields.block_count < most) {
    const Range* newest = nullptr;
    for (const Range& r : held_.all()) {
      if (r.age < below && (newest == nullptr || r.age > newest->age)) newest = &r;
    }
    if (newest == nullptr) return;
    add(*newest);
    below = newest->age;
  }
}

}  // namespace dp
