// What an AM entity asks of the link around it: SDUs to send, memory to reassemble in. It outlives the
// entity. The bytes of an SDU that start() handed over must stay as they are until released(). From none of
// these calls may the entity be called.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace dp {

// An SDU under transmission: 1 to 65535 bytes in one piece, owned by the host.
struct AmSdu {
  const std::byte* data = nullptr;
  std::uint32_t length = 0;
  void* cookie = nullptr;  // the host's own
};

class AmHost {
 public:
  // Sending. SDUs are numbered in the order in which they start, across resets.
  virtual bool waiting() const noexcept = 0;  // start() may succeed
  virtual bool start(
      AmSdu& sdu) noexcept = 0;  // the transmission of the next SDU begins; false: there is none
  // Each SDU started is either acked, when the peer has all its PDUs, or discarded: it leaves the buffer
  // occupancy. Not always in order.
  virtual void acked(const AmSdu& sdu) noexcept = 0;
  virtual void discarded(const AmSdu& sdu) noexcept = 0;
  // Later or at once, in order: its bytes are needed no more, and the peer has delivered it or never will.
  virtual void released(const AmSdu& sdu) noexcept = 0;

  // Receiving, in order of SDUs; `ordinal` is the sender's number. Memory for one SDU and one octet more;
  // what has no memory, or outgrows it, is dropped.
  virtual std::span<std::byte> begin(std::uint32_t ordinal) noexcept = 0;
  virtual void end(std::uint32_t ordinal, std::size_t length) noexcept = 0;
  virtual void abandon(std::uint32_t ordinal) noexcept = 0;  // instead of end()

  // MaxRST was reached: both sides must be re-established.
  virtual void unrecoverable() noexcept = 0;

 protected:
  ~AmHost() = default;
};

}  // namespace dp
