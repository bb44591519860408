#include "tools/bench/measure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace bench {

using dp::yardstick::cycles;
using dp::yardstick::kKinds;
using dp::yardstick::Load;
using dp::yardstick::Subject;
using dp::yardstick::Tally;
using dp::yardstick::Traffic;

namespace {

// Polls at the traffic's pace: one burst each. Bursts that were missed while the CPU was taken away are not
// made up for: catching up would be another load than the configured one.
class Pace {
 public:
  Pace(const Traffic& traffic, double cycles_per_ns)
      : interval_(
            static_cast<std::uint64_t>(traffic.burst / traffic.frames_per_second * 1e9 * cycles_per_ns)),
        next_(cycles()) {}

  // Waits until the next burst is due; answers false when it was already.
  bool wait() {
    if (cycles() > next_ + interval_) {  // a whole burst late
      next_ = cycles() + interval_;
      return false;
    }
    while (cycles() < next_) {
    }
    next_ += interval_;
    return true;
  }

 private:
  std::uint64_t interval_;
  std::uint64_t next_;
};

void settle(Subject& subject, Pace& pace, std::uint64_t duration, const Run& run) {
  const std::uint64_t end = cycles() + duration;
  while (cycles() < end && !run.stop) {
    pace.wait();
    subject.step();
  }
}

Turn take_turn(Subject& subject, const Traffic& traffic, const Run& run) {
  const auto in_cycles = [&](std::chrono::nanoseconds d) {
    return static_cast<std::uint64_t>(static_cast<double>(d.count()) * run.rig.cycles_per_ns());
  };
  Turn turn;
  subject.resume();
  Pace pace(traffic, run.rig.cycles_per_ns());
  settle(subject, pace, in_cycles(run.spell.settle), run);
  const Tally before = subject.tally();
  const std::uint64_t end = cycles() + in_cycles(run.spell.measure);
  turn.chunks.reserve(1024);
  const unsigned polls = chunk_polls(traffic);
  while (cycles() < end && !run.stop) {
    std::uint64_t spent = 0;
    std::uint64_t frames = 0;
    for (unsigned poll = 0; poll < polls; ++poll, ++turn.polls) {
      turn.late += !pace.wait();
      const std::uint64_t from = cycles();
      frames += subject.step();
      const std::uint64_t took = cycles() - from;
      spent += took - std::min(took, run.reading_cycles);
    }
    turn.cycles += spent;
    if (frames != 0) turn.chunks.push_back(static_cast<double>(spent) / static_cast<double>(frames));
  }
  turn.tally = subject.tally();
  subject.pause();
  turn.tally.received -= before.received;
  turn.tally.sent -= before.sent;
  turn.tally.dropped -= before.dropped;
  turn.tally.not_by_buffer -= before.not_by_buffer;
  return turn;
}

// Fills the buffers at full speed, so that the first turn finds them as the last one will.
void fill(Subject& subject, const Traffic& traffic, const Run& run) {
  const std::uint64_t frames =
      traffic.load == Load::above ? 2 * traffic.held_frames() : std::uint64_t{traffic.bearers} / 4;
  subject.resume();
  for (std::uint64_t i = 0; i < frames / traffic.burst + 100 && !run.stop; ++i) subject.step();
  subject.pause();
}

struct Running {
  std::string name;
  Traffic traffic;
  std::unique_ptr<Subject> subject;
};

std::vector<Running> make_subjects(const Cell& cell, const Run& run, CellResult& result) {
  std::vector<Running> subjects;
  for (const auto kind : cell.kinds) {
    const std::string name(kKinds[static_cast<std::size_t>(kind)].name);
    run.say("setting up " + name);
    const Traffic traffic = traffic_of(kind, cell.traffic);
    auto subject = run.rig.make(kind, traffic);
    if (!subject) throw std::runtime_error(name + ": " + subject.error().message);
    fill(**subject, traffic, run);
    result.series.push_back({kind, (*subject)->state_bytes(), {}, 0});
    subjects.push_back({name, traffic, std::move(*subject)});
  }
  return subjects;
}

}  // namespace

unsigned chunk_polls(const Traffic& traffic) {
  return static_cast<unsigned>(std::ceil(2e-3 * traffic.frames_per_second / traffic.burst));
}

std::uint64_t reading_cycles() {
  std::array<std::uint64_t, 1001> readings;
  for (auto& reading : readings) {
    const std::uint64_t from = cycles();
    reading = cycles() - from;
  }
  const auto middle = readings.begin() + readings.size() / 2;
  std::nth_element(readings.begin(), middle, readings.end());
  return *middle;
}

CellResult measure(const Cell& cell, const Run& run) {
  CellResult result{cell.traffic, {}, 0};
  const std::uint64_t used = run.rig.mbufs_in_use();
  {
    const auto subjects = make_subjects(cell, run, result);
    for (unsigned turn = 0; turn < run.repetitions && !run.stop; ++turn) {
      for (std::size_t i = 0; i < subjects.size() && !run.stop; ++i) {
        const auto& [name, traffic, subject] = subjects[i];
        run.say(name + ", turn " + std::to_string(turn + 1) + " of " + std::to_string(run.repetitions));
        result.series[i].turns.push_back(take_turn(*subject, traffic, run));
      }
    }
    for (std::size_t i = 0; i < subjects.size(); ++i) {
      result.series[i].residue = subjects[i].subject->tally().residue();
    }
  }
  result.leaked_mbufs = run.rig.mbufs_in_use() - used;
  return result;
}

}  // namespace bench
