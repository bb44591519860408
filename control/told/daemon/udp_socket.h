// A UDP socket on which a source listens: datagrams come with the time at which they were on the wire, and
// answers leave from the address to which the request was sent.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "control/loop/fd.h"
#include "control/told/source.h"
#include "dataplane/base/time.h"

namespace control::told {

class UdpSocket {
 public:
  static constexpr std::size_t kBatch = 64;       // datagrams a system call
  static constexpr std::size_t kMostBatches = 8;  // a turn of the loop
  static constexpr int kBufferBytes = 8 << 20;    // of the kernel's
  // Returns the answer; empty for none.
  using Take = std::function<std::span<const std::byte>(const Datagram& datagram)>;

  // Throws std::system_error.
  explicit UdpSocket(const Endpoint& at);

  int fd() const noexcept { return fd_.get(); }
  // Takes what waits, at most kBatch * kMostBatches datagrams. `now`: on the clock of the datagrams' times.
  void receive(dp::Time now, const Take& take);
  // Datagrams that the kernel dropped because its buffer was full, and those longer than a datagram may be
  // here.
  std::uint64_t dropped() const noexcept { return dropped_; }
  std::uint64_t answers_lost() const noexcept { return answers_lost_; }

 private:
  struct Batch;

  void take_one(std::size_t i, std::size_t size, dp::Time now, std::int64_t wall_ns, const Take& take);
  void answer(std::size_t i, std::span<const std::byte> text);

  Fd fd_;
  const Endpoint at_;
  std::shared_ptr<Batch> batch_;
  dp::Time last_ = dp::Time::min();  // when the last datagram was on the wire
  std::uint64_t dropped_ = 0, answers_lost_ = 0;
  std::uint32_t overflow_ = 0;  // the kernel's count
};

}  // namespace control::told
