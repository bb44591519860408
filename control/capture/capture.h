// One capture: turns records of the workers' taps into the text of a pcapng file, and keeps what its client
// has not fetched yet, up to a limit. Belongs to the control thread.
// Tests: tests/unit/control/capture/captures_test.cc
#pragma once
#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <string>

#include <sys/types.h>

#include "control/capture/frame_pairs.h"
#include "control/capture/packet_filter.h"
#include "control/capture/pcapng.h"
#include "control/loop/client.h"
#include "dataplane/tap/plan.h"

namespace control {

struct CaptureWish {
  dp::TapFilter what{};
  std::string name;  // for the log: "10.45.0.2", "port core"
  std::chrono::seconds time{10};
  std::uint64_t frames = 0;  // 0: any number
  PacketFilter filter{};
  pid_t pid = 0;
  uid_t uid = 0;
  Client owner{};  // the connection; the capture ends with it
};

class Capture {
 public:
  // Bytes that wait for the client; what comes beyond is lost, and counted.
  static constexpr std::size_t kMostWaiting = std::size_t{4} << 20;
  // Bytes that a client gets at a time, unless one packet has more. Its text in an answer stays below the
  // size from which malloc() asks the kernel for memory each time (control/main.cc).
  static constexpr std::size_t kPiece = std::size_t{64} << 10;

  // `ns_of_zero`: the time 0 of the workers' clock, in ns since 1970.
  Capture(CaptureWish wish, std::int64_t ns_of_zero, dp::Time now);

  const CaptureWish& wish() const { return wish_; }
  std::uint64_t frames() const { return frames_; }
  std::uint64_t lost() const;
  bool full() const { return wish_.frames != 0 && frames_ == wish_.frames; }

  void take(const dp::TapRecord& record);
  // The workers' taps have lost so many records of a point since it began.
  void set_lost(dp::TapPoint point, std::uint64_t count) { lost_by_tap_[dp::index(point)] = count; }
  // Writes the statistics. No record comes behind them.
  void end(dp::Time now);

  bool has_text() const { return waiting_bytes_ != 0; }
  std::string next_piece();

 private:
  std::uint64_t lost_of(std::size_t point) const { return lost_by_tap_[point] + lost_here_[point]; }
  // The text that takes the next `most` bytes.
  std::string& text(std::size_t most);
  std::int64_t since_1970(dp::Time t) const { return ns_of_zero_ + dp::ns(t); }
  void write(const Pcapng::Packet& packet, std::size_t point);

  CaptureWish wish_;
  std::int64_t ns_of_zero_;
  dp::Time begin_;
  FramePairs pairs_;
  std::deque<std::string> waiting_;
  std::size_t waiting_bytes_ = 0;
  std::uint64_t frames_ = 0;
  std::array<std::uint64_t, dp::kTapPoints> written_{}, lost_by_tap_{}, lost_here_{}, lost_told_{};
};

}  // namespace control
