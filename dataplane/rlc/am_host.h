// The interface of an AM entity to its link: SDUs to send, memory for reassembly. It outlives the entity. The
// bytes of an SDU from start() must not change until released(). The entity must not be called from any of
// these functions.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace dp {

// An SDU under transmission: 1 to 65535 bytes in one piece, owned by the host.
struct AmSdu {
  const std::byte* data = nullptr;
  std::uint32_t length = 0;
  void* cookie = nullptr;  // for the host
};

class AmHost {
 public:
  // Sending. SDUs are numbered in the order in which they start, across resets.
  virtual bool waiting() const noexcept = 0;  // true if start() may succeed
  virtual bool start(
      AmSdu& sdu) noexcept = 0;  // begins the transmission of the next SDU; false if there is none
  // Each started SDU is either acked, once the peer has all its PDUs, or discarded, and leaves the buffer
  // occupancy; not always in order.
  virtual void acked(const AmSdu& sdu) noexcept = 0;
  virtual void discarded(const AmSdu& sdu) noexcept = 0;
  // Then, or later, called in order: its bytes are no longer needed, and the peer has delivered it or never
  // will.
  virtual void released(const AmSdu& sdu) noexcept = 0;

  // Receiving, in order of SDUs; `ordinal` is the sender's number. Returns memory for one SDU and one octet
  // more; SDUs without memory, or exceeding it, are dropped.
  virtual std::span<std::byte> begin(std::uint32_t ordinal) noexcept = 0;
  virtual void end(std::uint32_t ordinal, std::size_t length) noexcept = 0;
  virtual void abandon(std::uint32_t ordinal) noexcept = 0;  // instead of end()

  // MaxRST was reached: both sides must be re-established.
  virtual void unrecoverable() noexcept = 0;

 protected:
  ~AmHost() = default;
};

}  // namespace dp
