// One AF_XDP socket on a queue of a kernel interface, whose UMEM is the pool: frames are received into mbufs
// and sent from them without a copy of ours. The port opens and closes it; the worker calls receive() and
// transmit().
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

// The offsets of the pool's mbufs in the UMEM. The UMEM is the pool's first piece of memory, from the start
// of its first page; the place of an mbuf is the offset of its element, which begins with the mempool header.
class XdpMemory {
 public:
  explicit XdpMemory(const rte_mempool& pool);

  void* begin() const noexcept { return reinterpret_cast<void*>(begin_); }
  std::uint64_t bytes() const noexcept { return bytes_; }
  std::uint32_t element_bytes() const noexcept { return element_; }
  // Bytes from the start of an element to the first that the kernel may write, without the kernel's own
  // headroom.
  std::uint32_t headroom() const noexcept { return headroom_; }

  std::uint64_t address_of(const rte_mbuf& mbuf) const noexcept {
    return reinterpret_cast<std::uintptr_t>(&mbuf) - header_ - begin_;
  }
  // Requires: `address` is address_of() of an mbuf.
  rte_mbuf& mbuf_at(std::uint64_t address) const noexcept {
    return *reinterpret_cast<rte_mbuf*>(begin_ + address + header_);
  }
  // True if the whole mbuf is inside the UMEM. With huge pages an mbuf that crosses into another page does
  // not count, since that page may be elsewhere in physical memory: zero copy takes no such frame.
  bool holds(const rte_mbuf& mbuf) const noexcept;
  // True if an address may be that of an mbuf.
  bool is_address(std::uint64_t address) const noexcept;

 private:
  std::uintptr_t begin_, first_;  // start of the UMEM; start of the pool's memory
  std::uint64_t bytes_;
  std::uint32_t header_, element_, headroom_;
  std::uint32_t count_;  // elements in the pool
};

class XdpQueue {
 public:
  static constexpr std::uint32_t kRing = 2048;  // descriptors of each of its four rings

  // Gives the kernel mbufs of the pool to receive into, at most kRing. `copy`: forbids zero copy, by which
  // the kernel would write into the pool itself. Waits about three seconds for the kernel to release the
  // queue when another socket was just closed. The error for a queue that another process has has exit code
  // 4.
  static Result<std::unique_ptr<XdpQueue>> open(const std::string& interface, unsigned queue,
                                                rte_mempool& pool, bool copy);
  // Closes the socket; its mbufs go back to the pool.
  ~XdpQueue();
  XdpQueue(const XdpQueue&) = delete;
  XdpQueue& operator=(const XdpQueue&) = delete;

  // Receives at most mbufs.size() frames; returns their number.
  std::size_t receive(std::span<rte_mbuf*> mbufs) noexcept;
  // Takes over the first of the mbufs, as many as there is room for; returns their number. Requires: each is
  // of one segment, and of the pool.
  std::size_t transmit(std::span<rte_mbuf* const> mbufs) noexcept;
  // Any thread. True once every frame that has arrived was received.
  bool read_all() const noexcept;

  int fd() const { return xsk_socket__fd(socket_); }
  bool zero_copy() const;
  // The interface is dead: frames that were received and not read, or taken for sending and not sent, count
  // as lost. Requires: no worker touches it any more.
  void abandon();
  void add_losses(PortLosses& losses) const;

 private:
  explicit XdpQueue(rte_mempool& pool) : pool_(pool), memory_(pool) { held_.reserve(4 * kRing); }
  // Each returns 0 or an errno.
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
  bool unsent_ = false;     // the kernel has not taken all frames in send_
  bool busy_poll_ = false;  // the kernel receives during the system calls that wake it
  PortLosses abandoned_{};
  // Places of the mbufs that the kernel still has, found when the queue closes. Allocated at the start, so
  // that closing allocates nothing.
  std::vector<std::uint64_t> held_;
};

}  // namespace dp::dpdk
