// The worker's side of an AF_XDP socket. Addresses are in the unaligned form: the offset of the element in
// the low 48 bits, and that of the frame within the element in the others.
#include "dataplane/dpdk/af_xdp/xdp_queue.h"

#include <algorithm>
#include <array>
#include <cerrno>

#include <sched.h>
#include <sys/socket.h>

#include "dataplane/base/expect.h"
#include "dataplane/packet/burst.h"

namespace dp::dpdk {
namespace {

// System calls at most for one burst. The kernel takes 32 frames with each, and none while frames that it
// took before have not been received at the other end (the socket's send buffer). Waiting for that, some
// milliseconds at most and well below the limit for a hang, leaves frames at their source instead of dropping
// them here. The receiver may need this CPU to take them.
constexpr int kKicks = 16384;
constexpr int kKicksAtOnce = 16;

}  // namespace

std::size_t XdpQueue::receive(std::span<rte_mbuf*> mbufs) noexcept {
  std::uint32_t at = 0;
  std::uint32_t count = xsk_ring_cons__peek(&receive_, static_cast<std::uint32_t>(mbufs.size()), &at);
  if (count == 0) {
    if (unsent_) kick();
    // With zero copy the kernel's driver may sleep until it is notified that there is room again.
    if (busy_poll_ || xsk_ring_prod__needs_wakeup(&fill_))
      ::recvfrom(fd(), nullptr, 0, MSG_DONTWAIT, nullptr, nullptr);
    return 0;
  }
  // Frames whose mbufs cannot be replaced for lack of memory stay in the ring, where they are not lost.
  const std::uint32_t taken = static_cast<std::uint32_t>(refill(count));
  if (taken < count) xsk_ring_cons__cancel(&receive_, count - taken);
  count = taken;
  for (std::uint32_t i = 0; i < count; ++i) {
    const xdp_desc& frame = *xsk_ring_cons__rx_desc(&receive_, at + i);
    rte_mbuf& mbuf = memory_.mbuf_at(xsk_umem__extract_addr(frame.addr));
    const auto data =
        reinterpret_cast<std::uintptr_t>(memory_.begin()) + xsk_umem__add_offset_to_addr(frame.addr);
    mbuf.data_off = static_cast<std::uint16_t>(data - reinterpret_cast<std::uintptr_t>(mbuf.buf_addr));
    mbuf.pkt_len = frame.len;
    mbuf.data_len = static_cast<std::uint16_t>(frame.len);
    mbufs[i] = &mbuf;
  }
  xsk_ring_cons__release(&receive_, count);
  return count;
}

// Gives the kernel `count` mbufs to receive into, or as many as there are and find room; returns their
// number. A bulk of the pool comes whole or not at all, so a smaller bulk is requested when the pool has
// fewer.
std::size_t XdpQueue::refill(std::size_t count) noexcept {
  std::array<rte_mbuf*, kBurst> fresh;
  std::size_t done = 0;
  while (done < count) {
    auto some = static_cast<std::uint32_t>(std::min(count - done, fresh.size()));
    some = std::min(some, xsk_prod_nb_free(&fill_, some));
    while (some != 0 && rte_pktmbuf_alloc_bulk(&pool_, fresh.data(), some) != 0) some /= 2;
    if (some == 0) break;
    std::uint32_t at = 0;
    xsk_ring_prod__reserve(&fill_, some, &at);
    for (std::uint32_t i = 0; i < some; ++i)
      *xsk_ring_prod__fill_addr(&fill_, at + i) = memory_.address_of(*fresh[i]);
    xsk_ring_prod__submit(&fill_, some);
    done += some;
  }
  return done;
}

std::size_t XdpQueue::transmit(std::span<rte_mbuf* const> mbufs) noexcept {
  reclaim(2 * mbufs.size());
  auto count = static_cast<std::uint32_t>(mbufs.size());
  count = std::min(count, xsk_prod_nb_free(&send_, count));
  std::uint32_t at = 0;
  if (count == 0 || xsk_ring_prod__reserve(&send_, count, &at) == 0) {
    kick();
    return 0;
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    const rte_mbuf& mbuf = *mbufs[i];
    DP_EXPECT_HOT(mbuf.pool == &pool_ && mbuf.nb_segs == 1);
    const std::uint64_t address = memory_.address_of(mbuf);
    const auto data = reinterpret_cast<std::uintptr_t>(mbuf.buf_addr) + mbuf.data_off;
    const std::uint64_t offset = data - reinterpret_cast<std::uintptr_t>(memory_.begin()) - address;
    xdp_desc& frame = *xsk_ring_prod__tx_desc(&send_, at + i);
    frame.addr = address | (offset << XSK_UNALIGNED_BUF_OFFSET_SHIFT);
    frame.len = mbuf.data_len;
    frame.options = 0;
  }
  xsk_ring_prod__submit(&send_, count);
  kick();
  return count;
}

// Frees mbufs that the kernel has sent or dropped.
void XdpQueue::reclaim(std::size_t most) noexcept {
  std::array<rte_mbuf*, 2 * kBurst> done;
  std::uint32_t at = 0;
  const auto free_slots = static_cast<std::uint32_t>(std::min(most, done.size()));
  const std::uint32_t count = xsk_ring_cons__peek(&completion_, free_slots, &at);
  if (count == 0) return;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t address = *xsk_ring_cons__comp_addr(&completion_, at + i);
    done[i] = &memory_.mbuf_at(xsk_umem__extract_addr(address));
  }
  xsk_ring_cons__release(&completion_, count);
  rte_pktmbuf_free_bulk(done.data(), count);
}

// Wakes the kernel if it sends from the ring only on request.
void XdpQueue::kick() noexcept {
  unsent_ = false;
  if (!xsk_ring_prod__needs_wakeup(&send_)) return;
  for (int i = 0; i < kKicks; ++i) {
    if (::sendto(fd(), nullptr, 0, MSG_DONTWAIT, nullptr, 0) >= 0) return;
    if (errno != EAGAIN && errno != EBUSY && errno != EINTR && errno != ENOBUFS) return;
    reclaim(2 * kBurst);
    if (i % kKicksAtOnce == kKicksAtOnce - 1) ::sched_yield();
  }
  unsent_ = true;
}

bool XdpQueue::read_all() const noexcept {
  return __atomic_load_n(receive_.producer, __ATOMIC_ACQUIRE) ==
         __atomic_load_n(receive_.consumer, __ATOMIC_ACQUIRE);
}

}  // namespace dp::dpdk
