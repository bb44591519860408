// Takes the measurements of one cell: its subjects run in turns, A B C A B C, each turn a settling time and
// many chunks of polls. Bursts come at a fixed pace; only the time inside a step counts.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tools/bench/dpdk/rig.h"
#include "tools/bench/options.h"

namespace bench {

// A chunk is two milliseconds of polls at the traffic's pace: long enough that work which the
// worker does in steps of its calendar (a bucket of the second level is a millisecond wide) is in every
// chunk, short enough that most chunks are not disturbed.
unsigned chunk_polls(const dp::yardstick::Traffic& traffic);

// One turn of one subject.
struct Turn {
  std::vector<double> chunks;  // cycles a frame received
  std::uint64_t cycles = 0;    // of all chunks
  std::uint64_t polls = 0;
  std::uint64_t late = 0;      // polls begun more than a burst too late
  dp::yardstick::Tally tally;  // of this turn; `queued` and `own_residue` are those at its end
};

struct Series {
  dp::yardstick::Kind kind;
  std::uint64_t state_bytes = 0;
  std::vector<Turn> turns;
  std::int64_t residue = 0;  // over the whole life of the subject
};

struct CellResult {
  dp::yardstick::Traffic traffic;
  std::vector<Series> series;
  std::uint64_t leaked_mbufs = 0;  // in use after the subjects were gone
};

// The cost of reading the clock within the time between two readings, in cycles: the median of a thousand.
std::uint64_t reading_cycles();

struct Run {
  dp::yardstick::Rig& rig;
  std::uint64_t reading_cycles;  // taken off the time of each poll
  Spell spell;
  unsigned repetitions;
  const std::atomic<bool>& stop;                // set by Ctrl-C: what is measured so far counts
  std::function<void(const std::string&)> say;  // progress
};

// Throws std::runtime_error when a subject cannot be made.
CellResult measure(const Cell& cell, const Run& run);

}  // namespace bench
