// The connections of the target `connections`, the wires between their ends and the box, and what befalls
// frames on them: they are lost, repeated, delayed, forged. Virtual time.
#pragma once
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "tests/fuzz/connection.h"
#include "tests/fuzz/connections_box.h"

namespace dp::test {

class ConnectionsWires {
 public:
  static constexpr std::size_t kConnections = 3;
  // The fate of the next frame of an end.
  enum class Fate : std::uint8_t { none, lose, repeat, delay, forge };
  // Called with what comes to the box or leaves it, for those who want to see what an input does.
  using Watch = void (*)(Time now, Side side, bool to_box, Bytes frame);

  ConnectionsWires(ConnectionsBox& box, bool ipv6) : box_(box), ipv6_(ipv6) {}

  // Opens a connection in place of the one before, whose ends are gone: on an unused port, or on the same,
  // where segments of the old ends that are still on their way may be taken for those of the new ones.
  void open(Input& input, std::size_t which, bool same_port = false) {
    auto& connection = all[which];
    same_port = same_port && connection;
    if (!same_port) ports_[which] = next_port_++;
    connection.emplace(input, ports_[which], ipv6_, ++incarnations_);
    connection->forged = same_port;
    connection->disturbed = box_.frames_are_scarce();
    fates_[which] = {};
  }
  // `forgery`: how, where that is the fate.
  void befall(std::size_t which, Side side, Fate fate, Bytes forgery = {}) {
    auto& connection = all[which];
    if (!connection || (fate == Fate::lose && connection->spared == 0)) return;
    if (fate == Fate::lose) --connection->spared;
    fates_[which][index(side)] = fate;
    forgeries_[which][index(side)] = forgery;
  }
  // A frame like the last that an end at that side has sent.
  void inject(Input& input, std::size_t which, Side side) {
    const Buffer& like = last_[which][index(side)];
    if (!all[which] || like.empty()) return;
    all[which]->forged = true;
    Buffer forged = Forger(input, like).forged();
    fly(side, true, ports_[which], std::move(forged), Duration{});
  }
  // From a router behind the UE's side.
  void say_too_big(Input& input) {
    constexpr std::size_t kQuoted = kEthernet + 48;
    if (ipv6_ || to_ue_.size() < kQuoted) return;
    fly(Side::radio, true, 0, too_big("198.51.100.1", to_ue_, static_cast<std::uint16_t>(input.word())), {});
  }

  void calm() { fates_ = {}; }

  void run(Duration time) {
    const Time end = box_.clock.now() + time;
    turn();
    unsigned late = 0;
    for (Time next = next_event(); next <= end && fault == nullptr; next = next_event()) {
      // While a bearer is on its way a worker has something to do all the time, but not for long.
      late = next > box_.clock.now() ? 0 : late + 1;
      if (late > kTurns) fault = "something is due for ever";
      box_.clock.set(late == 0 ? next : box_.clock.now() + Duration{50'000});
      turn();
    }
    if (end > box_.clock.now()) box_.clock.set(end);
  }

  std::array<std::optional<Connection>, kConnections> all;
  Watch watch = nullptr;
  const char* fault = nullptr;  // a rule that was broken on the way

 private:
  static constexpr Duration kWire = std::chrono::milliseconds(10);
  static constexpr unsigned kTurns = 5'000;  // at one time, or nearly

  // A frame on its way to an end or to the box.
  struct Flight {
    Side side;
    bool to_box;
    std::uint16_t port;  // the connection's client; 0: of no connection
    Buffer frame;
  };

  Time next_event() {
    Time next = box_.next_deadline();
    if (!flights_.empty()) next = std::min(next, flights_.begin()->first);
    for (const auto& connection : all) {
      if (connection) next = std::min(next, connection->next_deadline());
    }
    return next;
  }
  void turn() {
    while (!flights_.empty() && flights_.begin()->first <= box_.clock.now()) {
      const Flight flight = std::move(flights_.begin()->second);
      flights_.erase(flights_.begin());
      land(flight);
    }
    box_.settle();
    collect();
    for (std::size_t which = 0; which < kConnections; ++which) {
      for (Side side : kSides) emit(which, side);
    }
  }

  void land(const Flight& flight) {
    if (flight.to_box) {
      if (watch != nullptr) watch(box_.clock.now(), flight.side, true, flight.frame);
      return box_.io.offer(flight.side, TestFrame(flight.frame, flight.side));
    }
    const auto at = std::find(ports_.begin(), ports_.end(), flight.port);
    if (at == ports_.end() || flight.port == 0) return;
    all[static_cast<std::size_t>(at - ports_.begin())]->arrive(flight.side, flight.frame, box_.clock.now());
  }
  // Frames that have left the box.
  void collect() {
    for (auto& sent : std::exchange(box_.io.sent, {})) {
      if (watch != nullptr) watch(sent.at, sent.side, false, sent.bytes);
      if (sent.side == Side::radio) to_ue_ = sent.bytes;
      const std::uint16_t port = port_of(sent);
      fly(sent.side, false, port, std::move(sent.bytes), kWire);
    }
  }
  // Its connection's port. Notes if it did not leave as a segment should.
  std::uint16_t port_of(const MemoryIo::Sent& sent) {
    const Bytes packet = Bytes(sent.bytes).subspan(kEthernet);
    const auto segment = read_tcp(packet);
    if (!segment) return 0;
    if (!is_spoilt(sent.bytes) && !tcp_checksums_right(packet)) fault = "a checksum was made wrong";
    return sent.side == Side::core ? segment->source_port : segment->destination_port;
  }
  void emit(std::size_t which, Side side) {
    if (!all[which]) return;
    for (;;) {
      Buffer frame = all[which]->emit(side, box_.clock.now());
      if (frame.empty()) return;
      last_[which][index(side)] = frame;
      send(which, side, std::move(frame));
    }
  }
  void send(std::size_t which, Side side, Buffer frame) {
    switch (std::exchange(fates_[which][index(side)], Fate::none)) {
      case Fate::lose:
        return;
      case Fate::repeat:
        fly(side, true, ports_[which], frame, 2 * kWire);
        break;
      case Fate::delay:
        return fly(side, true, ports_[which], std::move(frame), 4 * kWire);
      case Fate::forge:
        all[which]->forged = true;
        frame = forged(forgeries_[which][index(side)], frame);
        break;
      case Fate::none:
        break;
    }
    fly(side, true, ports_[which], std::move(frame), kWire);
  }
  static Buffer forged(Bytes how, Bytes frame) {
    Input input(how);
    return Forger(input, frame).forged();
  }
  void fly(Side side, bool to_box, std::uint16_t port, Buffer frame, Duration delay) {
    flights_.emplace(box_.clock.now() + delay, Flight{side, to_box, port, std::move(frame)});
  }

  ConnectionsBox& box_;
  const bool ipv6_;
  std::array<std::uint16_t, kConnections> ports_{};
  std::uint16_t next_port_ = 40'001;
  std::array<std::array<Fate, 2>, kConnections> fates_{};       // by connection and side
  std::array<std::array<Bytes, 2>, kConnections> forgeries_{};  // likewise: how, of the input
  std::array<std::array<Buffer, 2>, kConnections> last_{};      // likewise: what the ends have sent
  Buffer to_ue_;                                                // the last that left the box there
  std::multimap<Time, Flight> flights_;
  unsigned incarnations_ = 0;
};

}  // namespace dp::test
