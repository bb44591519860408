// The shipped DpdkIo on null ports. A null driver leaves an mbuf's bytes as they were, so the traffic's
// headers are written into each frame received; the counts are kept for the books.
#pragma once
#include <cstdint>
#include <span>

#include "dataplane/dpdk/io.h"
#include "tools/bench/dpdk/traffic.h"

namespace dp::yardstick {

class NullIo {
 public:
  NullIo(const Traffic& traffic, const std::array<std::uint16_t, 2>& ports)
      : writer_(traffic), io_({{{ports[0], 0}, {ports[1], 0}}}) {
    io_.open();
  }

  void open(bool on) noexcept { open_ = on; }
  void expect_tunnels(bool expected) noexcept { io_.expect_tunnels(expected); }

  void receive(Side side, Burst& burst, Time now) noexcept {
    if (!open_) return;
    io_.receive(side, burst, now);
    for (Sdu* sdu : burst.sdus()) writer_.write(sdu->data);
    received_ += burst.size();
  }

  std::size_t transmit(Side side, std::span<Sdu* const> frames) noexcept {
    const std::size_t taken = io_.transmit(side, frames);
    sent_ += taken;
    return taken;
  }

  void release(SduList& list) noexcept {
    released_ += list.size();
    io_.release(list);
  }

  Sdu* allocate(std::uint32_t bytes) noexcept { return io_.allocate(bytes); }
  bool keep(Sdu& sdu) noexcept { return io_.keep(sdu); }
  bool sole(const Sdu& sdu) const noexcept { return io_.sole(sdu); }
  void let_go(Sdu& sdu) noexcept { io_.let_go(sdu); }
  void shorten(Sdu& sdu, std::uint32_t bytes) noexcept { io_.shorten(sdu, bytes); }
  void cut_front(Sdu& sdu, std::uint32_t bytes) noexcept { io_.cut_front(sdu, bytes); }
  Sdu* copy(const Sdu& sdu) noexcept { return io_.copy(sdu); }

  std::uint64_t received() const noexcept { return received_; }
  std::uint64_t counted() const noexcept { return received(); }  // figures are divided by it
  std::uint64_t sent() const noexcept { return sent_; }
  std::uint64_t released() const noexcept { return released_; }

 private:
  FrameWriter writer_;
  dpdk::DpdkIo io_;
  bool open_ = false;
  std::uint64_t received_ = 0, sent_ = 0, released_ = 0;
};

static_assert(PacketIo<NullIo>);

}  // namespace dp::yardstick
