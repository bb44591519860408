// A forwarder of frames whose cost is measured: ours, or one that a user would take instead. Made by the Rig
// (rig.h), stepped by the benchmark. Plain: no rte_ names.
#pragma once
#include <cstddef>
#include <cstdint>

namespace dp::yardstick {

// Frames since it was made.
struct Tally {
  std::uint64_t received = 0;
  std::uint64_t sent = 0;
  std::uint64_t created = 0;  // by ACK stages
  std::uint64_t queued = 0;
  std::uint64_t dropped = 0;
  std::uint64_t not_by_buffer = 0;  // part of `dropped`: for another reason than a full bearer buffer
  std::int64_t own_residue = 0;     // what its own books say is missing

  // Zero, or frames were lost without a trace.
  std::int64_t residue() const {
    return own_residue + static_cast<std::int64_t>(received + created - sent - queued - dropped);
  }
};

class Subject {
 public:
  virtual ~Subject() = default;
  Subject() = default;
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;

  // One burst in, due frames out. Returns the number of frames that came in; for servers that receive ACKs,
  // the number of data segments.
  virtual std::size_t step() noexcept = 0;
  // While another subject has the CPU its queues neither drain nor age.
  virtual void pause() noexcept {}
  virtual void resume() noexcept {}
  virtual Tally tally() const noexcept = 0;
  // Memory of what it keeps for its bearers, frames not included.
  virtual std::uint64_t state_bytes() const noexcept { return 0; }
};

}  // namespace dp::yardstick
