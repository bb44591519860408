// Connections of a UE through one bearer with all of its parts. The input decides about losses, repeats and
// delays on the wires, forged segments, ICMP messages and commands. Shared by fuzzing and the unit tests.
// Virtual time.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdint>

#include "tests/fuzz/connections_box.h"
#include "tests/fuzz/connections_stack.h"
#include "tests/fuzz/connections_wires.h"

namespace dp::test {

class ConnectionsCheck {
 public:
  explicit ConnectionsCheck(Input& input) : ConnectionsCheck(input, input.byte()) { wires_.open(input, 0); }

  // The next word of the input: what befalls the connections, and time. Null, or the rule that was broken.
  const char* step(Input& input) {
    const unsigned what = input.byte();
    act(input, what & 15, what >> 4);
    return faults();
  }

  // Interference ends. Connections without forged segments come to their end; then the ends of the others are
  // removed, and the box gives up what it has kept of them. Null, or the rule that was broken.
  const char* end() {
    undo_commands();
    for (auto& connection : wires_.all) {
      if (!connection) continue;
      if (connection->forged) connection->vanish();
      connection->read(true, box_.clock.now());
      connection->close();
    }
    for (int s = 0; s < kToEnd && !all_ended(); ++s) wires_.run(std::chrono::seconds(1));
    if (const char* fault = faults()) return fault;
    for (auto& connection : wires_.all) {
      if (!connection || connection->forged) continue;
      if (!connection->ended()) return "a connection hangs";
      if (!connection->disturbed && !connection->whole()) return "a connection was not carried to its end";
      if (connection->whole()) ++carried_;
      connection->vanish();
    }
    wires_.run(kToGiveUp);
    if (const char* fault = faults()) return fault;
    if (const char* fault = box_.kept()) return fault;
    box_.set_mode(Mode::bypass);
    wires_.run(std::chrono::milliseconds(1));
    return box_.left();
  }

  // Number of connections without forged segments that end() has brought to their end with every octet.
  unsigned carried() const { return carried_; }

  void watch(ConnectionsWires::Watch with) { wires_.watch = with; }

 private:
  using Fate = ConnectionsWires::Fate;
  static constexpr Duration kLongest = std::chrono::seconds(100);  // all steps together
  static constexpr int kToEnd = 3600;                              // seconds
  static constexpr Duration kToGiveUp = std::chrono::hours(2);

  ConnectionsCheck(Input& input, unsigned how)
      : ipv6_((how & 1) != 0),
        box_(ipv6_ ? ue_ipv6_64(0x20010db8'00450000) : ue_ipv4(0x0a2d0002), (how & 6) == 6,
             choose_stack(input, (how & 6) != 6)),
        wires_(box_, ipv6_) {}

  void act(Input& input, unsigned what, unsigned detail) {
    const std::size_t which = detail % ConnectionsWires::kConnections;
    const Side side = side_of(detail);
    auto& connection = wires_.all[which];
    switch (what) {
      case 0:
      case 1:
        return run_for(Duration{std::chrono::milliseconds(1)} * (1 << detail % 14));
      case 2:
        return wires_.open(input, which, (detail & 8) != 0);
      case 3:
        if (connection) connection->offer(input.byte());
        return;
      case 4:
        if (connection) connection->close();
        return;
      case 5:
        return wires_.befall(which, side, Fate::lose);
      case 6:
        return wires_.befall(which, side, detail & 4 ? Fate::repeat : Fate::delay);
      case 7:
        return wires_.befall(which, side, Fate::forge, input.take(12));
      case 8:
      case 9:
        return wires_.inject(input, which, side);
      case 10:
        if (connection) connection->read((detail & 8) != 0, box_.clock.now());
        return;
      case 11:
        return wires_.say_too_big(input);
      default:
        return command(input, what, detail);
    }
  }

  void command(Input& input, unsigned what, unsigned detail) {
    switch (what) {
      case 12:
        mode_ = static_cast<Mode>(detail & 3);
        if (mode_ == Mode::tap || mode_ == Mode::bypass) disturb();
        return box_.set_mode(mode_);
      case 13:
        return detail & 1 ? box_.drain((detail & 2) != 0) : box_.roam();
      case 14:
        disturb();
        if (detail == 0) return box_.replace(choose_stack(input, !box_.roams()));
        return box_.reconfigure(choose_stack(input, !box_.roams()));
      default:
        if (detail & 1) return box_.set_port(side_of(detail), (detail & 4) != 0);
        box_.limit_frames((detail & 2) != 0, detail >> 2);
        if (box_.frames_are_scarce()) disturb();
    }
  }
  static Side side_of(unsigned detail) { return detail & 8 ? Side::radio : Side::core; }
  void undo_commands() {
    box_.limit_frames(false);
    for (Side side : kSides) box_.set_port(side, true);
    box_.drain(false);
    box_.set_mode(Mode::inline_);
    wires_.calm();
  }
  void disturb() {
    for (auto& connection : wires_.all) {
      if (connection) connection->disturbed = true;
    }
  }

  void run_for(Duration time) {
    const Duration left = kLongest - (box_.clock.now() - started_);
    wires_.run(std::clamp(time, Duration{}, std::max(left, Duration{std::chrono::milliseconds(1)})));
  }
  bool all_ended() const {
    return std::ranges::all_of(wires_.all, [](const auto& c) { return !c || c->ended(); });
  }
  const char* faults() {
    if (wires_.fault != nullptr) return wires_.fault;
    if (const char* fault = box_.fault()) return fault;
    for (const auto& connection : wires_.all) {
      if (const char* fault = connection ? connection->fault() : nullptr) return fault;
    }
    return nullptr;
  }

  const bool ipv6_;
  ConnectionsBox box_;
  ConnectionsWires wires_;
  const Time started_ = box_.clock.now();
  Mode mode_ = Mode::inline_;
  unsigned carried_ = 0;
};

// Null, or which rule an input broke.
inline const char* connections_fault(Bytes bytes, ConnectionsWires::Watch watch = nullptr) {
  Input input(bytes);
  ConnectionsCheck check(input);
  check.watch(watch);
  for (int steps = 0; !input.empty() && steps < 400; ++steps) {
    if (const char* fault = check.step(input)) return fault;
  }
  return check.end();
}

}  // namespace dp::test
