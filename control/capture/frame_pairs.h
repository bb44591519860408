// Pairs the records of one frame, and puts into words what happened to it between them: the time that it
// spent here, and what the box has changed. One per capture; bounded, whatever comes.
#pragma once
#include <cstdint>
#include <string>
#include <unordered_map>

#include "dataplane/packet/bytes.h"
#include "dataplane/tap/record.h"

namespace control {

class FramePairs {
 public:
  static constexpr std::size_t kMost = std::size_t{1} << 16;  // frames that are remembered

  struct Seen {
    std::uint64_t id = 0;  // equal for the copies of a frame; 0 for a PDU of RLC
    std::string comment{};
  };

  // Records come in the order of their times.
  Seen see(const dp::TapRecord& record, dp::Bytes bytes);
  // Frames that came in and were not seen to leave.
  std::size_t inside() const { return inside_; }

 private:
  // Header fields that the box may change.
  struct Marks {
    bool tcp = false;
    std::uint8_t ecn = 0, flags = 0;
    std::uint16_t window = 0;
    std::uint32_t ack = 0, teid = 0;
  };
  struct Frame {
    std::uint64_t id = 0;
    dp::Time at{};
    Marks marks{};
    bool left = false;
  };

  static Marks marks_of(const dp::TapRecord& record, dp::Bytes bytes);
  static std::string changes(const Marks& was, const Marks& now);
  Seen arrive(const dp::TapRecord& record, dp::Bytes bytes);
  Seen leave(const dp::TapRecord& record, dp::Bytes bytes);
  void make_room();

  std::unordered_map<std::uint64_t, Frame> frames_;  // by TapRecord::frame
  std::uint64_t next_id_ = 1;
  std::size_t inside_ = 0;
};

}  // namespace control
