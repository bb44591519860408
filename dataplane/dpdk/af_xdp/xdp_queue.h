// One AF_XDP socket on a queue of a kernel interface, whose UMEM is the pool: frames are received into mbufs
// and sent from them without a copy of ours. Made and closed by the port; receive() and transmit() are the
// worker's.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <rte_mbuf.h>
#include <rte_mempool.h>

#include <xdp/xsk.h>

#include "dataplane/base/result.h"
#include "dataplane/worker/runtime.h"

namespace dp::dpdk {

// Where the pool's mbufs lie in the UMEM. The UMEM is the pool's first piece of memory, from the page that it
// begins in; an mbuf's place is that of its element, whose header comes first.
class XdpMemory {
 public:
  explicit XdpMemory(const rte_mempool& pool);

  void* begin() const noexcept { return reinterpret_cast<void*>(begin_); }
  std::uint64_t bytes() const noexcept { return bytes_; }
  std::uint32_t element_bytes() const noexcept { return element_; }
  // From an element's begin to where the kernel may write, but for its own headroom.
  std::uint32_t headroom() const noexcept { return headroom_; }

  std::uint64_t place_of(const rte_mbuf& mbuf) const noexcept {
    return reinterpret_cast<std::uintptr_t>(&mbuf) - header_ - begin_;
  }
  // Requires: place_of() of an mbuf.
  rte_mbuf& mbuf_at(std::uint64_t place) const noexcept {
    return *reinterpret_cast<rte_mbuf*>(begin_ + place + header_);
  }
  // Whether an mbuf lies in it whole. With huge pages none that crosses into a page counts, which may be
  // elsewhere in physical memory: zero copy takes no such frame.
  bool holds(const rte_mbuf& mbuf) const noexcept;
  // Whether an address could be an mbuf's place.
  bool is_place(std::uint64_t place) const noexcept;

 private:
  std::uintptr_t begin_, first_;  // of the UMEM; of the pool's memory
  std::uint64_t bytes_;
  std::uint32_t header_, element_, headroom_;
  std::uint32_t count_;  // of the pool's elements
};

class XdpQueue {
 public:
  static constexpr std::uint32_t kRing = 2048;  // descriptors of each of its four rings

  // Fills it with mbufs of the pool, most kRing. `copy`: the kernel shall not write into the pool itself
  // by zero copy. Waits some three seconds for the kernel to let go of the queue when another socket was just
  // closed. The error of a queue that is somebody else's has exit code 4.
  static Result<std::unique_ptr<XdpQueue>> open(const std::string& interface, unsigned queue,
                                                rte_mempool& pool, bool copy);
  // Closes it; its mbufs go back to the pool.
  ~XdpQueue();
  XdpQueue(const XdpQueue&) = delete;
  XdpQueue& operator=(const XdpQueue&) = delete;

  // At most mbufs.size() frames.
  std::size_t receive(std::span<rte_mbuf*> mbufs) noexcept;
  // Takes over the first of them, as many as there is room for. Requires: each is of one segment, and of the
  // pool.
  std::size_t transmit(std::span<rte_mbuf* const> mbufs) noexcept;
  // Any thread. True once nothing that has come is left to be received.
  bool read_all() const noexcept;

  int fd() const { return xsk_socket__fd(socket_); }
  bool zero_copy() const;
  // Its interface is dead: what was received and not read, or taken for sending and not sent, counts as lost.
  // Requires: no worker touches it any more.
  void abandon();
  void add_losses(PortLosses& losses) const;

 private:
  explicit XdpQueue(rte_mempool& pool) : pool_(pool), memory_(pool) { held_.reserve(4 * kRing); }
  // Each answers 0 or an errno.
  int register_memory();
  int bind(const std::string& interface, unsigned queue, bool copy);
  void close();
  std::size_t refill(std::size_t count) noexcept;
  void reclaim(std::size_t most) noexcept;
  void kick() noexcept;
  void find_held();
  void settle();
  void prefer_busy_poll();

  rte_mempool& pool_;
  const XdpMemory memory_;
  xsk_umem* umem_ = nullptr;
  xsk_socket* socket_ = nullptr;
  xsk_ring_prod fill_{}, send_{};
  xsk_ring_cons completion_{}, receive_{};
  bool unsent_ = false;     // the kernel has not taken all that stands in send_
  bool busy_poll_ = false;  // the kernel receives while it is asked for frames
  PortLosses abandoned_{};
  // Places of what the kernel keeps. Found when the queue closes; has its memory from the start, so that to
  // close takes none.
  std::vector<std::uint64_t> held_;
};

}  // namespace dp::dpdk
