// The cost of forwarding without a scheduler, on the same null ports: the bare driver calls, those calls with
// the traffic's headers written, and with parsing and lookup too.
#pragma once
#include <array>
#include <cstdint>
#include <span>

#include <rte_ethdev.h>

#include "tools/bench/dpdk/front.h"
#include "tools/bench/dpdk/subject.h"

namespace dp::yardstick {

// rx burst -> tx burst; nothing else.
class BareForward final : public Subject {
 public:
  explicit BareForward(const std::array<std::uint16_t, 2>& ports) : in_(ports[0]), out_(ports[1]) {}

  std::size_t step() noexcept override {
    std::array<rte_mbuf*, kBurst> mbufs;
    const std::uint16_t count = rte_eth_rx_burst(in_, 0, mbufs.data(), kBurst);
    const std::uint16_t taken = rte_eth_tx_burst(out_, 0, mbufs.data(), count);
    tally_.received += count;
    tally_.sent += taken;
    tally_.dropped += count - taken;
    if (taken < count) rte_pktmbuf_free_bulk(mbufs.data() + taken, count - taken);
    return count;
  }
  Tally tally() const noexcept override { return tally_; }

 private:
  std::uint16_t in_, out_;
  Tally tally_;
};

// The worker's Io receives and sends; the headers are written.
class WrittenForward final : public Subject {
 public:
  WrittenForward(const Traffic& traffic, const std::array<std::uint16_t, 2>& ports) : io_(traffic, ports) {
    io_.open(true);
  }

  std::size_t step() noexcept override {
    burst_.clear();
    io_.receive(Side::core, burst_, Time{});
    io_.transmit(Side::radio, burst_.sdus());
    return burst_.size();
  }
  Tally tally() const noexcept override { return {.received = io_.received(), .sent = io_.sent()}; }

 private:
  NullIo io_;
  Burst burst_;
};

// The headers are parsed and the bearer is found, too.
class ClassifiedForward final : public Subject {
 public:
  ClassifiedForward(const Traffic& traffic, const std::array<std::uint16_t, 2>& ports,
                    const BearerArray& bearers)
      : front_(traffic, ports, bearers) {}

  std::size_t step() noexcept override {
    const auto frames = front_.receive();
    std::uint64_t sum = 0;
    for (const std::uint32_t number : front_.numbers()) sum += number;
    seen_ = sum;
    front_.io().transmit(Side::radio, frames);
    return frames.size();
  }
  Tally tally() const noexcept override {
    return {.received = front_.io().received(), .sent = front_.io().sent()};
  }

 private:
  Front front_;
  volatile std::uint64_t seen_ = 0;  // so that the lookup is not optimised away
};

}  // namespace dp::yardstick
