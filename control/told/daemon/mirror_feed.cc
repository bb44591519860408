#include "control/told/daemon/mirror_feed.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

namespace control::told {
namespace {

LiveCapture opened(const std::string& interface, std::uint16_t port) {
  auto capture = LiveCapture::open(interface, port);
  if (!capture) throw std::runtime_error(capture.error().message);
  return std::move(*capture);
}

dp::Time since_1970() {
  return dp::time_ns(std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count());
}

}  // namespace

MirrorFeed::MirrorFeed(const std::string& interface, std::uint16_t port, Source& source)
    : interface_(interface), capture_(opened(interface, port)), mirror_(port), source_(source) {}

// The kernel stamps frames by the time of day; a frame that waited was on the wire that much before now.
void MirrorFeed::receive(dp::Time now) {
  const dp::Time wall = since_1970();
  for (int i = 0; i < kAtOnce; ++i) {
    const auto frame = capture_.next();
    if (!frame) break;
    const dp::Duration waited =
        std::clamp(wall - frame->at, dp::Duration{0}, dp::Duration{std::chrono::seconds(1)});
    last_ = std::max(last_, now - waited);
    if (const auto datagram = mirror_.take(frame->bytes, last_)) source_.take(*datagram);
  }
  if (!capture_.failed().empty()) throw std::runtime_error(interface_ + ": " + capture_.failed());
}

void MirrorFeed::tick() {
  const Mirror::Counters& counters = mirror_.counters();
  dropped_ = capture_.lost() + counters.malformed + counters.cut;
}

}  // namespace control::told
